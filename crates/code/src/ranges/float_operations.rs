//! Operations on ranges of floats: every result of operands from the ranges lies in the range of the result.

use super::float::{FloatRange, Precision};
use super::int::IntRange;
use super::module::Sign;
use testwright_llvm::Opcode;

/// The result of a binary operation.
pub fn binary(opcode: Opcode, a: FloatRange, b: FloatRange, precision: Precision) -> FloatRange {
    let nan = a.may_be_nan() || b.may_be_nan();
    let (Some(a), Some(b)) = (a.numbers(), b.numbers()) else { return FloatRange::NAN };
    let result = match opcode {
        Opcode::LLVMFAdd => sum(a, b, precision),
        Opcode::LLVMFSub => sum(a, (-b.1, -b.0), precision),
        Opcode::LLVMFMul => product(a, b, precision),
        Opcode::LLVMFDiv => quotient(a, b, precision),
        Opcode::LLVMFRem => remainder(a, b),
        _ => FloatRange::FULL,
    };
    result.or_nan(nan)
}

fn sum(a: (f64, f64), b: (f64, f64), precision: Precision) -> FloatRange {
    let (low, high) = (precision.round(a.0 + b.0), precision.round(a.1 + b.1));
    // Infinities of opposite signs have no sum.
    let has_nan =
        a.1 == f64::INFINITY && b.0 == f64::NEG_INFINITY || a.0 == f64::NEG_INFINITY && b.1 == f64::INFINITY;
    if low.is_nan() || high.is_nan() {
        return FloatRange::FULL;
    }
    FloatRange::between(low, high).or_nan(has_nan)
}

fn product(a: (f64, f64), b: (f64, f64), precision: Precision) -> FloatRange {
    let has_zero = |(low, high): (f64, f64)| low <= 0.0 && 0.0 <= high;
    let is_infinite = |(low, high): (f64, f64)| low.is_infinite() || high.is_infinite();
    let has_nan = has_zero(a) && is_infinite(b) || has_zero(b) && is_infinite(a);
    let at = |(a, b): (f64, f64)| {
        let value = precision.round(a * b);
        // Zero times infinity stands for zero times large numbers; other corners are for small ones times infinity.
        if value.is_nan() { 0.0 } else { value }
    };
    hull(corners(a, b).map(at)).or_nan(has_nan)
}

fn quotient(a: (f64, f64), b: (f64, f64), precision: Precision) -> FloatRange {
    let has_zero = |(low, high): (f64, f64)| low <= 0.0 && 0.0 <= high;
    let is_infinite = |(low, high): (f64, f64)| low.is_infinite() || high.is_infinite();
    let has_nan = has_zero(a) && has_zero(b) || is_infinite(a) && is_infinite(b);
    if has_zero(b) {
        // Either zero may be meant, so infinities of both signs come out.
        return FloatRange::between(f64::NEG_INFINITY, f64::INFINITY).or_nan(has_nan);
    }
    let at = |(a, b): (f64, f64)| {
        let value = precision.round(a / b);
        // Infinity by infinity stands for finite numbers by infinity; other corners are for infinity by finite ones.
        if value.is_nan() { 0.0 } else { value }
    };
    hull(corners(a, b).map(at)).or_nan(has_nan)
}

/// A remainder is exact, has the sign of the dividend, and is no larger than it and than the divisor.
fn remainder(a: (f64, f64), b: (f64, f64)) -> FloatRange {
    let has_nan = a.0.is_infinite() || a.1.is_infinite() || b.0 <= 0.0 && 0.0 <= b.1;
    let most = b.0.abs().max(b.1.abs());
    FloatRange::between(a.0.min(0.0).max(-most), a.1.max(0.0).min(most)).or_nan(has_nan)
}

fn corners(a: (f64, f64), b: (f64, f64)) -> [(f64, f64); 4] {
    [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)]
}

