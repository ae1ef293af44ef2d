//! Bounds of the functions of libm.
//!
//! They are not rounded correctly, and another libm may round otherwise, so bounds are wider than what ours computes
//! by a margin that is far above the errors of any of them.

use super::float::{FloatRange, Precision};
use super::float_operations::{absolute, extreme, monotone, root, signed};

/// Relative margin in double precision: a million times the error of a good libm.
const MARGIN: f64 = 1e-9;
/// Relative margin in single precision, likewise generous.
const SINGLE_MARGIN: f64 = 1e-4;
/// Absolute margins, for results that underflow.
const TINY: f64 = 1e-300;
const SINGLE_TINY: f64 = 1e-37;

/// A function whose results can be bounded.
#[derive(Debug)]
pub struct Bounded {
    name: &'static str,
    bound: Bound,
}

#[derive(Debug)]
enum Bound {
    Curve(Curve),
    One(fn(FloatRange, Precision) -> FloatRange),
    Two(fn(FloatRange, FloatRange, Precision) -> FloatRange),
}

/// A function of one argument that is monotone somewhere.
#[derive(Debug)]
struct Curve {
    function: fn(f64) -> f64,
    /// Where it is defined: elsewhere the result is no number.
    domain: (f64, f64),
    /// No result lies outside.
    values: (f64, f64),
    /// Where it is monotone.
    monotone: (f64, f64),
}

const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
const FINITE: (f64, f64) = (f64::MIN, f64::MAX);
const HALF_PI: f64 = std::f64::consts::FRAC_PI_2;
const PI: f64 = std::f64::consts::PI;

const NOT_NEGATIVE: (f64, f64) = (0.0, f64::INFINITY);
const UNIT: (f64, f64) = (-1.0, 1.0);

static BOUNDED: [Bounded; 35] = [
    curve("exp", f64::exp, ALL, NOT_NEGATIVE, ALL),
    curve("exp2", f64::exp2, ALL, NOT_NEGATIVE, ALL),
    curve("expm1", f64::exp_m1, ALL, (-1.0, f64::INFINITY), ALL),
    curve("log", f64::ln, NOT_NEGATIVE, ALL, ALL),
    curve("log2", f64::log2, NOT_NEGATIVE, ALL, ALL),
    curve("log10", f64::log10, NOT_NEGATIVE, ALL, ALL),
    curve("log1p", f64::ln_1p, (-1.0, f64::INFINITY), ALL, ALL),
    curve("sin", f64::sin, FINITE, UNIT, (-1.5, 1.5)),
    curve("cos", f64::cos, FINITE, UNIT, (0.0, 3.0)),
    curve("asin", f64::asin, UNIT, (-HALF_PI, HALF_PI), ALL),
    curve("acos", f64::acos, UNIT, (0.0, PI), ALL),
    curve("atan", f64::atan, ALL, (-HALF_PI, HALF_PI), ALL),
    curve("sinh", f64::sinh, ALL, ALL, ALL),
    curve("cosh", f64::cosh, ALL, (1.0, f64::INFINITY), NOT_NEGATIVE),
    curve("tanh", f64::tanh, ALL, UNIT, ALL),
    curve("cbrt", f64::cbrt, ALL, ALL, ALL),
    one("fabs", |a, _| absolute(a)),
    one("sqrt", root),
    one("floor", |a, _| monotone(a, f64::floor)),
    one("ceil", |a, _| monotone(a, f64::ceil)),
    one("trunc", |a, _| monotone(a, f64::trunc)),
    one("round", |a, _| monotone(a, f64::round)),
    one("rint", |a, _| monotone(a, f64::round_ties_even)),
    one("nearbyint", |a, _| monotone(a, f64::round_ties_even)),
    one("roundeven", |a, _| monotone(a, f64::round_ties_even)),
    two("fmin", |a, b, _| extreme(a, b, f64::min)),
    two("minnum", |a, b, _| extreme(a, b, f64::min)),
    two("minimum", |a, b, _| extreme(a, b, f64::min)),
    two("fmax", |a, b, _| extreme(a, b, f64::max)),
    two("maxnum", |a, b, _| extreme(a, b, f64::max)),
    two("maximum", |a, b, _| extreme(a, b, f64::max)),
    two("copysign", |a, _, _| signed(absolute(a), FloatRange::FULL)),
    two("pow", power),
    two("hypot", |a, b, _| FloatRange::between(0.0, f64::INFINITY).or_nan(a.may_be_nan() || b.may_be_nan())),
    two("atan2", |a, b, precision| widened(-PI, PI, precision).or_nan(a.may_be_nan() || b.may_be_nan())),
];

