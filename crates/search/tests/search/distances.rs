//! Distances of predicates, from the values that a run recorded.

use crate::machine::{Machine, Word};
use crate::program::subject;
use testwright_abi::expr::Op;
use testwright_search::distance::{FARTHEST, distance};

/// Distances to true and to false of what `build` makes of two inputs.
fn check(x: i64, y: i64, build: fn(&mut Machine<'_>, Word, Word) -> Word, expected: (f64, f64)) {
    let subject = subject(&[]);
    let mut machine = Machine::new(&subject, &[x, y]);
    let (x, y) = (machine.inputs[0], machine.inputs[1]);
    let handle = build(&mut machine, x, y).handle;
    let (exprs, _, _) = machine.finish();
    let id = exprs.id(handle).unwrap();
    assert_eq!((distance(&exprs, id, true), distance(&exprs, id, false)), expected);
}

#[test]
fn integers_are_as_far_as_the_table_says() {
    let equal = |machine: &mut Machine<'_>, x: Word, y: Word| machine.equal(x, y);
    check(-3, 4, equal, (7.0, 0.0));
    check(4, 4, equal, (0.0, 1.0));
    check(i64::from(i32::MIN), i64::from(i32::MAX), equal, (f64::from(u32::MAX), 0.0));
    let less = |machine: &mut Machine<'_>, x: Word, y: Word| machine.less(x, y);
    check(9, 4, less, (6.0, 0.0));
    check(4, 9, less, (0.0, 5.0));
    check(i64::from(i32::MAX), i64::from(i32::MIN), less, (4_294_967_296.0, 0.0));
    let at_most = |machine: &mut Machine<'_>, x: Word, y: Word| {
        machine.binary(Op::Ule, 1, x, y, u128::from(x.value <= y.value))
    };
    check(9, 4, at_most, (5.0, 0.0));
    check(4, 9, at_most, (0.0, 6.0));
    check(-1, 0, at_most, (f64::from(u32::MAX), 0.0));
}

#[test]
fn connectives_add_or_choose() {
    let both = |machine: &mut Machine<'_>, x: Word, y: Word| {
        let (a, b) = (machine.equal(x, Word::of(10)), machine.equal(y, Word::of(20)));
        machine.binary(Op::And, 1, a, b, a.value & b.value)
    };
    check(7, 18, both, (5.0, 0.0));
    check(10, 20, both, (0.0, 1.0));
    let either = |machine: &mut Machine<'_>, x: Word, y: Word| {
        let (a, b) = (machine.equal(x, Word::of(10)), machine.equal(y, Word::of(20)));
        machine.binary(Op::Or, 1, a, b, a.value | b.value)
    };
    check(7, 18, either, (2.0, 0.0));
    check(10, 20, either, (0.0, 2.0));
    let not = |machine: &mut Machine<'_>, x: Word, y: Word| {
        let less = machine.less(x, y);
        machine.node(Op::Not, 1, [less.handle, 0, 0], 1 - less.value)
    };
    check(4, 9, not, (5.0, 0.0));
}

#[test]
fn a_widened_flag_is_as_far_as_its_predicate() {
    let flag = |machine: &mut Machine<'_>, x: Word, y: Word| {
        let less = machine.less(x, y);
        let wide = machine.node(Op::ZExt, 32, [less.handle, 0, 0], less.value);
        machine.equal(wide, Word::of(0))
    };
    check(4, 9, flag, (5.0, 0.0));
    check(9, 4, flag, (0.0, 6.0));
}

#[test]
fn overflow_is_as_far_as_the_edge_of_the_range() {
    let overflows = |machine: &mut Machine<'_>, x: Word, y: Word| {
        let sum = x.signed() + y.signed();
        machine.binary(Op::SAddO, 1, x, y, u128::from(i32::try_from(sum).is_err()))
    };
    check(i64::from(i32::MAX) - 10, 3, overflows, (8.0, 0.0));
    check(i64::from(i32::MAX) - 1, 3, overflows, (0.0, 2.0));
    check(i64::from(i32::MIN), 5, overflows, (6.0, 0.0));
}

/// Distances to `a < b` and to `a == b` for floats.
fn floats(a: f64, b: f64) -> (f64, f64) {
    let subject = subject(&[]);
    let mut machine = Machine::new(&subject, &[0]);
    let constant = |machine: &mut Machine<'_>, number: f64| {
        let bits = number.to_bits();
        machine.node(Op::Const, 64, [0, bits as u32, (bits >> 32) as u32], u128::from(bits))
    };
    let (x, y) = (constant(&mut machine, a), constant(&mut machine, b));
    let less = machine.binary(Op::FLt, 1, x, y, u128::from(a < b)).handle;
    let equal = machine.binary(Op::FEq, 1, x, y, u128::from(a == b)).handle;
    let (exprs, _, _) = machine.finish();
    let to_true = |handle| distance(&exprs, exprs.id(handle).unwrap(), true);
    (to_true(less), to_true(equal))
}

#[test]
fn floats_have_distances_too() {
    assert_eq!(floats(2.5, 1.0), (2.5, 1.5));
    assert_eq!(floats(1.0, 2.5), (0.0, 1.5));
    assert_eq!(floats(f64::NAN, 1.0), (FARTHEST, FARTHEST));
    assert_eq!(floats(f64::INFINITY, 1.0), (FARTHEST, FARTHEST));
    assert_eq!(floats(f64::INFINITY, f64::INFINITY), (1.0, 0.0));
}
