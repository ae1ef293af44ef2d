//! Whole queries: models hold under the evaluator, "unsat" is true, ranges are kept.

use std::time::Instant;

use proptest::prelude::*;
use testwright_abi::expr::Op;
use testwright_abi::libm::Function;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, Input, InputKind, Query, Solve};

use super::holds_for_some;
use crate::Z3;
use crate::testing::{Arena, ask, ask_about, holds, patient};

#[test]
fn a_model_changes_only_what_it_must() {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, 5);
    let y = arena.input(2, 32, 7);
    let limit = arena.constant(32, 100);
    let sum = arena.op(Op::Add, 32, &[x, y]);
    let is_below = arena.op(Op::Ult, 1, &[sum, limit]);
    let is_equal = arena.op(Op::Eq, 1, &[x, y]);
    let exprs = arena.exprs();
    let mut solver = patient();
    let Answer::Sat(model) =
        ask(&mut solver, &exprs, &[Constraint::IsTrue(is_below), Constraint::IsTrue(is_equal)])
    else {
        panic!("there are such numbers");
    };
    assert_eq!(model.len(), 1, "{model:?}");
    let other = ask(&mut solver, &exprs, &[Constraint::IsTrue(is_below), Constraint::IsFalse(is_below)]);
    assert_eq!(other, Answer::Unsat);
    let statistics = solver.statistics();
    assert_eq!((statistics.queries, statistics.sat, statistics.unsat), (2, 1, 1));
    assert_eq!((statistics.asserted, statistics.reused), (3, 1));
}

#[test]
fn inputs_stay_in_their_ranges() {
    let mut arena = Arena::default();
    let x = arena.input(0, 8, 250);
    let five = arena.constant(8, 5);
    let is_less = arena.op(Op::Slt, 1, &[x, five]);
    let exprs = arena.exprs();
    let mut solver = patient();
    let mut ask = |kind, range, constraint| {
        let inputs = [Input { width: 8, kind, range: Some(range) }];
        let constraints = [constraint];
        let query = Query {
            exprs: &exprs,
            constraints: &constraints,
            inputs: &inputs,
            values: &[250],
            deadline: None,
        };
        solver.solve(&query)
    };
    let only = |value: u128| Answer::Sat([(0, value)].into());
    assert_eq!(ask(InputKind::Signed, (4, 9), Constraint::IsTrue(is_less)), only(4));
    assert_eq!(ask(InputKind::Signed, (-1000, -128), Constraint::IsTrue(is_less)), only(0x80));
    assert_eq!(ask(InputKind::Signed, (5, 1000), Constraint::IsTrue(is_less)), Answer::Unsat);
    assert_eq!(ask(InputKind::Unsigned, (255, 300), Constraint::IsTrue(is_less)), only(255));
    assert_eq!(ask(InputKind::Unsigned, (300, 400), Constraint::IsTrue(is_less)), Answer::Unsat);
}

#[test]
fn floats_are_solved_and_comparisons_know_nan() {
    let mut arena = Arena::default();
    let x = arena.input(0, 64, u128::from(1.5f64.to_bits()));
    let product = arena.op(Op::FMul, 64, &[x, x]);
    let four = arena.constant(64, 4f64.to_bits());
    let is_four = arena.op(Op::FEq, 1, &[product, four]);
    let is_nan = arena.op(Op::FUno, 1, &[product, product]);
    let exprs = arena.exprs();
    let mut solver = Z3::default();
    for constraints in [vec![Constraint::IsTrue(is_four)], vec![Constraint::IsTrue(is_nan)]] {
        let Answer::Sat(model) = ask_about(InputKind::Float, &mut solver, &exprs, &constraints) else {
            panic!("{constraints:?}")
        };
        assert!(holds(&exprs, &constraints, &model), "{model:?}");
    }
    let both = [Constraint::IsTrue(is_four), Constraint::IsTrue(is_nan)];
    assert_eq!(ask_about(InputKind::Float, &mut solver, &exprs, &both), Answer::Unsat);
}

