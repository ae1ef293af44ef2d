//! Rounds of loops: which elements belong together, and that a search makes use of it.

use crate::machine::{Machine, Word};
use crate::program::{Arguments, Ending, Program, add_site, case, subject};
use crate::programs::{counter, pairs};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId, SiteId};
use testwright_base::run::End;
use testwright_base::sample::{block, calling};
use testwright_base::site::SiteKind;
use testwright_search::concolic::{Config, Limits};
use testwright_search::execute::Execute;
use testwright_search::rounds::{Loops, Match, Round, rounds};

fn rounds_of(mut program: Program, elements: &[i64]) -> Vec<Round> {
    let traced = program.trace(&case(&[], elements)).unwrap();
    rounds(&program.subject, &mut Loops::default(), &traced).rounds
}

#[track_caller]
fn check(program: Program, elements: &[i64], expected: &[(usize, &[u128], bool)]) {
    let found = rounds_of(program, elements);
    let found: Vec<_> =
        found.iter().map(|round| (round.first, round.values.as_slice(), round.went_on)).collect();
    assert_eq!(found, expected);
}

/// Calls a function that returns at the first 44 or at the end, and then asks whether the last element is 9. Site 0 is the caller's.
fn caller(is_library: bool) -> Program {
    let mut subject = subject(&[(&[1, 2], Ending::Branch), (&[], Ending::Goto), (&[], Ending::Goto)]);
    let mut callee = calling("g", &[]);
    callee.model = is_library;
    let ways: [&[u32]; 4] = [&[1, 3], &[3, 2], &[0], &[]];
    callee.blocks = ways.iter().map(|successors| block(successors)).collect();
    for (index, site) in [(0, 1), (1, 2)] {
        callee.blocks[index].decides = Some(SiteId(site));
        add_site(&mut subject, FunctionId(1), BlockId::of(index), SiteKind::Branch, 2);
    }
    subject.functions.push(callee);
    let body = |machine: &mut Machine<'_>, arguments: &Arguments| {
        for (i, element) in (0..).zip(&arguments.elements) {
            let more = machine.less(Word::of(i), arguments.length);
            let found = machine.equal(*element, Word::of(44));
            if !machine.branch(1, more) || machine.branch(2, found) {
                break;
            }
        }
        let is_nine = machine.equal(arguments.elements[arguments.elements.len() - 1], Word::of(9));
        machine.branch(0, is_nine);
        End::Returned
    };
    Program { subject, scalars: 0, has_array: true, body, measured: |_| Vec::new() }
}

#[test]
fn what_the_caller_decides_after_a_loop_is_part_of_no_round() {
    check(caller(false), &[7, 44, 9], &[(0, &[7], true), (1, &[44], false)]);
}

#[test]
fn what_a_library_function_found_is_less_than_its_round() {
    let mut program = caller(true);
    let mut found = |elements: &[i64]| {
        let traced = program.trace(&case(&[], elements)).unwrap();
        rounds(&program.subject, &mut Loops::default(), &traced).matches
    };
    let comma = Match { model: FunctionId(1), object: 0, first: 1, values: vec![44] };
    assert_eq!(found(&[7, 44, 9]), [comma]);
    assert_eq!(found(&[7, 7, 9]), []);
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
        let config = Config { seed, only: Some(vec![OutcomeId(10)]), ..Config::default() };
        let limits = Limits { runs: Some(100), until_covered: true, ..Limits::default() };
        pairs().explore(config, case(&[], &[0]), &limits, |search| {
            reached += usize::from(search.coverage().first_hit(OutcomeId(10)).is_some());
        });
    }
    assert_eq!(reached, 5);
}
