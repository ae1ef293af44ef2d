//! Terms: an expression as Z3 sees it, in every sort it is needed in.
//!
//! An expression is a bit vector, but its term is made in the sort that fits the operation: comparisons are
//! `Bool`, floating point is `Float`. Conversions are kept, so that each is made once.

use std::cell::OnceCell;

use z3::ast::{BV, Bool, Float};

use crate::native::{float_from_bits, term_number};

/// The term of an expression.
#[derive(Debug)]
pub(crate) struct Term {
    width: u32,
    boolean: OnceCell<Bool>,
    bits: OnceCell<BV>,
    float: OnceCell<Float>,
    /// Whether `bits` is a constant that stands for the float: what that means must be asserted.
    stands_for_float: bool,
}

impl From<Bool> for Term {
    fn from(boolean: Bool) -> Term {
        Term { boolean: boolean.into(), ..Term::new(1) }
    }
}

impl Term {
    fn new(width: u32) -> Term {
        let (boolean, bits, float) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Term { width, boolean, bits, float, stands_for_float: false }
    }

    /// A bit vector of `width` bits.
    pub(crate) fn of_bits(width: u32, bits: BV) -> Term {
        Term { bits: bits.into(), ..Term::new(width) }
    }

    /// A float of `width` bits.
    pub(crate) fn of_float(width: u32, float: Float) -> Term {
        Term { float: float.into(), stands_for_float: true, ..Term::new(width) }
    }

    /// A float of which the bits are known.
    pub(crate) fn of_float_and_bits(width: u32, float: Float, bits: BV) -> Term {
        Term { float: float.into(), bits: bits.into(), ..Term::new(width) }
    }

    /// Width in bits.
    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    /// The term as a truth value; only if it has one bit.
    pub(crate) fn boolean(&self) -> &Bool {
        self.boolean.get_or_init(|| self.any_bits().eq(BV::from_u64(1, 1)))
    }

    /// The term as a float; only if it has 32 or 64 bits.
    pub(crate) fn float(&self) -> &Float {
        self.float.get_or_init(|| float_from_bits(self.any_bits(), self.width))
    }

    /// The term as a bit vector, with the condition that must be asserted wherever it is used.
    ///
    /// There is no function from floats to bits, because NaN has many: the bits of a float are a constant
    /// that stands for it. It is named after the float, so that the same float has the same bits.
    pub(crate) fn bits(&self) -> (&BV, Option<Bool>) {
        let bits = self.any_bits();
        let condition = self.stands_for_float.then(|| float_from_bits(bits, self.width).eq(self.float()));
        (bits, condition)
    }

    /// The bits, if no condition comes with them.
    pub(crate) fn plain_bits(&self) -> Option<&BV> {
        (!self.stands_for_float).then(|| self.any_bits())
    }

    /// Whether it was made as a float.
    pub(crate) fn is_float(&self) -> bool {
        self.stands_for_float
    }

    fn any_bits(&self) -> &BV {
        self.bits.get_or_init(|| match (self.boolean.get(), self.float.get()) {
            (Some(boolean), _) => boolean.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
            (None, Some(float)) => BV::new_const(format!("bits of {}", term_number(float)), self.width),
            (None, None) => unreachable!("a term is made in one of the sorts"),
        })
    }
}

/// A constant of `width` bits.
pub(crate) fn literal(width: u32, value: u128) -> BV {
    match u64::try_from(value) {
        Ok(value) => BV::from_u64(value, width),
        Err(_) => BV::from_str(width, &value.to_string()).expect("a decimal number"),
    }
}
