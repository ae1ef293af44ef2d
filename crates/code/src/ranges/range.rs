//! Ranges of values of any type: integers, floats, and what nothing is known of.

use super::float::{FloatRange, Precision};
use super::int::{IntRange, WIDEST};
use testwright_llvm::{Kind, Type};

/// What a value of a type may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// An integer.
    Int(IntRange),
    /// A float or double.
    Float(FloatRange, Precision),
    /// Anything else: pointers, aggregates, vectors, wide integers.
    Any,
}

/// Where bounds that do not come to rest are moved to.
#[derive(Debug, Default)]
pub struct Landmarks {
    integers: Vec<i128>,
    floats: Vec<f64>,
}

impl Landmarks {
    /// Landmarks at and next to the constants that a program compares with.
    pub fn new(integers: impl Iterator<Item = i128>, floats: impl Iterator<Item = f64>) -> Landmarks {
        let mut integers: Vec<i128> = integers.flat_map(|at| [at - 1, at, at + 1]).chain([0]).collect();
        integers.sort_unstable();
        integers.dedup();
        let mut floats: Vec<f64> = floats.filter(|at| !at.is_nan()).chain([-1.0, 0.0, 1.0]).collect();
        floats.sort_by(f64::total_cmp);
        floats.dedup();
        Landmarks { integers, floats }
    }

    fn integer_below(&self, value: i128) -> Option<i128> {
        let index = self.integers.partition_point(|at| *at <= value);
        index.checked_sub(1).map(|index| self.integers[index])
    }

    fn integer_above(&self, value: i128) -> Option<i128> {
        self.integers.get(self.integers.partition_point(|at| *at < value)).copied()
    }

    fn float_below(&self, value: f64) -> f64 {
        let index = self.floats.partition_point(|at| *at <= value);
        index.checked_sub(1).map_or(f64::NEG_INFINITY, |index| self.floats[index])
    }

    fn float_above(&self, value: f64) -> f64 {
        self.floats.get(self.floats.partition_point(|at| *at < value)).copied().unwrap_or(f64::INFINITY)
    }
}

impl Range {
    /// All values of a type.
    pub fn full(ty: Type<'_>) -> Range {
        match ty.kind() {
            Kind::Int if (1..=WIDEST).contains(&ty.int_width()) => Range::Int(IntRange::full(ty.int_width())),
            Kind::Float => Range::Float(FloatRange::FULL, Precision::Single),
            Kind::Double => Range::Float(FloatRange::FULL, Precision::Double),
            _ => Range::Any,
        }
    }

    /// All values of the same type.
    pub fn whole(self) -> Range {
        match self {
            Range::Int(range) => Range::Int(IntRange::full(range.width())),
            Range::Float(_, precision) => Range::Float(FloatRange::FULL, precision),
            Range::Any => Range::Any,
        }
    }

    /// A truth value, known or not.
    pub fn truth(value: Option<bool>) -> Range {
        Range::Int(value.map_or(IntRange::full(1), |value| IntRange::constant(1, u64::from(value))))
    }

    /// Whether it is true, if it is a truth value and that is known.
    pub fn is_true(self) -> Option<bool> {
        if let Range::Int(range) = self { range.truth() } else { None }
    }

    /// The values of both; nothing if there are none.
    pub fn meet(self, other: Range) -> Option<Range> {
        match (self, other) {
            (Range::Int(a), Range::Int(b)) if a.width() == b.width() => a.meet(b).map(Range::Int),
            (Range::Float(a, precision), Range::Float(b, _)) => {
                a.meet(b).map(|met| Range::Float(met, precision))
            }
            _ => Some(self),
        }
    }

    /// The values of either, and what lies between.
    pub fn join(self, other: Range) -> Range {
        match (self, other) {
            (Range::Int(a), Range::Int(b)) if a.width() == b.width() => Range::Int(a.join(b)),
            (Range::Float(a, precision), Range::Float(b, _)) => Range::Float(a.join(b), precision),
            _ => Range::Any,
        }
    }

    /// A range that holds both, in which bounds that have moved go on to the next landmark.
    pub fn widened(self, next: Range, landmarks: &Landmarks) -> Range {
        match (self, self.join(next)) {
            (Range::Int(old), Range::Int(new)) => Range::Int(widened_int(old, new, landmarks)),
            (Range::Float(old, _), Range::Float(new, precision)) => {
                let (Some(was), Some(is)) = (old.numbers(), new.numbers()) else {
                    return Range::Float(new, precision);
                };
                let low = if is.0 < was.0 { landmarks.float_below(is.0) } else { is.0 };
                let high = if is.1 > was.1 { landmarks.float_above(is.1) } else { is.1 };
                Range::Float(FloatRange::between(low, high).or_nan(new.may_be_nan()), precision)
            }
            (_, joined) => joined,
        }
    }
}

fn widened_int(old: IntRange, new: IntRange, landmarks: &Landmarks) -> IntRange {
    let move_on = |was: (i128, i128), is: (i128, i128), whole: (i128, i128)| {
        let low = if is.0 < was.0 { landmarks.integer_below(is.0) } else { Some(is.0) };
        let high = if is.1 > was.1 { landmarks.integer_above(is.1) } else { Some(is.1) };
        (low.unwrap_or(whole.0).max(whole.0), high.unwrap_or(whole.1).min(whole.1))
    };
    let full = IntRange::full(new.width());
    let signed = move_on(old.signed(), new.signed(), full.signed());
    let unsigned = move_on(old.unsigned(), new.unsigned(), full.unsigned());
    IntRange::wrapped(new.width(), Some(signed), Some(unsigned))
}
