//! Floating-point operations, and the functions of libm.

use testwright_abi::expr::Op;
use testwright_abi::libm::{Function, Scalar};
use z3::ast::{BV, Bool, Float, RoundingMode};

use super::Operation;
use crate::native::{float_from_bits, term_number};
use crate::term::{Term, literal};

impl Operation<'_> {
    /// The term of a floating-point operation, `None` if it is not one.
    pub(super) fn float(&mut self) -> Option<Term> {
        let nearest = RoundingMode::round_nearest_ties_to_even();
        let result = match self.expr.op {
            Op::FAdd => self.number(0).add_with_rounding_mode(self.number(1), &nearest),
            Op::FSub => self.number(0).sub_with_rounding_mode(self.number(1), &nearest),
            Op::FMul => self.number(0).mul_with_rounding_mode(self.number(1), &nearest),
            Op::FDiv => self.number(0).div_with_rounding_mode(self.number(1), &nearest),
            Op::FSqrt => self.number(0).sqrt_with_rounding_mode(&nearest),
            Op::FFma => self.number(0).fma_with_rounding_mode(self.number(1), self.number(2), &nearest),
            Op::FFloor => self.round(&RoundingMode::round_towards_negative()),
            Op::FCeil => self.round(&RoundingMode::round_towards_positive()),
            Op::FTrunc => self.round(&RoundingMode::round_towards_zero()),
            Op::FRint => self.round(&nearest),
            Op::FRound => self.round(&RoundingMode::round_nearest_ties_to_away()),
            Op::FNeg | Op::FAbs | Op::FCopysign => return Some(self.sign()),
            Op::FEq => return Some(self.number(0).eq_fpa(self.number(1)).into()),
            Op::FLt => return Some(self.number(0).lt(self.number(1)).into()),
            Op::FLe => return Some(self.number(0).le(self.number(1)).into()),
            Op::FUno => {
                return Some(Bool::or(&[self.number(0).is_nan(), self.number(1).is_nan()]).into());
            }
            Op::FRem => return Some(self.remainder()),
            Op::App => return self.expr.function().map(|function| self.application(function)),
            _ => return None,
        };
        Some(Term::of_float(self.expr.width(), result))
    }

    /// Operand `place` as a float.
    pub(super) fn number(&self, place: usize) -> Float {
        self.operands[place].float().clone()
    }

    fn round(&self, rounding: &RoundingMode) -> Float {
        self.number(0).round_to_integral_with_rounding_mode(rounding)
    }

    /// Operations that only touch the sign bit, also that of NaN. Where the bits of the operand are known,
    /// those of the result are too.
    fn sign(&mut self) -> Term {
        let width = self.expr.width();
        let sign = literal(width, 1 << (width - 1));
        let rest = literal(width, (1 << (width - 1)) - 1);
        if self.expr.op == Op::FCopysign {
            let (magnitude, signed) = (self.bits(0), self.bits(1));
            return self.bits_of(magnitude.bvand(&rest).bvor(signed.bvand(&sign)));
        }
        let is_negation = self.expr.op == Op::FNeg;
        let operand = self.operands[0];
        let float = if is_negation { operand.float().unary_neg() } else { operand.float().unary_abs() };
        match operand.plain_bits() {
            Some(bits) if is_negation => Term::of_float_and_bits(width, float, bits.bvxor(&sign)),
            Some(bits) => Term::of_float_and_bits(width, float, bits.bvand(&rest)),
            None => Term::of_float(width, float),
        }
    }

    /// C's `fmod` is unknown: Z3's remainder is another one, it rounds the quotient to nearest.
    fn remainder(&mut self) -> Term {
        self.unknown("fmod", &[true, true], true)
    }

    /// A function of libm.
    fn application(&mut self, function: Function) -> Term {
        let are_floats: Vec<bool> = function.params().iter().map(|&param| is_float(param)).collect();
        self.unknown(function.name(), &are_floats, is_float(function.result()))
    }

    /// The result of a function that Z3 does not know: a constant named after function and arguments, so that
    /// the same arguments have the same result. Which of them are floats says `are_floats`.
    fn unknown(&mut self, name: &str, are_floats: &[bool], is_float: bool) -> Term {
        let width = self.expr.width();
        let mut name = format!("{name} {width}");
        for (place, &is_float) in are_floats.iter().enumerate() {
            let number =
                if is_float { term_number(&self.number(place)) } else { term_number(&self.bits(place)) };
            name += &format!(" {number}");
        }
        let result = BV::new_const(name, width);
        if is_float { Term::of_float(width, float_from_bits(&result, width)) } else { self.bits_of(result) }
    }
}

fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::F32 | Scalar::F64)
}
