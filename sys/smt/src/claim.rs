//! Claims: constraints and ranges as truth values of Z3.

use testwright_logic::path::Constraint;
use testwright_logic::solve::{Input, InputKind};
use z3::ast::{BV, Bool};

use crate::native::float_from_bits;
use crate::term::{Term, literal};

/// What the constraint says about the expression with this term. Conditions that come with it are added to
/// `conditions`.
pub(crate) fn constraint(constraint: &Constraint, term: &Term, conditions: &mut Vec<Bool>) -> Bool {
    let mut any_of = |values: &[u128]| {
        let claims: Vec<Bool> = values.iter().map(|&value| equals(term, value, conditions)).collect();
        Bool::or(&claims)
    };
    match constraint {
        Constraint::IsTrue(_) => any_of(&[1]),
        Constraint::IsFalse(_) => any_of(&[0]),
        Constraint::Equals(_, value) => any_of(&[*value]),
        Constraint::OneOf(_, values) => any_of(values),
        Constraint::NoneOf(_, values) => any_of(values).not(),
        Constraint::Nothing => Bool::from_bool(true),
    }
}

fn equals(term: &Term, value: u128, conditions: &mut Vec<Bool>) -> Bool {
    let width = term.width();
    if value & !mask(width) != 0 {
        return Bool::from_bool(false);
    }
    if width == 1 {
        return if value == 1 { term.boolean().clone() } else { term.boolean().not() };
    }
    // A float equals another one in Z3 if their bits do, or both are NaN.
    if term.is_float() && !is_nan(width, value) {
        return term.float().eq(float_from_bits(&literal(width, value), width));
    }
    let (bits, condition) = term.bits();
    conditions.extend(condition);
    bits.eq(literal(width, value))
}

fn is_nan(width: u32, bits: u128) -> bool {
    if width == 32 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits as u64).is_nan() }
}

/// That an input lies in its range, if it has one.
pub(crate) fn range(input: &Input, bits: &BV) -> Option<Bool> {
    let (low, high) = input.range?;
    let width = input.width;
    let is_signed = input.kind == InputKind::Signed;
    let (least, most) = match (is_signed, width) {
        (true, _) => (i128::MIN >> (128 - width), i128::MAX >> (128 - width)),
        (false, 128) => (0, i128::MAX),
        (false, _) => (0, mask(width) as i128),
    };
    let (from, to) = (low.max(least), high.min(most));
    if from > to {
        return Some(Bool::from_bool(false));
    }
    let [from_literal, to_literal] = [from, to].map(|end| literal(width, end as u128 & mask(width)));
    let above = if is_signed { bits.bvsge(&from_literal) } else { bits.bvuge(&from_literal) };
    let below = if is_signed { bits.bvsle(&to_literal) } else { bits.bvule(&to_literal) };
    Some(Bool::and(&[above, below]))
}

/// The lowest `width` bits set.
pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}
