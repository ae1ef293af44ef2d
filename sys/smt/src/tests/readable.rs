//! Readable models: where there is a choice, inputs stay as they are, or become small or printable.

use testwright_abi::expr::Op;
use testwright_logic::expr::Exprs;
use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, InputKind, Model, Query, Solve};

use crate::testing::{Arena, holds, inputs, patient};

fn model(exprs: &Exprs, kind: InputKind, constraints: &[Constraint]) -> Model {
    let (inputs, values) = (inputs(exprs, kind), exprs.recorded_inputs());
    let query = Query { exprs, constraints, inputs: &inputs, values: &values, deadline: None };
    match patient().solve(&query) {
        Answer::Sat(model) => {
            assert!(holds(exprs, constraints, &model), "{model:?}");
            model
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn inputs_that_the_last_constraint_does_not_need_stay() {
    let mut arena = Arena::default();
    let mut constraints = vec![];
    let limit = arena.constant(32, 1000);
    for index in 0..8 {
        let x = arena.input(index, 32, u128::from(index) + 10);
        constraints.push(Constraint::IsTrue(arena.op(Op::Ult, 1, &[x, limit])));
    }
    let last = arena.exprs().id(2).expect("the first input");
    constraints.push(Constraint::Equals(last, 77));
    let model = model(&arena.exprs(), InputKind::Unsigned, &constraints);
    assert_eq!(model, [(0, 77)].into());
}

#[test]
fn integers_become_small_if_they_can() {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, 5);
    let y = arena.input(1, 32, 5);
    let five = arena.constant(32, 5);
    let different = [x, y].map(|input| Constraint::IsFalse(arena.op(Op::Ule, 1, &[input, five])));
    let product = arena.op(Op::Mul, 32, &[x, y]);
    let mut constraints = different.to_vec();
    constraints.push(Constraint::NoneOf(product, vec![36, 0]));
    for kind in [InputKind::Signed, InputKind::Unsigned] {
        let model = model(&arena.exprs(), kind, &constraints);
        assert!(model.len() == 2 && model.values().all(|&value| value < 128), "{model:?}");
    }
}

#[test]
fn characters_become_printable_if_they_can() {
    let mut arena = Arena::default();
    let x = arena.input(0, 8, 0);
    let constraints = [Constraint::NoneOf(x, vec![0, 1, 2, 3, 255])];
    let model = model(&arena.exprs(), InputKind::Character, &constraints);
    assert!((0x20..=0x7e).contains(&model[&0]), "{model:?}");
}

#[test]
fn floats_become_short_if_they_can() {
    let mut arena = Arena::default();
    let x = arena.input(0, 64, 0);
    let limit = arena.constant(64, 0.3f64.to_bits());
    let is_more = arena.op(Op::FLt, 1, &[limit, x]);
    let model = model(&arena.exprs(), InputKind::Float, &[Constraint::IsTrue(is_more)]);
    let number = f64::from_bits(model[&0] as u64);
    assert!(number < 200_000.0 && number * 24f64.exp2() % 1.0 == 0.0, "{number}");
}

#[test]
fn values_without_a_choice_are_taken_as_they_are() {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, 5);
    let y = arena.input(1, 32, 5);
    let sum = arena.op(Op::Add, 32, &[x, y]);
    let constraints = [Constraint::Equals(x, 123_456), Constraint::Equals(sum, 0)];
    let model = model(&arena.exprs(), InputKind::Signed, &constraints);
    assert_eq!(model, [(0, 123_456), (1, u128::from(-123_456i32 as u32))].into());
}
