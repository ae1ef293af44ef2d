//! Ranges of integers, read with and without a sign at the same time.
//!
//! Either reading alone loses what the other one knows: `x != 0` says nothing between -5 and 5, but `x - 1 < 10` read
//! without a sign bounds both sides. Each reading is kept within what the other one leaves. A range is never empty.

use super::module::Sign;
use super::order::Order;
use testwright_llvm::IntPredicate;

/// The widest integers that ranges are kept for.
pub const WIDEST: u32 = 64;

/// The values that an integer may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntRange {
    width: u32,
    signed: (i64, i64),
    unsigned: (u64, u64),
}

impl IntRange {
    /// All values of a width.
    pub fn full(width: u32) -> IntRange {
        let most = i64::MAX >> (WIDEST - width);
        IntRange { width, signed: (-most - 1, most), unsigned: (0, u64::MAX >> (WIDEST - width)) }
    }

    /// The one value with these bits.
    pub fn constant(width: u32, bits: u64) -> IntRange {
        let bits = i128::from(bits & (u64::MAX >> (WIDEST - width)));
        IntRange::full(width).within_unsigned(bits, bits).unwrap_or(IntRange::full(width))
    }

    /// The values whose two readings lie within these bounds, modulo the width; all values if the bounds are farther apart.
    pub fn wrapped(width: u32, signed: Option<(i128, i128)>, unsigned: Option<(i128, i128)>) -> IntRange {
        let full = IntRange::full(width);
        let signed = signed.and_then(|(low, high)| turn(width, full.signed().0, low, high));
        let by_sign = signed.and_then(|(low, high)| full.within_signed(low, high)).unwrap_or(full);
        let unsigned = unsigned.and_then(|(low, high)| turn(width, 0, low, high));
        unsigned.and_then(|(low, high)| by_sign.within_unsigned(low, high)).unwrap_or(by_sign)
    }

    /// How many bits it has.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Least and most, read with a sign.
    pub fn signed(self) -> (i128, i128) {
        (i128::from(self.signed.0), i128::from(self.signed.1))
    }

    /// Least and most, read without one.
    pub fn unsigned(self) -> (i128, i128) {
        (i128::from(self.unsigned.0), i128::from(self.unsigned.1))
    }

    /// Least and most in a reading.
    pub fn read(self, sign: Sign) -> (i128, i128) {
        match sign {
            Sign::Signed => self.signed(),
            Sign::Unsigned => self.unsigned(),
        }
    }

    /// What lies within bounds in a reading; nothing if that is empty.
    pub fn within(self, sign: Sign, low: i128, high: i128) -> Option<IntRange> {
        match sign {
            Sign::Signed => self.within_signed(low, high),
            Sign::Unsigned => self.within_unsigned(low, high),
        }
    }

    /// The only value, read without a sign.
    pub fn only(self) -> Option<u64> {
        (self.unsigned.0 == self.unsigned.1).then_some(self.unsigned.0)
    }

    /// Whether it is one value or the other, if it is a truth value and that is known.
    pub fn truth(self) -> Option<bool> {
        self.only().filter(|_| self.width == 1).map(|bit| bit == 1)
    }

    /// What lies within bounds, read with a sign; nothing if that is empty.
    pub fn within_signed(self, low: i128, high: i128) -> Option<IntRange> {
        let (own_low, own_high) = self.signed();
        reduced(self.width, (low.max(own_low), high.min(own_high)), self.unsigned())
    }

    /// What lies within bounds, read without a sign; nothing if that is empty.
    pub fn within_unsigned(self, low: i128, high: i128) -> Option<IntRange> {
        let (own_low, own_high) = self.unsigned();
        reduced(self.width, self.signed(), (low.max(own_low), high.min(own_high)))
    }

    /// The values of both; nothing if there are none.
    pub fn meet(self, other: IntRange) -> Option<IntRange> {
        let (low, high) = other.signed();
        let within = self.within_signed(low, high)?;
        let (low, high) = other.unsigned();
        within.within_unsigned(low, high)
    }

    /// The values of either, and what lies between.
    pub fn join(self, other: IntRange) -> IntRange {
        let signed = (self.signed.0.min(other.signed.0), self.signed.1.max(other.signed.1));
        let unsigned = (self.unsigned.0.min(other.unsigned.0), self.unsigned.1.max(other.unsigned.1));
        IntRange { signed, unsigned, ..self }
    }