const fn curve(
    name: &'static str,
    function: fn(f64) -> f64,
    domain: (f64, f64),
    values: (f64, f64),
    monotone: (f64, f64),
) -> Bounded {
    Bounded { name, bound: Bound::Curve(Curve { function, domain, values, monotone }) }
}

const fn one(name: &'static str, bound: fn(FloatRange, Precision) -> FloatRange) -> Bounded {
    Bounded { name, bound: Bound::One(bound) }
}

const fn two(name: &'static str, bound: fn(FloatRange, FloatRange, Precision) -> FloatRange) -> Bounded {
    Bounded { name, bound: Bound::Two(bound) }
}

/// The function of this name, of the C library or an intrinsic, with so many arguments.
pub fn find(name: &str, arguments: usize) -> Option<&'static Bounded> {
    let takes = |bounded: &&Bounded| match bounded.bound {
        Bound::Curve(_) | Bound::One(_) => arguments == 1,
        Bound::Two(_) => arguments == 2,
    };
    BOUNDED.iter().find(|bounded| bounded.name == name).filter(takes)
}

impl Bounded {
    /// Bounds of the result.
    pub fn of(&self, arguments: &[FloatRange], precision: Precision) -> FloatRange {
        match (&self.bound, arguments) {
            (Bound::Curve(curve), [a]) => curve.of(*a, precision),
            (Bound::One(bound), [a]) => bound(*a, precision),
            (Bound::Two(bound), [a, b]) => bound(*a, *b, precision),
            _ => FloatRange::FULL,
        }
    }

    /// Whether it is the distance from zero, which tells something about its argument.
    pub fn is_absolute(&self) -> bool {
        self.name == "fabs"
    }
}

impl Curve {
    fn of(&self, a: FloatRange, precision: Precision) -> FloatRange {
        let Some((low, high)) = a.numbers() else { return FloatRange::NAN };
        let nan = a.may_be_nan() || low < self.domain.0 || self.domain.1 < high;
        let outer = widened(self.values.0, self.values.1, precision).or_nan(nan);
        let (low, high) = (low.max(self.domain.0), high.min(self.domain.1));
        if low > high {
            return FloatRange::NAN;
        }
        if low < self.monotone.0 || self.monotone.1 < high {
            return outer;
        }
        let ends = ((self.function)(low), (self.function)(high));
        let inner = widened(ends.0.min(ends.1), ends.0.max(ends.1), precision).or_nan(nan);
        inner.meet(outer).unwrap_or(outer)
    }
}

/// A power of a number that is not negative is monotone in both arguments.
fn power(a: FloatRange, b: FloatRange, precision: Precision) -> FloatRange {
    let nan = a.may_be_nan() || b.may_be_nan();
    let (Some(base), Some(exponent)) = (a.numbers(), b.numbers()) else { return FloatRange::FULL };
    // A negative zero to a negative odd power is minus infinity.
    if base.0 < 0.0 || base.0 == 0.0 && exponent.0 < 0.0 {
        return FloatRange::FULL;
    }
    let corners =
        [base.0.powf(exponent.0), base.0.powf(exponent.1), base.1.powf(exponent.0), base.1.powf(exponent.1)];
    let least = corners.into_iter().fold(f64::INFINITY, f64::min);
    let most = corners.into_iter().fold(0.0, f64::max);
    let range = widened(least, most, precision);
    let range = range.meet(FloatRange::between(0.0, f64::INFINITY)).unwrap_or(range);
    // Any power of one is one, and so is what is raised to zero, even if the other is no number.
    if nan { range.join(FloatRange::constant(1.0)).or_nan(true) } else { range }
}

/// Bounds with the margin.
fn widened(low: f64, high: f64, precision: Precision) -> FloatRange {
    let (margin, tiny, largest) = match precision {
        Precision::Single => (SINGLE_MARGIN, SINGLE_TINY, f64::from(f32::MAX)),
        Precision::Double => (MARGIN, TINY, f64::MAX),
    };
    let below = |value: f64| {
        let lower = value.min(largest) - value.abs().min(largest) * margin - tiny;
        // What is finite here may overflow in single precision, or elsewhere.
        if lower <= -largest * (1.0 - margin) { f64::NEG_INFINITY } else { lower }
    };
    FloatRange::between(below(low), -below(-high))
}
