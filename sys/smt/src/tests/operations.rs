//! Every operation, on random operands: Z3 and the evaluator agree on its value.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use testwright_abi::expr::Op;
use testwright_abi::libm::Function;
use testwright_logic::expr::eval::Evaluator;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::Constraint;
use testwright_logic::solve::Answer;

use crate::Z3;
use crate::testing::{Arena, ask, patient};

/// Numbers near zero, near the ends of their range, and floats of all kinds are drawn more often than chance
/// would.
fn any_number() -> impl Strategy<Value = u128> {
    let edge =
        (0u32..128, 0u128..3).prop_map(|(bit, offset)| (1u128 << bit).wrapping_add(offset).wrapping_sub(1));
    let doubles: Vec<f64> =
        vec![0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324];
    let doubles: Vec<u128> = doubles.into_iter().map(|number| u128::from(number.to_bits())).collect();
    let near: Vec<f64> = vec![31.0, 32.0, 63.0, 64.0, 127.0, 128.0].into_iter().map(f64::exp2).collect();
    let near = (prop::sample::select(near), any::<bool>(), -2i64..3, any::<bool>());
    let powers = near.prop_map(|(power, minus, steps, single)| {
        let number = if minus { -power } else { power };
        if single {
            u128::from((number as f32).to_bits().wrapping_add_signed(steps as i32))
        } else {
            u128::from(number.to_bits().wrapping_add_signed(steps))
        }
    });
    let small = (-300i64..300).prop_map(|eighths| u128::from((eighths as f64 / 8.0).to_bits()));
    let small_single = (-300i64..300).prop_map(|eighths| u128::from((eighths as f32 / 8.0).to_bits()));
    prop_oneof![
        any::<u128>(),
        any::<u64>().prop_map(u128::from),
        edge,
        0u128..140,
        (0u128..4).prop_map(|small| u128::MAX - small),
        prop::sample::select(doubles),
        powers,
        small,
        small_single
    ]
}

/// The widths that an operation can have: of its result and of its operands.
fn widths(op: Op) -> Vec<(u16, Vec<u16>)> {
    let integer = [1, 2, 7, 8, 16, 32, 33, 64, 128];
    let float = [32, 64];
    let same = |widths: &[u16], arity: usize| widths.iter().map(|&w| (w, vec![w; arity])).collect();
    let to_bit = |widths: &[u16]| widths.iter().map(|&w| (1, vec![w; 2])).collect();
    let pairs = |results: &[u16], operands: &[u16]| -> Vec<(u16, Vec<u16>)> {
        results.iter().flat_map(|&r| operands.iter().map(move |&o| (r, vec![o]))).collect()
    };
    match op {
        Op::Const => same(&integer[..8], 0),
        Op::Input => same(&integer, 0),
        Op::Concat => vec![(2, vec![1, 1]), (9, vec![1, 8]), (64, vec![32, 32]), (128, vec![64, 64])],
        Op::Bswap => same(&[8, 16, 24, 32, 64, 128], 1),
        Op::ZExt | Op::SExt => pairs(&[32, 64, 128], &[1, 8, 32]),
        Op::Extract => pairs(&[1, 5, 8], &[8, 32, 128]),
        Op::Table => pairs(&[8, 16, 24, 64], &[64]),
        Op::Ite => integer.iter().map(|&w| (w, vec![1, w, w])).collect(),
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => to_bit(&float),
        _ if op.is_predicate() => to_bit(&integer),
        Op::FToS | Op::FToU => pairs(&[1, 8, 31, 32, 33, 64, 65, 128], &float),
        Op::SToF | Op::UToF => pairs(&float, &[1, 8, 32, 64, 65, 128]),
        Op::FToF => vec![(32, vec![64]), (64, vec![32])],
        Op::FFma => same(&float, 3),
        Op::App => vec![(64, vec![64])],
        _ if op as u8 >= 40 => same(&float, op.arity()),
        _ => same(&integer, op.arity()),
    }
}