    /// How two values may compare.
    fn order(self, other: IntRange, predicate: IntPredicate) -> Order {
        let sign = sign(predicate);
        let (a, b) = (self.read(sign), other.read(sign));
        let mut order = Order::NEVER;
        order = order.or_if(Order::LESS, a.0 < b.1);
        order = order.or_if(Order::GREATER, a.1 > b.0);
        order.or_if(Order::EQUAL, self.meet(other).is_some())
    }

    /// Whether a comparison holds, if that is known.
    pub fn compare(self, predicate: IntPredicate, other: IntRange) -> Option<bool> {
        self.order(other, predicate).decides(wanted(predicate))
    }

    /// What is left of a value if a comparison with another holds; nothing if it cannot hold.
    pub fn where_holds(self, predicate: IntPredicate, other: IntRange) -> Option<IntRange> {
        use IntPredicate::{LLVMIntEQ, LLVMIntNE};
        match (predicate, other.only()) {
            (LLVMIntEQ, _) => self.meet(other),
            (LLVMIntNE, Some(bits)) => self.without(bits),
            (LLVMIntNE, None) => Some(self),
            _ => {
                let wanted = wanted(predicate);
                let strict = i128::from(!wanted.has(Order::EQUAL));
                let bounds = |(low, high): (i128, i128)| match wanted.has(Order::LESS) {
                    true => (i128::MIN, high - strict),
                    false => (low + strict, i128::MAX),
                };
                let (low, high) = bounds(other.read(sign(predicate)));
                self.within(sign(predicate), low, high)
            }
        }
    }

    /// What is left without one value; only the ends can be told from what lies between.
    fn without(self, bits: u64) -> Option<IntRange> {
        let value = i128::from(bits);
        let (low, high) = self.unsigned();
        let trim = |low: i128, high: i128, value: i128| {
            (low + i128::from(low == value), high - i128::from(high == value))
        };
        let (low, high) = trim(low, high, value);
        let left = self.within_unsigned(low, high)?;
        let (low, high) = left.signed();
        let value = if value > i128::from(i64::MAX >> (WIDEST - self.width)) {
            value - (1i128 << self.width)
        } else {
            value
        };
        let (low, high) = trim(low, high, value);
        left.within_signed(low, high)
    }
}

/// The order that a predicate asks for.
fn wanted(predicate: IntPredicate) -> Order {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ => Order::EQUAL,
        LLVMIntNE => Order::LESS.or(Order::GREATER),
        LLVMIntUGT | LLVMIntSGT => Order::GREATER,
        LLVMIntUGE | LLVMIntSGE => Order::GREATER.or(Order::EQUAL),
        LLVMIntULT | LLVMIntSLT => Order::LESS,
        LLVMIntULE | LLVMIntSLE => Order::LESS.or(Order::EQUAL),
    }
}

/// The reading that a predicate takes.
fn sign(predicate: IntPredicate) -> Sign {
    use IntPredicate::*;
    match predicate {
        LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE => Sign::Unsigned,
        _ => Sign::Signed,
    }
}

/// Bounds brought into the range of a type that begins at `least`, if both wrap equally often.
fn turn(width: u32, least: i128, low: i128, high: i128) -> Option<(i128, i128)> {
    let size = 1i128 << width;
    let turns = low.checked_sub(least)?.div_euclid(size);
    let is_same = high.checked_sub(least)?.div_euclid(size) == turns;
    is_same.then(|| (low - turns * size, high - turns * size))
}

/// The range with both readings within bounds, each as narrow as the other one allows.
///
/// Values without the top bit read the same both ways; those with it differ by the size of the type.
fn reduced(width: u32, signed: (i128, i128), unsigned: (i128, i128)) -> Option<IntRange> {
    let size = 1i128 << width;
    let small = (signed.0.max(unsigned.0).max(0), signed.1.min(unsigned.1));
    let large = ((signed.0 + size).max(unsigned.0), (signed.1.min(-1) + size).min(unsigned.1));
    let (has_small, has_large) = (small.0 <= small.1, large.0 <= large.1);
    let (signed, unsigned) = match (has_small, has_large) {
        (false, false) => return None,
        (true, false) => (small, small),
        (false, true) => ((large.0 - size, large.1 - size), large),
        (true, true) => ((large.0 - size, small.1), (small.0, large.1)),
    };
    let signed = (signed.0 as i64, signed.1 as i64);
    Some(IntRange { width, signed, unsigned: (unsigned.0 as u64, unsigned.1 as u64) })
}
