//! Operations on ranges of integers: every result of operands from the ranges lies in the range of the result.
//!
//! Bounds are computed exactly in 128 bits and then wrapped. What divides by zero or shifts too far has no result.

use super::int::{IntRange, WIDEST};
use super::module::{End, Sign};
use testwright_llvm::Opcode;

type Bounds = (i128, i128);

/// The result of a binary operation.
pub fn binary(opcode: Opcode, a: IntRange, b: IntRange) -> IntRange {
    let width = a.width();
    let both = |operation: fn(Bounds, Bounds) -> Option<Bounds>| {
        let signed = operation(a.signed(), b.signed());
        IntRange::wrapped(width, signed, operation(a.unsigned(), b.unsigned()))
    };
    match opcode {
        Opcode::LLVMAdd => both(|a, b| Some((a.0 + b.0, a.1 + b.1))),
        Opcode::LLVMSub => both(|a, b| Some((a.0 - b.1, a.1 - b.0))),
        Opcode::LLVMMul => both(|a, b| corners(&[a.0, a.1], &[b.0, b.1], i128::checked_mul)),
        Opcode::LLVMUDiv => {
            let b = b.unsigned();
            let divisors = [b.0.max(1), b.1.max(1)];
            let (low, high) = a.unsigned();
            IntRange::wrapped(width, None, corners(&[low, high], &divisors, i128::checked_div))
        }
        Opcode::LLVMSDiv => IntRange::wrapped(width, quotient(a.signed(), b.signed()), None),
        Opcode::LLVMURem => IntRange::wrapped(width, None, remainder(a.unsigned(), b.unsigned())),
        Opcode::LLVMSRem => IntRange::wrapped(width, remainder(a.signed(), b.signed()), None),
        Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor => bitwise(opcode, a, b),
        Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => shift(opcode, a, b),
        _ => IntRange::full(width),
    }
}

/// Whether the exact result of an operation leaves its type, if that is known.
pub fn overflows(opcode: Opcode, sign: Sign, a: IntRange, b: IntRange) -> Option<bool> {
    let (low, high) = exact(opcode, a.read(sign), b.read(sign))?;
    let whole = IntRange::full(a.width()).read(sign);
    if whole.0 <= low && high <= whole.1 {
        Some(false)
    } else {
        (high < whole.0 || whole.1 < low).then_some(true)
    }
}

/// The result of an operation that does not leave its type; none if it always does.
pub fn without_overflow(opcode: Opcode, sign: Sign, a: IntRange, b: IntRange) -> Option<IntRange> {
    let full = IntRange::full(a.width());
    exact(opcode, a.read(sign), b.read(sign)).map_or(Some(full), |(low, high)| full.within(sign, low, high))
}

fn exact(opcode: Opcode, a: Bounds, b: Bounds) -> Option<Bounds> {
    match opcode {
        Opcode::LLVMAdd => Some((a.0 + b.0, a.1 + b.1)),
        Opcode::LLVMSub => Some((a.0 - b.1, a.1 - b.0)),
        Opcode::LLVMMul => corners(&[a.0, a.1], &[b.0, b.1], i128::checked_mul),
        _ => None,
    }
}

/// Least and most over all pairs; none if one of them has no result.
fn corners(a: &[i128], b: &[i128], operation: fn(i128, i128) -> Option<i128>) -> Option<Bounds> {
    let results: Option<Vec<i128>> =
        a.iter().flat_map(|a| b.iter().map(move |b| operation(*a, *b))).collect();
    let results = results?;
    Some((*results.iter().min()?, *results.iter().max()?))
}

/// A quotient rounds towards zero, so it is largest next to zero.
fn quotient(a: Bounds, b: Bounds) -> Option<Bounds> {
    let divisors: Vec<i128> = [b.0, -1, 1, b.1]
        .into_iter()
        .filter(|divisor| *divisor != 0 && b.0 <= *divisor && *divisor <= b.1)
        .collect();
    corners(&[a.0, a.1], &divisors, i128::checked_div)
}

