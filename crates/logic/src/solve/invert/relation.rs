//! The operands that a predicate would need to become true or false.

use testwright_abi::expr::Op;

use crate::expr::mask;
use crate::solve::distance::signed;
use crate::solve::float::{from_f64, from_ordinal, ordinal, to_f64};
use crate::solve::machine::Machine;
use crate::solve::program::Place;

/// An operand and the value it should have.
type Operand = (usize, u128);

/// Values for one operand or the other that make the predicate as wanted.
pub(super) fn operands(machine: &Machine, place: &Place, wanted: bool) -> Vec<Operand> {
    let width = machine.program.width(place.operand(0));
    let [x, y] = [0, 1].map(|which| machine.value(place.operand(which)).unwrap_or(0));
    let half = 1u128 << (width - 1);
    match (place.expr.op, wanted) {
        (Op::Eq, true) => vec![(0, y), (1, x)],
        (Op::Eq, false) => {
            let mut operands: Vec<Operand> = vec![];
            operands.extend(neighbours(width, x, &[y]).map(|value| (0, value)));
            operands.extend(neighbours(width, y, &[x]).map(|value| (1, value)));
            operands
        }
        (Op::Ult, true) => below([x, y], 1, [0, mask(width)]),
        (Op::Ule, true) => below([x, y], 0, [0, mask(width)]),
        (Op::Slt, true) => below([x, y], 1, [half, half - 1]),
        (Op::Sle, true) => below([x, y], 0, [half, half - 1]),
        (Op::Ult, false) => turned(below([y, x], 0, [0, mask(width)])),
        (Op::Ule, false) => turned(below([y, x], 1, [0, mask(width)])),
        (Op::Slt, false) => turned(below([y, x], 0, [half, half - 1])),
        (Op::Sle, false) => turned(below([y, x], 1, [half, half - 1])),
        (Op::FEq | Op::FLt | Op::FLe | Op::FUno, _) => floats(place.expr.op, width, [x, y], wanted),
        (_, false) => [0, 1, x >> 1, x >> (width / 2)]
            .into_iter()
            .map(|value| (0, value))
            .chain([0, 1, y >> 1, y >> (width / 2)].into_iter().map(|value| (1, value)))
            .collect(),
        (op, true) => overflowing(op, width, [x, y]),
    }
}

/// Values near `value` that are none of `forbidden`.
pub(super) fn neighbours(width: u32, value: u128, forbidden: &[u128]) -> impl Iterator<Item = u128> {
    let near = [value.wrapping_add(1), value.wrapping_sub(1), 0, 1, value ^ 1 << (width - 1)];
    // One more than the largest of many cases is not a case.
    let beyond = forbidden.iter().max().map(|largest| largest.wrapping_add(1));
    near.into_iter()
        .chain(beyond)
        .map(move |value| value & mask(width))
        .filter(|value| !forbidden.contains(value))
        .collect::<Vec<u128>>()
        .into_iter()
}

/// Brings `x` below `y` by at least `gap`, in an order whose ends are given.
fn below([x, y]: [u128; 2], gap: u128, [lowest, highest]: [u128; 2]) -> Vec<Operand> {
    vec![(0, y.wrapping_sub(gap)), (1, x.wrapping_add(gap)), (0, lowest), (1, highest), (0, 0), (1, 0)]
}

fn turned(operands: Vec<Operand>) -> Vec<Operand> {
    operands.into_iter().map(|(which, value)| (1 - which, value)).collect()
}

fn overflowing(op: Op, width: u32, [x, y]: [u128; 2]) -> Vec<Operand> {
    let half = 1u128 << (width - 1);
    let (lowest, highest) =
        if matches!(op, Op::UAddO | Op::USubO | Op::UMulO) { (0, mask(width)) } else { (half, half - 1) };
    let mut operands = vec![];
    for (which, other) in [(0, y), (1, x)] {
        match op {
            Op::SAddO | Op::UAddO => {
                let just_above = highest.wrapping_sub(other).wrapping_add(1);
                operands.extend([(which, just_above), (which, lowest.wrapping_sub(other).wrapping_sub(1))]);
            }
            Op::SMulO => {
                // The first factor beyond the end, in both directions.
                let other = signed(width, other);
                if other != 0 {
                    let quotient = signed(width, highest) / other;
                    let beyond = quotient.wrapping_add(other.signum());
                    let before = beyond.wrapping_add(other.signum()).wrapping_neg();
                    operands.extend([(which, beyond as u128), (which, before as u128)]);
                }
            }
            Op::UMulO => {
                operands.extend(highest.checked_div(other).map(|quotient| (which, quotient.wrapping_add(1))));
            }
            _ => {}
        }
        operands.extend([(which, highest), (which, lowest)]);
    }
    if op == Op::USubO {
        operands.extend([(0, y.wrapping_sub(1)), (1, x.wrapping_add(1))]);
    }
    if op == Op::SSubO {
        operands.push((0, lowest.wrapping_add(y).wrapping_sub(1)));
        operands.push((0, highest.wrapping_add(y).wrapping_add(1)));
        operands.push((1, x.wrapping_sub(highest).wrapping_sub(1)));
        operands.push((1, x.wrapping_sub(lowest).wrapping_add(1)));
    }
    operands
}

/// Floats: the neighbour, and the number one larger or smaller, which is nicer to read.
fn floats(op: Op, width: u32, [x, y]: [u128; 2], wanted: bool) -> Vec<Operand> {
    let next = |bits: u128, by: i128| from_ordinal(width, ordinal(width, bits).unwrap_or(0) + by);
    let plus = |bits: u128, by: f64| from_f64(width, to_f64(width, bits) + by);
    let nan = from_f64(width, f64::NAN);
    let down = |gap: i128| {
        vec![(0, plus(y, -1.0)), (1, plus(x, 1.0)), (0, next(y, -gap)), (1, next(x, gap)), (0, y), (1, x)]
    };
    let up = |gap: i128| {
        vec![(0, plus(y, 1.0)), (1, plus(x, -1.0)), (0, next(y, gap)), (1, next(x, -gap)), (0, y), (1, x)]
    };
    match (op, wanted) {
        (Op::FEq, true) => vec![(0, y), (1, x), (0, 0), (1, 0)],
        (Op::FEq, false) => up(1),
        (Op::FLt, true) => [down(1), vec![(0, 0), (1, 0)]].concat(),
        (Op::FLe, true) => [down(0), vec![(0, 0), (1, 0)]].concat(),
        (Op::FLt, false) => up(0),
        (Op::FLe, false) => up(1),
        (_, true) => vec![(0, nan), (1, nan)],
        (_, false) => vec![(0, 0), (1, 0)],
    }
}
