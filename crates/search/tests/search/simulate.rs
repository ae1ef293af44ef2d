//! The study on random models: the optimum is one, and the strategies are where they should be.

use std::ops::ControlFlow;
use testwright_search::plan::covering::covering;
use testwright_search::plan::markov::Estimate;
use testwright_search::random::Random;
use testwright_search::simulate::model::{Edge, Model, SIZES};
use testwright_search::simulate::optimum::optimum;
use testwright_search::simulate::random_testing::Paths;
use testwright_search::simulate::study::{Config, STRATEGIES, Study, study};

fn small() -> Config {
    Config { sizes: vec![5, 12], models: 12, repetitions: 60, estimate: Estimate::Laplace, seed: 1 }
}

fn done(config: &Config) -> Study {
    study(config, &mut |_| ControlFlow::Continue(())).unwrap().expect("nobody ended it")
}

#[test]
fn models_are_what_they_are_meant_to_be() {
    let mut random = Random::new(5);
    let (mut branches, mut states) = (0.0, 0.0);
    for size in SIZES {
        for _ in 0..20 {
            let model = Model::random(size, &mut random);
            assert_eq!(model.reach()[0], model.all(), "every state can be reached: {model:?}");
            for (state, edges) in model.edges.iter().enumerate() {
                assert_eq!(edges.is_empty(), state == size - 1, "runs end in the last state only: {model:?}");
                let total: f64 = edges.iter().map(|edge| edge.probability).sum();
                assert!(edges.is_empty() || (total - 1.0).abs() < 1e-12, "{model:?}");
                let fine = edges.iter().all(|edge| {
                    edge.to > state && edge.probability >= 0.999e-4 && (1.0..=1000.0).contains(&edge.cost)
                });
                assert!(fine, "{model:?}");
                branches += f64::from(u8::from(edges.len() == 2));
                states += 1.0;
            }
        }
    }
    assert!((0.4..0.55).contains(&(branches / states)), "{branches} of {states} states branch");
}

#[test]
fn the_optimum_is_that_of_the_decision_process() {
    let mut random = Random::new(9);
    for size in [2, 3, 4, 5, 6, 7, 8] {
        for _ in 0..8 {
            let model = Model::random(size, &mut random);
            let next = |edges: &Vec<_>| edges.iter().map(|edge: &Edge| (edge.to, edge.probability)).collect();
            let program: Vec<Vec<(usize, f64)>> = model.edges.iter().map(next).collect();
            let cost = |path: &[usize]| {
                let edges =
                    path.windows(2).map(|step| model.edges[step[0]].iter().find(|edge| edge.to == step[1]));
                edges.map(|edge| edge.unwrap().cost).sum()
            };
            let covering = covering(&program, cost).unwrap();
            let least = optimum(&model).unwrap();
            for policy in [covering.mdp.value_iteration().unwrap(), covering.mdp.policy_iteration().unwrap()]
            {
                assert!(
                    (policy.values[0] / least - 1.0).abs() < 1e-9,
                    "{least} {:?} {model:?}",
                    policy.values[0]
                );
            }
        }
    }
}

#[test]
fn no_strategy_is_cheaper_than_the_optimum() {
    let mut random = Random::new(21);
    for size in [4, 8, 12] {
        for _ in 0..5 {
            let model = Model::random(size, &mut random);
            let least = optimum(&model).unwrap();
            for strategy in STRATEGIES {
                let mut mean_cost = || strategy.total_cost(&model, Estimate::Laplace, 20, &mut random) / 20.0;
                let samples: Vec<f64> = (0..20).map(|_| mean_cost()).collect();
                let mean = samples.iter().sum::<f64>() / 20.0;
                let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / 19.0;
                // What happens once in a thousand runs may not have happened in 400.
                let noise = 5.0 * (variance / 20.0).sqrt() + 0.02 * least;
                assert!(mean + noise >= least, "{}: {mean} +- {noise} against {least}", strategy.name);
            }
        }
    }
}

#[test]
fn skipping_runs_that_bring_nothing_changes_no_distribution() {
    let mut random = Random::new(2);
    let model = Model::random(8, &mut random);
    let one_by_one = |random: &mut Random| {
        let (mut covered, mut runs) = (1, 0.0);
        while covered != model.all() {
            model.walk(0, random, |state, edge| covered |= 1 << model.edges[state][edge].to);
            runs += 1.0;
        }
        runs
    };
    let paths = Paths::new(&model);
    let skipping: f64 = (0..4000).map(|_| paths.cover(&mut random)).sum();
    let walking: f64 = (0..4000).map(|_| one_by_one(&mut random)).sum();
    assert!((skipping / walking - 1.0).abs() < 0.1, "{skipping} {walking}");
}

#[test]
fn the_greedy_strategies_stay_close_to_the_optimum() {
    let study = done(&small());
    let of = |name: &str| {
        let place = STRATEGIES.iter().position(|strategy| strategy.name == name).unwrap();
        &study.relative_cost[place]
    };
    assert!(of("greedy").iter().all(|cost| *cost < 3.0), "{study:?}");
    assert!(of("ours").iter().all(|cost| *cost < 2.0), "{study:?}");
    for other in STRATEGIES.iter().filter(|strategy| !["greedy", "ours"].contains(&strategy.name)) {
        assert!(of(other.name)[1] > of("ours")[1], "{}: {study:?}", other.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_study_whatever_other_sizes_there_are() {
    let config = Config { models: 3, repetitions: 10, ..small() };
    let both = done(&config);
    assert_eq!(both, done(&config));
    let one = done(&Config { sizes: vec![12], ..config.clone() });
    assert_eq!(
        one.relative_cost.iter().map(|costs| costs[0]).collect::<Vec<_>>(),
        both.relative_cost.iter().map(|costs| costs[1]).collect::<Vec<_>>()
    );
    assert_ne!(both, done(&Config { seed: 2, ..config }));
}

#[test]
fn a_study_that_is_ended_leaves_nothing() {
    let mut steps = 0;
    let ended = study(&small(), &mut |_| {
        steps += 1;
        if steps == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(ended, Ok(None));
    assert_eq!(steps, 5);
}
