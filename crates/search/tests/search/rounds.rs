//! Rounds of loops: which elements belong together, and that a search makes use of it.

use crate::program::{Program, case};
use crate::programs::{counter, pairs};
use testwright_base::ids::OutcomeId;
use testwright_search::execute::Execute;
use testwright_search::explore::{Config, Limits};
use testwright_search::rounds::{Loops, Round, rounds};

fn rounds_of(mut program: Program, elements: &[i64]) -> Vec<Round> {
    let traced = program.trace(&case(&[], elements)).unwrap();
    rounds(&program.subject, &mut Loops::default(), &traced)
}

#[track_caller]
fn check(program: Program, elements: &[i64], expected: &[(usize, &[u128], bool)]) {
    let found = rounds_of(program, elements);
    let found: Vec<_> =
        found.iter().map(|round| (round.first, round.values.as_slice(), round.went_on)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_loop_over_single_elements_has_a_round_for_each() {
    check(counter(), &[7, 1, 7], &[(0, &[7], true), (1, &[1], true), (2, &[7], true)]);
}

#[test]
fn elements_that_one_round_looks_at_belong_together() {
    check(pairs(), &[3, 4, 3, 4], &[(0, &[3, 4], true), (2, &[3, 4], true)]);
}

#[test]
fn what_is_looked_at_after_the_loop_is_part_of_no_round() {
    check(pairs(), &[3, 4, 5], &[(0, &[3, 4], true)]);
}

#[test]
fn a_round_that_ends_the_run_does_not_go_on() {
    check(pairs(), &[3, 4, 9, 9], &[(0, &[3, 4], true), (2, &[9], false)]);
}

#[test]
fn rounds_are_of_one_kind_if_they_decide_the_same() {
    let kinds: Vec<u64> = rounds_of(counter(), &[7, 1, 7, 2]).iter().map(|round| round.kind).collect();
    assert_eq!((kinds[0], kinds[1]), (kinds[2], kinds[3]));
    assert_ne!(kinds[0], kinds[1]);
}

#[test]
fn rounds_are_put_before_what_has_to_follow_them() {
    let mut reached = 0;
    for seed in 1..=5 {
        let config = Config { seed, goals: Some(vec![OutcomeId(10)]), ..Config::default() };
        let limits = Limits { runs: Some(100), until_covered: true, ..Limits::default() };
        pairs().explore(config, case(&[], &[0]), &limits, |search| {
            reached += usize::from(search.coverage().first_hit(OutcomeId(10)).is_some());
        });
    }
    assert_eq!(reached, 5);
}
