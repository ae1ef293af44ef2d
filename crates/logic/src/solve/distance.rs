//! Distances: how far a condition is from being true, and from being false.
//!
//! The table of METHODS.md, section 1, in exact integers: the difference of the operands, plus 1 where equality
//! is not enough. Numbers that should be equal are as far apart as the shorter way around the circle of their
//! width, because arithmetic wraps; floats are as far apart as there are floats between them, which is finite
//! for infinities and the same on all scales. Conjunctions add, disjunctions take the smaller distance.

use testwright_abi::expr::Op;

use super::float::ordinal;
use crate::expr::mask;

/// The distance of what cannot be measured: a NaN, an expression without value. Larger than every other, and
/// small enough that sums of it do not overflow.
pub(super) const WORST: u128 = 1 << 96;

/// How far a truth is from its two values; one of the distances is 0 unless the truth has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Truth {
    pub(super) to_true: u128,
    pub(super) to_false: u128,
}

impl Truth {
    /// The truth of an expression without value.
    pub(super) const NONE: Truth = Truth { to_true: WORST, to_false: WORST };

    /// A truth that is known only by its value.
    pub(super) fn opaque(value: bool) -> Truth {
        Truth::new(value, 1)
    }

    /// A truth that never changes.
    pub(super) fn fixed(value: bool) -> Truth {
        Truth::new(value, WORST)
    }

    fn new(value: bool, distance: u128) -> Truth {
        let distance = distance.min(WORST);
        if value {
            Truth { to_true: 0, to_false: distance }
        } else {
            Truth { to_true: distance, to_false: 0 }
        }
    }

    pub(super) fn opposite(self) -> Truth {
        Truth { to_true: self.to_false, to_false: self.to_true }
    }

    pub(super) fn both(self, other: Truth) -> Truth {
        Truth {
            to_true: (self.to_true + other.to_true).min(WORST),
            to_false: self.to_false.min(other.to_false),
        }
    }

    pub(super) fn either(self, other: Truth) -> Truth {
        self.opposite().both(other.opposite()).opposite()
    }

    pub(super) fn differ(self, other: Truth) -> Truth {
        self.both(other.opposite()).either(self.opposite().both(other))
    }

    /// `then` if this is true, else `other`.
    pub(super) fn choose(self, then: Truth, other: Truth) -> Truth {
        let way = |then: u128, other: u128| (self.to_true + then).min(self.to_false + other).min(WORST);
        Truth { to_true: way(then.to_true, other.to_true), to_false: way(then.to_false, other.to_false) }
    }
}

/// The truth of a predicate on operands of `width` bits that has this value.
pub(super) fn compare(op: Op, width: u32, [x, y]: [u128; 2], value: bool) -> Truth {
    match op {
        Op::Eq => equal(circular(width, x, y)),
        Op::Ult => less(x, y),
        Op::Ule => less(y, x).opposite(),
        Op::Slt => less(biased(width, x), biased(width, y)),
        Op::Sle => less(biased(width, y), biased(width, x)).opposite(),
        Op::FEq | Op::FLt | Op::FLe => match (ordinal(width, x), ordinal(width, y)) {
            (Some(x), Some(y)) => match op {
                Op::FEq => equal(x.abs_diff(y)),
                Op::FLt => less_ordinal(x, y),
                _ => less_ordinal(y, x).opposite(),
            },
            _ => Truth { to_true: WORST, to_false: 0 },
        },
        Op::FUno => Truth::opaque(ordinal(width, x).is_none() || ordinal(width, y).is_none()),
        // There is no exact arithmetic on products of wide numbers.
        _ if width > 64 => Truth::opaque(value),
        _ => overflow(op, width, x, y),
    }
}

/// The shorter way between two numbers, around the end of the range if need be.
pub(super) fn circular(width: u32, x: u128, y: u128) -> u128 {
    let difference = x.wrapping_sub(y) & mask(width);
    difference.min(difference.wrapping_neg() & mask(width)).min(WORST)
}

/// Signed order as unsigned order.
pub(super) fn biased(width: u32, x: u128) -> u128 {
    x ^ 1 << (width - 1)
}

fn equal(distance: u128) -> Truth {
    Truth::new(distance == 0, distance.max(1))
}

fn less(x: u128, y: u128) -> Truth {
    if x < y { Truth::new(true, y - x) } else { Truth::new(false, (x - y).saturating_add(1)) }
}

fn less_ordinal(x: i128, y: i128) -> Truth {
    if x < y { Truth::new(true, y.abs_diff(x)) } else { Truth::new(false, x.abs_diff(y) + 1) }
}