#[test]
fn conversions_are_solved_inside_and_outside_of_the_integers() {
    let mut arena = Arena::default();
    let x = arena.input(0, 64, u128::from(1.5f64.to_bits()));
    let integer = arena.op(Op::FToS, 32, &[x]);
    let zero = arena.constant(64, 0);
    let is_positive = arena.op(Op::FLt, 1, &[zero, x]);
    let exprs = arena.exprs();
    let mut solver = patient();
    for value in [5, 0xffff_fff0, 0x8000_0000] {
        let constraints = [Constraint::Equals(integer, value)];
        let Answer::Sat(model) = ask(&mut solver, &exprs, &constraints) else { panic!("{value}") };
        assert!(holds(&exprs, &constraints, &model), "{model:?}");
    }
    let negative = [Constraint::Equals(integer, 0xffff_fff0), Constraint::IsTrue(is_positive)];
    assert_eq!(ask(&mut solver, &exprs, &negative), Answer::Unsat);
}

#[test]
fn bits_of_computed_floats_are_known_unless_they_are_nan() {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, u128::from(1.5f32.to_bits()));
    let root = arena.op(Op::FSqrt, 32, &[x]);
    let top = arena.extract(9, root, 23);
    let exprs = arena.exprs();
    let mut solver = patient();
    let two = [Constraint::Equals(top, 128)];
    let Answer::Sat(model) = ask(&mut solver, &exprs, &two) else { panic!("from 4 to below 16") };
    assert!(holds(&exprs, &two, &model), "{model:?}");
    // A negative number has no root, only minus zero has a negative one.
    assert_eq!(ask(&mut solver, &exprs, &[Constraint::Equals(top, 0x17f)]), Answer::Unsat);
    assert_eq!(
        ask(&mut solver, &exprs, &[Constraint::Equals(top, 0x100)]),
        Answer::Sat([(0, 1 << 31)].into())
    );
}

#[test]
fn unknown_functions_give_equal_results_for_equal_arguments() {
    let mut arena = Arena::default();
    let x = arena.input(0, 64, u128::from(1.5f64.to_bits()));
    let sine = arena.app(Function::sin, &[x]);
    let again = arena.app(Function::sin, &[x]);
    let rest = arena.op(Op::FRem, 64, &[sine, x]);
    let one = arena.constant(64, 1f64.to_bits());
    let differ = arena.op(Op::FLt, 1, &[sine, again]);
    let is_one = arena.op(Op::FEq, 1, &[rest, one]);
    let exprs = arena.exprs();
    let mut solver = patient();
    assert_eq!(ask(&mut solver, &exprs, &[Constraint::IsTrue(differ)]), Answer::Unsat);
    let answer = ask(&mut solver, &exprs, &[Constraint::IsTrue(is_one)]);
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}

#[test]
fn constraints_that_say_nothing_or_the_impossible_are_understood() {
    let mut arena = Arena::default();
    let x = arena.input(0, 8, 1);
    let exprs = arena.exprs();
    let mut solver = patient();
    let sat = Answer::Sat([].into());
    assert_eq!(ask(&mut solver, &exprs, &[]), sat);
    assert_eq!(ask(&mut solver, &exprs, &[Constraint::Nothing]), sat);
    assert_eq!(ask(&mut solver, &exprs, &[Constraint::NoneOf(x, vec![])]), sat);
    assert_eq!(ask(&mut solver, &exprs, &[Constraint::OneOf(x, vec![])]), Answer::Unsat);
    assert_eq!(ask(&mut solver, &exprs, &[Constraint::Equals(x, 256)]), Answer::Unsat);
    assert_eq!(ask(&mut solver, &exprs, &[Constraint::OneOf(x, vec![256, 9])]), Answer::Sat([(0, 9)].into()));
}

