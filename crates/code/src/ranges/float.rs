//! Ranges of floats: an interval of numbers with infinities, and whether it may be no number at all.
//!
//! Operations round to nearest, so they are monotone: the results for the ends of intervals, computed in the same
//! precision, are the ends of the results. Both zeros are one number here, so nothing is told from the sign of zero. Zero is
//! the one number that may be left out of an interval, because so much code asks for it first.

use super::order::Order;

/// How floats are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl Precision {
    /// A result of this precision. For sums, products, quotients and roots of singles, rounding twice is rounding once.
    pub fn round(self, value: f64) -> f64 {
        match self {
            Precision::Single => f64::from(value as f32),
            Precision::Double => value,
        }
    }

    /// The next number below.
    fn below(self, value: f64) -> f64 {
        match self {
            Precision::Single => {
                let nearest = value as f32;
                f64::from(if f64::from(nearest) < value { nearest } else { nearest.next_down() })
            }
            Precision::Double => value.next_down(),
        }
    }

    /// The next number above.
    fn above(self, value: f64) -> f64 {
        -self.below(-value)
    }
}

/// The values that a float may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloatRange {
    /// Least and most; the least is larger than the most if it is no number.
    low: f64,
    high: f64,
    nan: bool,
    /// Whether zero is left out although it lies between the ends.
    nonzero: bool,
}

impl FloatRange {
    /// Any float.
    pub const FULL: FloatRange =
        FloatRange { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true, nonzero: false };
    /// Just no number.
    pub const NAN: FloatRange =
        FloatRange { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true, nonzero: false };

    /// The numbers from one to another.
    pub fn between(low: f64, high: f64) -> FloatRange {
        FloatRange { low, high, nan: false, nonzero: false }
    }

    /// The one value.
    pub fn constant(value: f64) -> FloatRange {
        if value.is_nan() { FloatRange::NAN } else { FloatRange::between(value, value) }
    }

    /// Also no number, if that may be.
    pub fn or_nan(self, nan: bool) -> FloatRange {
        FloatRange { nan: self.nan || nan, ..self }
    }

    /// Without no number.
    pub fn without_nan(self) -> FloatRange {
        FloatRange { nan: false, ..self }
    }

    /// Least and most; none if it is no number.
    pub fn numbers(self) -> Option<(f64, f64)> {
        (self.low <= self.high).then_some((self.low, self.high))
    }

    /// Whether it may be no number.
    pub fn may_be_nan(self) -> bool {
        self.nan
    }

    /// Whether a number is among the values.
    pub fn has(self, number: f64) -> bool {
        self.low <= number && number <= self.high && !(self.nonzero && number == 0.0)
    }

    /// Whether an infinity is among the values.
    pub fn has_infinity(self) -> bool {
        self.has(f64::INFINITY) || self.has(f64::NEG_INFINITY)
    }

    /// The values of both; nothing if there are none.
    pub fn meet(self, other: FloatRange) -> Option<FloatRange> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        FloatRange { low, high, nan: self.nan && other.nan, nonzero: self.nonzero || other.nonzero }
            .inhabited()
    }

    /// The values of either, and what lies between.
    pub fn join(self, other: FloatRange) -> FloatRange {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        let spans_zero = low < 0.0 && 0.0 < high;
        let nonzero = spans_zero && !self.has(0.0) && !other.has(0.0);
        FloatRange { low, high, nan: self.nan || other.nan, nonzero }
    }

    /// How two values may compare.
    pub fn order(self, other: FloatRange) -> Order {
        let order = Order::NEVER.or_if(Order::UNORDERED, self.nan || other.nan);
        let (Some(a), Some(b)) = (self.numbers(), other.numbers()) else { return order };
        let order = order.or_if(Order::LESS, a.0 < b.1).or_if(Order::GREATER, a.1 > b.0);
        order.or_if(Order::EQUAL, self.meet(other).is_some_and(|met| met.numbers().is_some()))
    }

    /// How a value may compare with itself.
    pub fn order_with_itself(self) -> Order {
        Order::NEVER.or_if(Order::UNORDERED, self.nan).or_if(Order::EQUAL, self.numbers().is_some())
    }

    /// What is left of a value that compares with itself in one of these ways; nothing if it cannot.
    pub fn like_itself(self, order: Order) -> Option<FloatRange> {
        let nan = self.nan && order.has(Order::UNORDERED);
        if order.has(Order::EQUAL) {
            FloatRange { nan, ..self }.inhabited()
        } else {
            nan.then_some(FloatRange::NAN)
        }
    }

    /// What is left of a value that compares with another in one of these ways; nothing if it cannot.
    pub fn where_ordered(self, order: Order, other: FloatRange, precision: Precision) -> Option<FloatRange> {
        let nan = self.nan && order.has(Order::UNORDERED);
        if other.nan && order.has(Order::UNORDERED) {
            // Whatever this number is, the other one may be none.
            return FloatRange { nan, ..self }.inhabited();
        }
        let mut left = FloatRange { nan, ..FloatRange::NAN };
        let mut nonzero = self.nonzero;
        if let Some((low, high)) = other.numbers() {
            if order.has(Order::LESS) && high > f64::NEG_INFINITY {
                left = left.join(FloatRange::between(f64::NEG_INFINITY, precision.below(high)));
            }
            if order.has(Order::EQUAL) {
                left = left.join(FloatRange::between(low, high));
            }
            if order.has(Order::GREATER) && low < f64::INFINITY {
                left = left.join(FloatRange::between(precision.above(low), f64::INFINITY));
            }
            // Not equal to one number: only the ends can be told from what lies between.
            if low == high && !order.has(Order::EQUAL) {
                let trimmed = self.without(low, precision);
                left.low = left.low.max(trimmed.low);
                left.high = left.high.min(trimmed.high);
                nonzero |= low == 0.0;
            }
        }
        FloatRange { low: self.low.max(left.low), high: self.high.min(left.high), nan, nonzero }.inhabited()
    }

    fn without(self, number: f64, precision: Precision) -> FloatRange {
        let low = if self.low == number { precision.above(number) } else { self.low };
        let high = if self.high == number { precision.below(number) } else { self.high };
        FloatRange { low, high, ..self }
    }

    /// In the one form that equal ranges have; nothing if there is no value.
    fn inhabited(self) -> Option<FloatRange> {
        let is_just_zero = self.nonzero && self.low == 0.0 && self.high == 0.0;
        match self.numbers() {
            Some((low, high)) if !is_just_zero => {
                Some(FloatRange { nonzero: self.nonzero && low < 0.0 && 0.0 < high, ..self })
            }
            _ => self.nan.then_some(FloatRange::NAN),
        }
    }

    /// One step farther on both sides: where the exact result lies if this is the rounded one.
    pub fn unrounded(self, precision: Precision) -> FloatRange {
        match self.numbers() {
            Some((low, high)) => {
                FloatRange { low: precision.below(low), high: precision.above(high), ..self }
            }
            None => self,
        }
    }
}