/// An operation on inputs, and the inputs.
fn build(op: Op, width: u16, operands: &[u16], numbers: &[u128]) -> (Exprs, ExprId, Vec<ExprId>) {
    let mut arena = Arena::default();
    let number = |place: usize| numbers[place] & (u128::MAX >> (128 - operands[place]));
    let inputs: Vec<ExprId> =
        (0..operands.len()).map(|place| arena.input(place as u32, operands[place], number(place))).collect();
    let id = match op {
        Op::Const => arena.constant(width, (numbers[0] & (u128::MAX >> (128 - width))) as u64),
        Op::Input => arena.input(0, width, numbers[0] & (u128::MAX >> (128 - width))),
        Op::Extract => {
            let low = numbers[1] % u128::from(operands[0].saturating_sub(width) + 1);
            arena.extract(width, inputs[0], low as u32)
        }
        Op::App => arena.app(Function::sin, &inputs),
        Op::Table => {
            let bytes: Vec<u8> = (0..21u8).map(|place| place.wrapping_mul(73) / (place % 3 + 1)).collect();
            arena.table(width, &bytes, inputs[0])
        }
        _ => arena.op(op, width, &inputs),
    };
    (arena.exprs(), id, inputs)
}

/// Compares what Z3 says about an operation on these numbers with what the evaluator says.
fn check(solver: &mut Z3, op: Op, width: u16, operands: &[u16], numbers: &[u128]) {
    let (exprs, id, inputs) = build(op, width, operands, numbers);
    let values = exprs.recorded_inputs();
    let mut is = |last: Constraint| {
        let mut constraints: Vec<Constraint> =
            inputs.iter().zip(&values).map(|(&input, &value)| Constraint::Equals(input, value)).collect();
        constraints.push(last);
        ask(solver, &exprs, &constraints)
    };
    let about = format!("{op:?} {width} {operands:?} {values:x?}");
    let sat = Answer::Sat([].into());
    let Ok(value) = Evaluator::recorded(&exprs).value(id) else {
        assert_eq!(is(Constraint::NoneOf(id, vec![])), Answer::Unsat, "{about} has no value");
        return;
    };
    if op == Op::Input {
        assert_eq!(is(Constraint::Equals(id, value)), sat, "{about} = {value:#x}");
        return;
    }
    assert_eq!(is(Constraint::OneOf(id, vec![value])), sat, "{about} = {value:#x}");
    let is_nan = exprs.get(id).computes_float() && is_nan(width, value);
    if !is_nan && !matches!(op, Op::App | Op::FRem) {
        assert_eq!(is(Constraint::NoneOf(id, vec![value])), Answer::Unsat, "{about} != {value:#x}");
    }
}

fn is_nan(width: u16, bits: u128) -> bool {
    if width == 32 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits as u64).is_nan() }
}

/// Checks operations on `count` choices of operands per width.
fn check_operations(ops: impl IntoIterator<Item = Op>, count: usize) {
    let mut solver = patient();
    let mut runner = TestRunner::deterministic();
    let numbers = [any_number(), any_number(), any_number()];
    for op in ops {
        for (width, operands) in widths(op) {
            for _ in 0..count {
                let numbers = numbers.new_tree(&mut runner).expect("numbers").current();
                check(&mut solver, op, width, &operands, &numbers);
            }
        }
    }
}

fn is_on_floats(op: Op) -> bool {
    matches!(op as u8, 40..=70)
}

#[test]
fn operations_on_bits_have_the_values_of_the_evaluator() {
    check_operations(Op::ALL.iter().copied().filter(|&op| !is_on_floats(op)), 30);
}

#[test]
fn operations_on_floats_have_the_values_of_the_evaluator() {
    check_operations(Op::ALL.iter().copied().filter(|&op| is_on_floats(op)), 12);
}

#[test]
fn a_bit_has_two_values_in_every_operation() {
    let mut solver = patient();
    for &op in Op::ALL {
        for (width, operands) in widths(op) {
            if !operands.is_empty() && operands.iter().all(|&operand| operand == 1) {
                for bits in 0..1u128 << operands.len() {
                    check(&mut solver, op, width, &operands, &[bits & 1, bits >> 1 & 1, bits >> 2 & 1]);
                }
            }
        }
    }
}

#[test]
fn table_reads_are_exact_at_every_offset_and_stay_inside() {
    let mut solver = patient();
    for width in [8, 16, 64] {
        for offset in (0..24).chain([u128::from(u64::MAX), 1 << 32]) {
            check(&mut solver, Op::Table, width, &[64], &[offset, 0, 0]);
        }
    }
}
