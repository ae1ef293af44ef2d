//! Conversions between integers and floats.
//!
//! Z3 leaves open what a number becomes that does not fit the integer. Here it becomes what the evaluator says,
//! which is what x86-64 does; see there.

use testwright_abi::expr::Op;
use z3::ast::{BV, Bool, Float, RoundingMode};

use super::Operation;
use crate::native::{float_from_signed, float_from_unsigned, float_sort};
use crate::term::{Term, literal};

const TWO_POW_31: f64 = 2_147_483_648.0;
const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_POW_64: f64 = 2.0 * TWO_POW_63;
const TWO_POW_127: f64 = TWO_POW_63 * TWO_POW_64;

impl Operation<'_> {
    /// The term of a conversion, `None` if it is not one.
    pub(super) fn conversion(&mut self) -> Option<Term> {
        let width = self.expr.width();
        let result = match self.expr.op {
            Op::SToF => float_from_signed(&self.bits(0), width),
            Op::UToF => float_from_unsigned(&self.bits(0), width),
            Op::FToF => {
                let nearest = RoundingMode::round_nearest_ties_to_even();
                self.number(0).to_fp_with_rounding_mode(&nearest, &float_sort(width))
            }
            Op::FToS | Op::FToU => return Some(self.bits_of(self.to_integer())),
            _ => return None,
        };
        Some(Term::of_float(width, result))
    }

    fn to_integer(&self) -> BV {
        let width = self.expr.width();
        let x = Number { float: self.number(0), width: self.operand_width(0) };
        let bits = match (self.expr.op, width) {
            (Op::FToS, 65..) => x.saturated_signed_128(),
            (_, 65..) => x.saturated_unsigned_128(),
            (Op::FToS, 33..) | (Op::FToU, 32) => x.convert_64(&literal(64, 1 << 63)),
            (_, 33..) => x.convert_unsigned_64(),
            _ => x.convert_32(),
        };
        bits.extract(width - 1, 0)
    }
}

/// A number to convert.
struct Number {
    float: Float,
    width: u32,
}

impl Number {
    /// A power of two, or a number near one, as a float of the same sort.
    fn constant(&self, value: f64) -> Float {
        if self.width == 32 { Float::from_f32(value as f32) } else { Float::from_f64(value) }
    }

    fn is_in(&self, low: f64, beyond: f64) -> Bool {
        Bool::and(&[self.float.ge(self.constant(low)), self.float.lt(self.constant(beyond))])
    }

    fn signed(&self, width: u32) -> BV {
        self.float.to_sbv_with_rounding_mode(&RoundingMode::round_towards_zero(), width)
    }

    fn unsigned(&self, width: u32) -> BV {
        self.float.to_ubv_with_rounding_mode(&RoundingMode::round_towards_zero(), width)
    }

    fn convert_32(&self) -> BV {
        // A double just below -2^31 still has the integer part -2^31; there is no such single.
        let fits = if self.width == 32 {
            self.is_in(-TWO_POW_31, TWO_POW_31)
        } else {
            let above = self.float.gt(self.constant(-TWO_POW_31 - 1.0));
            Bool::and(&[above, self.float.lt(self.constant(TWO_POW_31))])
        };
        fits.ite(&self.signed(32), &literal(32, 1 << 31))
    }

    fn convert_64(&self, otherwise: &BV) -> BV {
        self.is_in(-TWO_POW_63, TWO_POW_63).ite(&self.signed(64), otherwise)
    }

    /// What the sequence of two conversions that LLVM emits comes to.
    fn convert_unsigned_64(&self) -> BV {
        let is_large = self.is_in(TWO_POW_63, TWO_POW_64);
        self.convert_64(&is_large.ite(&self.unsigned(64), &literal(64, 1 << 63)))
    }

    fn saturated_signed_128(&self) -> BV {
        let (smallest, largest) = (literal(128, 1 << 127), literal(128, u128::MAX >> 1));
        let is_large = self.float.ge(self.constant(TWO_POW_127));
        let outside = is_large.ite(&largest, &self.float.is_nan().ite(&literal(128, 0), &smallest));
        self.is_in(-TWO_POW_127, TWO_POW_127).ite(&self.signed(128), &outside)
    }

    fn saturated_unsigned_128(&self) -> BV {
        // 2^128 as a single is infinity, which is right: all finite ones are below.
        let beyond = self.constant(2.0 * TWO_POW_127);
        let is_large = self.float.ge(beyond);
        let outside = is_large.ite(&literal(128, u128::MAX), &literal(128, 0));
        self.is_in(0.0, 2.0 * TWO_POW_127).ite(&self.unsigned(128), &outside)
    }
}
