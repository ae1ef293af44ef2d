//! Fitnex on the programs that it was invented for.

use crate::program::{Program, case, numbers};
use crate::programs::{counter, endless, flag, greeting, loop_target, test_loop};
use testwright_base::case::Case;
use testwright_base::ids::OutcomeId;
use testwright_search::concolic::{Config, Limits, StopReason};
use testwright_search::strategy::{DEFAULT, WITHOUT_FITNEX};

/// How many runs a strategy needs to hit `target`; none if more than `cap`.
fn runs_to(program: &mut Program, strategy: &str, start: Case, target: OutcomeId, cap: u64) -> Option<usize> {
    let config =
        Config { strategy: strategy.parse().unwrap(), only: Some(vec![target]), ..Config::default() };
    let limits = Limits { runs: Some(cap), until_covered: true, ..Limits::default() };
    let mut runs = None;
    program.explore(config, start, &limits, |search| {
        runs = search.coverage().first_hit(target).map(|run| run.index() + 1);
        assert_eq!(search.counts().divergences, 0);
    });
    runs
}

#[test]
fn the_loop_of_the_paper_is_solved_in_25_runs() {
    let mut program = test_loop();
    let target = loop_target(&program);
    let runs = runs_to(&mut program, DEFAULT, case(&[0], &[0]), target, 100).expect("the target");
    assert!(runs <= 25, "{runs} runs");
}

#[test]
fn without_fitnex_the_loop_takes_much_longer() {
    let mut program = test_loop();
    let target = loop_target(&program);
    let runs = runs_to(&mut program, WITHOUT_FITNEX, case(&[0], &[0]), target, 100);
    assert_eq!(runs, None);
}

#[test]
fn fitnex_alone_reaches_the_target_too() {
    let mut program = test_loop();
    let target = loop_target(&program);
    let runs = runs_to(&mut program, "fitnex", case(&[0], &[0]), target, 100).expect("the target");
    assert!(runs <= 50, "{runs} runs");
}

#[test]
fn a_counter_that_no_input_flows_into_is_guided_by_measured_distances() {
    let mut program = counter();
    let target = loop_target(&program);
    let runs = runs_to(&mut program, DEFAULT, case(&[], &[0]), target, 100).expect("the target");
    assert!(runs <= 25, "{runs} runs");
    let mut blind = Program { measured: |_| Vec::new(), ..counter() };
    let runs = runs_to(&mut blind, DEFAULT, case(&[], &[0]), target, 40);
    assert_eq!(runs, None);
}

#[test]
fn a_string_is_found_byte_by_byte() {
    let mut program = greeting();
    let runs = runs_to(&mut program, DEFAULT, case(&[], &[]), OutcomeId(0), 100).expect("the target");
    assert!(runs <= 20, "{runs} runs");
}

#[test]
fn a_flag_is_set_by_aiming_at_the_comparison_it_comes_from() {
    let mut program = flag();
    let target = program.subject.sites[3].first_outcome;
    let config = Config { only: Some(vec![target]), ..Config::default() };
    let limits = Limits { runs: Some(50), until_covered: true, ..Limits::default() };
    let (_, reason) = program.explore(config, case(&[0, 0], &[]), &limits, |search| {
        let (scalars, _) =
            numbers(&search.archive().best()[&search.coverage().all_goals().at(target)[0]].case);
        assert!(scalars.iter().filter(|scalar| **scalar > 60).sum::<i64>() > 120);
    });
    assert_eq!(reason, StopReason::GoalsMet);
}

/// How many runs, nodes, flips and edits a search that does not end looks at for each run that it makes.
fn looked_at_per_run(runs: u64) -> f64 {
    let mut program = endless();
    let target = loop_target(&program);
    let config = Config { only: Some(vec![target]), ..Config::default() };
    let limits = Limits { runs: Some(runs), ..Limits::default() };
    let mut looked_at = 0.0;
    let (_, reason) = program.explore(config, case(&[], &[0]), &limits, |search| {
        looked_at = search.looked_at() as f64 / search.runs().len() as f64;
    });
    assert_eq!(reason, StopReason::Runs);
    looked_at
}

#[test]
fn a_step_looks_at_as_much_however_many_steps_there_were() {
    // There are 8191 paths; when few are left, it takes longer to find them.
    let (few, many) = (looked_at_per_run(500), looked_at_per_run(4000));
    assert!(many < 1.25 * few, "{few} of 500 runs, {many} of 4000");
}
