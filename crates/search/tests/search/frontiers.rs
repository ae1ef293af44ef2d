//! Every frontier on small programs.

use crate::program::{Program, case};
use crate::programs::{cube, nested, switching, test_loop};
use crate::solver::Exact;
use std::collections::BTreeMap;
use testwright_base::ids::{FunctionId, SiteId};
use testwright_search::concolic::{Config, Limits, Search, StepRecord, StopReason, Way};
use testwright_search::frontier::{TABLE, Takes};
use testwright_search::strategy::DEFAULT;

/// A strategy for each entry of the table.
fn strategies() -> Vec<String> {
    let text = |entry: &testwright_search::frontier::Entry| match entry.takes {
        Takes::Nothing => entry.name.to_owned(),
        Takes::Number(_) => format!("{}(2)", entry.name),
        Takes::One => format!("{}(breadth-first)", entry.name),
        Takes::Many => format!("{}(shortest, dart)", entry.name),
    };
    TABLE.iter().map(text).collect()
}

/// Runs and reason for the end; the steps as text without times.
fn explore(
    make: fn() -> Program,
    strategy: &str,
    seed: u64,
    limits: &Limits<'_>,
) -> (usize, StopReason, String) {
    let mut program = make();
    let config = Config { strategy: strategy.parse().unwrap(), seed, ..Config::default() };
    let scalars = vec![0; program.scalars];
    let (mut runs, mut divergences) = (0, 0);
    let (steps, reason) = program.explore(config, case(&scalars, &[]), limits, |search| {
        (runs, divergences) = (search.runs().len(), search.counts().divergences);
    });
    assert_eq!(divergences, 0, "{strategy}");
    (runs, reason, steps.iter().map(without_time).collect())
}

fn without_time(step: &StepRecord) -> String {
    let flip = step.flip.as_ref().map(|flip| (flip.node, flip.from, flip.answer.clone()));
    format!("{flip:?} {:?} {:?}\n", step.run, step.new_outcomes)
}

#[test]
fn every_frontier_takes_every_path_of_a_small_program() {
    for strategy in strategies() {
        // These two decline by design before all is done.
        if strategy == "shortest" || strategy == "fitnex" {
            continue;
        }
        for (make, paths) in [(cube as fn() -> Program, 8), (switching, 8), (nested, 4)] {
            let (runs, reason, steps) = explore(make, &strategy, 1, &Limits::default());
            assert_eq!((runs, reason), (paths, StopReason::Exhausted), "{strategy}:\n{steps}");
        }
    }
}

#[test]
fn every_frontier_covers_guards_inside_guards_or_declines() {
    let limits = Limits { until_covered: true, ..Limits::default() };
    for strategy in strategies() {
        let (runs, reason, steps) = explore(nested, &strategy, 1, &limits);
        let expected = if strategy == "shortest" { StopReason::Declined } else { StopReason::GoalsMet };
        assert_eq!(reason, expected, "{strategy}:\n{steps}");
        assert!(runs <= 4, "{strategy}: {runs} runs");
    }
}

#[test]
fn every_frontier_goes_on_in_a_loop() {
    let limits = Limits { runs: Some(60), ..Limits::default() };
    for strategy in strategies().into_iter().filter(|strategy| strategy != "shortest") {
        let (runs, reason, _) = explore(test_loop, &strategy, 1, &limits);
        let expected = if strategy == "fitnex" { runs } else { 60 };
        assert_eq!(runs, expected, "{strategy}: {reason:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_steps() {
    let limits = Limits { runs: Some(30), ..Limits::default() };
    let strategies = strategies().into_iter().chain([DEFAULT.to_owned()]);
    for strategy in strategies {
        let first = explore(test_loop, &strategy, 5, &limits);
        assert_eq!(first, explore(test_loop, &strategy, 5, &limits), "{strategy}");
    }
}

#[test]
fn another_seed_gives_other_steps_where_chance_decides() {
    let limits = Limits { runs: Some(30), ..Limits::default() };
    for strategy in ["random", "rss", "rps", "rcn", "sgs"] {
        let (_, _, first) = explore(test_loop, strategy, 5, &limits);
        assert_ne!(first, explore(test_loop, strategy, 6, &limits).2, "{strategy}");
    }
}

#[test]
fn sites_of_higher_weight_go_first() {
    let flipped = |weights: &[(u32, i32)]| {
        let weights: BTreeMap<SiteId, i32> =
            weights.iter().map(|(site, weight)| (SiteId(*site), *weight)).collect();
        let config = Config { weights, strategy: "breadth-first".parse().unwrap(), ..Config::default() };
        let limits = Limits { runs: Some(4), ..Limits::default() };
        let (steps, _) = cube().explore(config, case(&[0, 0, 0], &[]), &limits, |_| {});
        steps.iter().filter_map(|step| step.flip.as_ref()?.site).collect::<Vec<_>>()
    };
    assert_eq!(flipped(&[]), [0, 1, 1]);
    assert_eq!(flipped(&[(2, 5)]), [2, 0, 2]);
    assert_eq!(flipped(&[(0, -1), (2, 1)]), [2, 1, 2]);
}

#[test]
fn a_strategy_that_is_asked_late_picks_as_if_it_had_been_asked_from_the_beginning() {
    let steps = |strategy: &str, others: &[&str], way: Way| {
        let mut program = cube();
        let subject = program.subject.clone();
        let others = others.iter().map(|other| other.parse().unwrap()).collect();
        let config = Config { strategy: strategy.parse().unwrap(), others, ..Config::default() };
        let mut search = Search::new(config, &subject, FunctionId(0), case(&vec![0; program.scalars], &[]));
        let mut steps = Vec::new();
        // The first two steps are the start and a flip by the first strategy.
        for way in [Way::Strategy(0), Way::Strategy(0), way, way, way, way] {
            steps.push(without_time(&search.step(&mut program, &mut Exact, way, None).unwrap()));
        }
        steps
    };
    let alone = steps("depth-first", &[], Way::Strategy(0));
    assert_eq!(alone, steps("depth-first", &["depth-first"], Way::Strategy(1)));
    assert_ne!(alone, steps("depth-first", &["breadth-first"], Way::Strategy(1)));
}
