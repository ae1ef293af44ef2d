//! Queries that share a prefix: what stays asserted does not change the answers.

use std::time::Duration;

use proptest::prelude::*;
use testwright_abi::expr::Op;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::Constraint;
use testwright_logic::solve::Answer;

use super::queries::any_problem;
use crate::testing::{Arena, ask, holds, patient};
use crate::{Config, Z3};

fn is_sat(answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Sat(_) => Some(true),
        Answer::Unsat => Some(false),
        Answer::Unknown(_) => None,
    }
}

fn flipped(constraint: &Constraint) -> Constraint {
    match constraint.clone() {
        Constraint::IsTrue(id) => Constraint::IsFalse(id),
        Constraint::IsFalse(id) => Constraint::IsTrue(id),
        Constraint::Equals(id, value) => Constraint::NoneOf(id, vec![value]),
        Constraint::NoneOf(id, values) => Constraint::OneOf(id, values),
        Constraint::OneOf(id, values) => Constraint::NoneOf(id, values),
        Constraint::Nothing => Constraint::Nothing,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// One solver sees the flips of several paths, each an arena of its own; others see one query only.
    #[test]
    fn a_used_solver_answers_like_a_fresh_one(problems in prop::collection::vec(any_problem(), 1..4)) {
        let mut used = patient();
        for (exprs, path) in problems.iter().chain(&problems) {
            for length in (0..path.len()).chain((0..path.len()).rev()) {
                let mut constraints = path[..=length].to_vec();
                constraints[length] = flipped(&path[length]);
                let answer = ask(&mut used, exprs, &constraints);
                let fresh = ask(&mut patient(), exprs, &constraints);
                prop_assert_eq!(is_sat(&answer), is_sat(&fresh));
                if let Answer::Sat(model) = answer {
                    prop_assert!(holds(exprs, &constraints, &model));
                }
            }
        }
    }
}

/// A loop over the bytes of a text that sums them up, with a comparison in each step.
fn long_path(length: u32) -> (Exprs, Vec<ExprId>) {
    let mut arena = Arena::default();
    let limit = arena.constant(32, 100_000);
    let mut sum = arena.constant(32, 0);
    let mut comparisons = vec![];
    for index in 0..length {
        let byte = arena.input(index, 8, 1);
        let wide = arena.op(Op::ZExt, 32, &[byte]);
        sum = arena.op(Op::Add, 32, &[sum, wide]);
        let letter = arena.constant(8, u64::from(index % 26 + 97));
        comparisons.push(arena.op(Op::Eq, 1, &[byte, letter]));
        comparisons.push(arena.op(Op::Slt, 1, &[sum, limit]));
    }
    (arena.exprs(), comparisons)
}

/// The constraints of a run, of which all comparisons with a letter were false, up to one that is flipped.
fn flip(comparisons: &[ExprId], place: usize) -> Vec<Constraint> {
    let taken = |place: usize, id| {
        if place.is_multiple_of(2) { Constraint::IsFalse(id) } else { Constraint::IsTrue(id) }
    };
    let mut constraints: Vec<Constraint> =
        comparisons[..=place].iter().enumerate().map(|(place, &id)| taken(place, id)).collect();
    constraints[place] = flipped(&constraints[place]);
    constraints
}

#[test]
fn the_shared_prefix_stays_asserted() {
    let (exprs, comparisons) = long_path(20);
    let mut solver = patient();
    for place in (0..comparisons.len()).step_by(2) {
        let answer = ask(&mut solver, &exprs, &flip(&comparisons, place));
        assert_eq!(is_sat(&answer), Some(true), "{place}");
    }
    // Each query asserts the step that was flipped before in its own way, the one after it, and the flipped one.
    assert_eq!(solver.statistics().asserted, 3 * 20 - 2);
    assert_eq!(solver.statistics().reused, (0..19).map(|query| 2 * query).sum::<u64>());
}

#[test]
fn another_run_with_the_same_prefix_reuses_it() {
    let (exprs, comparisons) = long_path(20);
    let mut solver = patient();
    ask(&mut solver, &exprs, &flip(&comparisons, 20));
    let (longer, comparisons) = long_path(25);
    ask(&mut solver, &longer, &flip(&comparisons, 24));
    assert_eq!(solver.statistics().reused, 20);
}

#[test]
fn queries_stay_cheap_as_the_path_grows() {
    let (exprs, comparisons) = long_path(60);
    let mut solver = Z3::new(Config { work: 30_000, time: Duration::from_secs(600) });
    for place in (0..comparisons.len()).step_by(2) {
        ask(&mut solver, &exprs, &flip(&comparisons, place));
    }
    assert_eq!(solver.statistics().unknown, 0, "all are answered with little work");
}