/// All numbers between the least and the most of these.
fn hull(numbers: [f64; 4]) -> FloatRange {
    let least = numbers.into_iter().fold(f64::INFINITY, f64::min);
    FloatRange::between(least, numbers.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// `a * b + c`, rounded once or twice, as the machine likes.
pub fn multiply_add(a: FloatRange, b: FloatRange, c: FloatRange, precision: Precision) -> FloatRange {
    let twice = binary(Opcode::LLVMFAdd, binary(Opcode::LLVMFMul, a, b, precision), c, precision);
    // The exact product lies between the neighbours of the rounded one.
    let exact = binary(Opcode::LLVMFMul, a, b, precision).unrounded(precision);
    twice.join(binary(Opcode::LLVMFAdd, exact, c, precision).unrounded(precision))
}

/// The negative.
pub fn negative(a: FloatRange) -> FloatRange {
    let numbers = a.numbers().map(|(low, high)| FloatRange::between(-high, -low));
    numbers.unwrap_or(FloatRange::NAN).or_nan(a.may_be_nan())
}

/// The distance from zero.
pub fn absolute(a: FloatRange) -> FloatRange {
    let Some((low, high)) = a.numbers() else { return FloatRange::NAN };
    let least = match low <= 0.0 && 0.0 <= high {
        true if a.has(0.0) => 0.0,
        true => 0f64.next_up(),
        false => low.abs().min(high.abs()),
    };
    FloatRange::between(least, low.abs().max(high.abs())).or_nan(a.may_be_nan())
}

/// What a number is whose distance from zero is known.
pub fn signed(absolute: FloatRange, a: FloatRange) -> FloatRange {
    let Some((low, high)) = absolute.numbers() else { return FloatRange::NAN };
    // A number of one sign keeps it.
    let least = if a.numbers().is_some_and(|(least, _)| least >= 0.0) { low } else { -high };
    let most = if a.numbers().is_some_and(|(_, most)| most <= 0.0) { -low } else { high };
    FloatRange::between(least.min(most), most.max(least)).or_nan(absolute.may_be_nan())
}

/// The result of a function that is monotone on all numbers and exact.
pub fn monotone(a: FloatRange, function: impl Fn(f64) -> f64) -> FloatRange {
    let numbers = a.numbers().map(|(low, high)| FloatRange::between(function(low), function(high)));
    numbers.unwrap_or(FloatRange::NAN).or_nan(a.may_be_nan())
}

/// The square root, which is rounded correctly.
pub fn root(a: FloatRange, precision: Precision) -> FloatRange {
    let Some((low, high)) = a.numbers() else { return FloatRange::NAN };
    let has_nan = a.may_be_nan() || low < 0.0;
    if high < 0.0 {
        return FloatRange::NAN;
    }
    let root = |value: f64| precision.round(value.max(0.0).sqrt());
    FloatRange::between(root(low), root(high)).or_nan(has_nan)
}

/// The smaller or larger of two, as far as they are numbers; `pick` says which.
pub fn extreme(a: FloatRange, b: FloatRange, pick: fn(f64, f64) -> f64) -> FloatRange {
    let nan = a.may_be_nan() || b.may_be_nan();
    let picked = match (a.numbers(), b.numbers()) {
        (Some(a), Some(b)) => FloatRange::between(pick(a.0, b.0), pick(a.1, b.1)),
        _ => FloatRange::NAN,
    };
    // Beside no number the other one is the result.
    let picked = if a.may_be_nan() { picked.join(b) } else { picked };
    let picked = if b.may_be_nan() { picked.join(a) } else { picked };
    picked.or_nan(nan)
}

/// The float nearest to an integer.
pub fn from_int((low, high): (i128, i128), precision: Precision) -> FloatRange {
    let convert = |value: i128| match precision {
        Precision::Single => f64::from(value as f32),
        Precision::Double => value as f64,
    };
    FloatRange::between(convert(low), convert(high))
}

/// A float without its fraction as an integer of this width: what lies outside has no result, so nothing is known of it.
pub fn to_int(a: FloatRange, width: u32, sign: Sign) -> IntRange {
    let full = IntRange::full(width);
    let whole = full.read(sign);
    let Some((low, high)) = a.numbers().filter(|_| !a.may_be_nan()) else { return full };
    let (low, high) = (low.trunc() as i128, high.trunc() as i128);
    if low < whole.0 || whole.1 < high {
        return full;
    }
    full.within(sign, low, high).unwrap_or(full)
}

/// The integers whose nearest floats lie in a range, read like `whole`, the bounds of their type.
pub fn integers(a: FloatRange, whole: (i128, i128), precision: Precision) -> Option<(i128, i128)> {
    let (low, high) = a.unrounded(precision).numbers()?;
    let (low, high) = ((low.ceil() as i128).max(whole.0), (high.floor() as i128).min(whole.1));
    (low <= high).then_some((low, high))
}