/// A remainder is smaller than the divisor, no larger than the dividend, and has its sign.
fn remainder(a: Bounds, b: Bounds) -> Option<Bounds> {
    let most = b.0.abs().max(b.1.abs()) - 1;
    if most < 0 {
        return None;
    }
    let least_divisor = if b.0 > 0 {
        b.0
    } else if b.1 < 0 {
        -b.1
    } else {
        1
    };
    if a.0 > -least_divisor && a.1 < least_divisor {
        return Some(a);
    }
    Some((a.0.min(0).max(-most), a.1.max(0).min(most)))
}

fn bitwise(opcode: Opcode, a: IntRange, b: IntRange) -> IntRange {
    let width = a.width();
    if let (Some(a), Some(b)) = (a.only(), b.only()) {
        let bits = match opcode {
            Opcode::LLVMAnd => a & b,
            Opcode::LLVMOr => a | b,
            _ => a ^ b,
        };
        return IntRange::constant(width, bits);
    }
    let ((a_low, a_high), (b_low, b_high)) = (a.unsigned(), b.unsigned());
    // Neither result has a bit above the highest one of both.
    let filled = (1i128 << (128 - (a_high | b_high).leading_zeros())) - 1;
    let unsigned = match opcode {
        Opcode::LLVMAnd => (0, a_high.min(b_high)),
        Opcode::LLVMOr => (a_low.max(b_low), filled),
        _ => (0, filled),
    };
    IntRange::wrapped(width, None, Some(unsigned))
}

fn shift(opcode: Opcode, a: IntRange, b: IntRange) -> IntRange {
    let width = a.width();
    let last = i128::from(width) - 1;
    let (low, high) = b.unsigned();
    let by = [low.min(last), high.min(last)];
    let ((signed_low, signed_high), (low, high)) = (a.signed(), a.unsigned());
    let left = |value: i128, by: i128| value.checked_mul(1i128.checked_shl(by as u32)?);
    let right = |value: i128, by: i128| value.checked_shr(by as u32);
    match opcode {
        Opcode::LLVMShl => IntRange::wrapped(
            width,
            corners(&[signed_low, signed_high], &by, left),
            corners(&[low, high], &by, left),
        ),
        Opcode::LLVMLShr => IntRange::wrapped(width, None, corners(&[low, high], &by, right)),
        _ => IntRange::wrapped(width, corners(&[signed_low, signed_high], &by, right), None),
    }
}

/// The result of a cast between integers.
pub fn cast(opcode: Opcode, a: IntRange, width: u32) -> IntRange {
    match opcode {
        Opcode::LLVMZExt => IntRange::wrapped(width, None, Some(a.unsigned())),
        Opcode::LLVMSExt => IntRange::wrapped(width, Some(a.signed()), None),
        Opcode::LLVMTrunc => IntRange::wrapped(width, Some(a.signed()), Some(a.unsigned())),
        _ => IntRange::full(width.min(WIDEST)),
    }
}

/// The smaller or larger of two.
pub fn extreme(sign: Sign, end: End, a: IntRange, b: IntRange) -> IntRange {
    let (a_bounds, b_bounds) = (a.read(sign), b.read(sign));
    let pick = |a: i128, b: i128| match end {
        End::Least => a.min(b),
        End::Most => a.max(b),
    };
    let picked = a.join(b);
    let (low, high) = (pick(a_bounds.0, b_bounds.0), pick(a_bounds.1, b_bounds.1));
    picked.within(sign, low, high).unwrap_or(picked)
}

/// The distance from zero; that of the least number is the least number again.
pub fn absolute(a: IntRange) -> IntRange {
    let (low, high) = a.signed();
    let least = if low > 0 {
        low
    } else if high < 0 {
        -high
    } else {
        0
    };
    IntRange::wrapped(a.width(), Some((least, high.abs().max(low.abs()))), None)
}