/// How far the exact result is from leaving, or from coming back into, the range of the width, at most 64.
fn overflow(op: Op, width: u32, x: u128, y: u128) -> Truth {
    let is_signed = matches!(op, Op::SAddO | Op::SSubO | Op::SMulO);
    let number = |bits: u128| if is_signed { signed(width, bits) } else { bits as i128 };
    let (low, high) = if is_signed {
        (signed(width, 1 << (width - 1)), (mask(width) >> 1) as i128)
    } else {
        (0, mask(width) as i128)
    };
    let result = match op {
        Op::SAddO | Op::UAddO => number(x).checked_add(number(y)),
        Op::SSubO | Op::USubO => number(x).checked_sub(number(y)),
        _ => number(x).checked_mul(number(y)),
    };
    match result {
        None => Truth::new(true, WORST),
        Some(result) if result > high => Truth::new(true, result.abs_diff(high)),
        Some(result) if result < low => Truth::new(true, low.abs_diff(result)),
        // An unsigned difference leaves its range only below, a sum or product only above.
        Some(result) if op == Op::USubO => Truth::new(false, result.abs_diff(low) + 1),
        Some(result) if matches!(op, Op::UAddO | Op::UMulO) => Truth::new(false, high.abs_diff(result) + 1),
        Some(result) => Truth::new(false, high.abs_diff(result).min(result.abs_diff(low)) + 1),
    }
}

/// The `width` bits of `x` as a signed number.
pub(super) fn signed(width: u32, x: u128) -> i128 {
    (x << (128 - width)) as i128 >> (128 - width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::float::from_f64;

    fn check(op: Op, [x, y]: [i128; 2], expected: (u128, u128)) {
        let bits = |x: i128| x as u128 & mask(32);
        let value = expected.0 == 0;
        let Truth { to_true, to_false } = compare(op, 32, [bits(x), bits(y)], value);
        assert_eq!((to_true, to_false), expected, "{op:?} {x} {y}");
    }

    #[test]
    fn distances_are_those_of_the_table() {
        check(Op::Eq, [7, 7], (0, 1));
        check(Op::Eq, [7, 10], (3, 0));
        check(Op::Slt, [10, 7], (4, 0));
        check(Op::Slt, [7, 10], (0, 3));
        check(Op::Sle, [10, 7], (3, 0));
        check(Op::Sle, [7, 7], (0, 1));
        check(Op::Ult, [-1, 7], ((1 << 32) - 7, 0));
        check(Op::Slt, [-1, 7], (0, 8));
    }

    #[test]
    fn equality_is_reached_the_shorter_way_around() {
        check(Op::Eq, [-1, 1], (2, 0));
        check(Op::Eq, [i128::from(i32::MIN), i128::from(i32::MAX)], (1, 0));
    }

    #[test]
    fn overflow_is_as_far_as_the_exact_result_is_from_the_end_of_the_range() {
        check(Op::SAddO, [i128::from(i32::MAX), 0], (1, 0));
        check(Op::SAddO, [i128::from(i32::MAX), 5], (0, 5));
        check(Op::SSubO, [i128::from(i32::MIN), -3], (4, 0));
        check(Op::USubO, [5, 3], (3, 0));
        check(Op::UMulO, [1 << 16, 1 << 16], (0, 1));
    }

    #[test]
    fn floats_are_apart_by_the_floats_between_them() {
        let truth = |op, x: f64, y: f64| {
            let truth = compare(op, 64, [from_f64(64, x), from_f64(64, y)], false);
            (truth.to_true, truth.to_false)
        };
        assert_eq!(truth(Op::FEq, 0.0, -0.0), (0, 1));
        assert_eq!(truth(Op::FEq, f64::MAX, f64::INFINITY), (1, 0));
        assert_eq!(truth(Op::FLt, 1.0, 1.0), (1, 0));
        assert_eq!(truth(Op::FLt, 1.0, 1.0f64.next_up()), (0, 1));
        assert_eq!(truth(Op::FLe, 1.0, f64::NAN), (WORST, 0));
        assert_eq!(truth(Op::FUno, 1.0, f64::NAN), (0, 1));
        assert!(truth(Op::FEq, 1.0, 2.0) < truth(Op::FEq, 1.0, 4.0));
    }

    #[test]
    fn conjunctions_add_and_disjunctions_take_the_nearer() {
        let [near, far] = [2, 5].map(|distance| Truth { to_true: distance, to_false: 0 });
        assert_eq!(near.both(far), Truth { to_true: 7, to_false: 0 });
        assert_eq!(near.either(far), Truth { to_true: 2, to_false: 0 });
        assert_eq!(near.differ(far.opposite()), Truth { to_true: 0, to_false: 2 });
        assert_eq!(near.choose(far, Truth::fixed(true)), Truth { to_true: 0, to_false: 2 });
    }
}