#[test]
fn wide_inputs_are_read_back_whole() {
    let mut arena = Arena::default();
    let x = arena.input(0, 128, 1);
    let exprs = arena.exprs();
    let value = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;
    let answer = ask(&mut patient(), &exprs, &[Constraint::Equals(x, value)]);
    assert_eq!(answer, Answer::Sat([(0, value)].into()));
}

/// A random tower of operations over two 8-bit inputs, and constraints on some of them.
pub(super) fn any_problem() -> impl Strategy<Value = (Exprs, Vec<Constraint>)> {
    let step = (0usize..OPS.len(), any::<[prop::sample::Index; 3]>());
    let steps = prop::collection::vec(step, 3..14);
    let claim = (any::<prop::sample::Index>(), any::<bool>(), any::<u8>());
    (steps, prop::collection::vec(claim, 1..6), any::<[u8; 2]>()).prop_map(|(steps, claims, values)| {
        let mut arena = Arena::default();
        let mut bytes = vec![arena.input(0, 8, values[0].into()), arena.input(1, 8, values[1].into())];
        bytes.push(arena.constant(8, 3));
        bytes.push(arena.constant(8, 0xf0));
        let mut bits = vec![arena.op(Op::Ult, 1, &[bytes[0], bytes[1]])];
        for (op, places) in steps {
            add(&mut arena, OPS[op], places, &mut bytes, &mut bits);
        }
        let claims = claims.into_iter().map(|(place, is_bit, value)| match (is_bit, value % 4) {
            (true, 0 | 1) => Constraint::IsTrue(*place.get(&bits)),
            (true, _) => Constraint::IsFalse(*place.get(&bits)),
            (false, 0) => Constraint::Equals(*place.get(&bytes), value.into()),
            (false, 1) => Constraint::OneOf(*place.get(&bytes), vec![value.into(), 0, 7]),
            (false, _) => Constraint::NoneOf(*place.get(&bytes), vec![value.into(), 0]),
        });
        (arena.exprs(), claims.collect())
    })
}

const OPS: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::Ite,
    Op::Ctpop,
    Op::Ctlz,
    Op::Cttz,
    Op::Bitreverse,
    Op::Not,
    Op::Eq,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
    Op::SAddO,
    Op::UAddO,
    Op::SSubO,
    Op::USubO,
    Op::SMulO,
    Op::UMulO,
];

fn add(
    arena: &mut Arena,
    op: Op,
    places: [prop::sample::Index; 3],
    bytes: &mut Vec<ExprId>,
    bits: &mut Vec<ExprId>,
) {
    let [a, b, c] = places;
    if op == Op::Ite {
        bytes.push(arena.op(op, 8, &[*a.get(bits), *b.get(bytes), *c.get(bytes)]));
    } else if op.is_predicate() {
        bits.push(arena.op(op, 1, &[*a.get(bytes), *b.get(bytes)]));
    } else {
        let operands: Vec<ExprId> = [a, b].iter().map(|place| *place.get(bytes)).take(op.arity()).collect();
        bytes.push(arena.op(op, 8, &operands));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn models_hold_and_unsat_is_true((exprs, constraints) in any_problem()) {
        match ask(&mut patient(), &exprs, &constraints) {
            Answer::Sat(model) => prop_assert!(holds(&exprs, &constraints, &model), "{model:?}"),
            Answer::Unsat => prop_assert!(!holds_for_some(&exprs, &constraints)),
            Answer::Unknown(reason) => prop_assert!(false, "{reason}"),
        }
    }
}

#[test]
fn time_is_counted() {
    let mut arena = Arena::default();
    let x = arena.input(0, 8, 1);
    let exprs = arena.exprs();
    let mut solver = patient();
    let start = Instant::now();
    ask(&mut solver, &exprs, &[Constraint::Equals(x, 2)]);
    let time = solver.statistics().time;
    assert!(!time.is_zero() && time <= start.elapsed());
}
