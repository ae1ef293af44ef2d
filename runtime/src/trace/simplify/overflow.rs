//! Overflow checks: sanitized code is full of them, and most cannot fail or are plain comparisons.

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::{Term, ordered};
use super::super::word::Word;

impl Arena {
    /// `SAddO` and the like, with the value `value`.
    pub(in super::super) fn overflows<W: Word>(
        &mut self,
        op: Op,
        x: Term<W>,
        y: Term<W>,
        value: W,
    ) -> Term<W> {
        if x.is_constant() && y.is_constant() {
            return Term::constant(value, 1);
        }
        match op {
            Op::USubO => return self.ult(x, y),
            Op::UAddO => {
                let (x, y) = ordered(x, y);
                if y.is_constant() {
                    return self.ult(y.with_value(!y.value), x);
                }
            }
            Op::SAddO => {
                let (x, y) = ordered(x, y);
                if y.is_constant() {
                    return self.signed_add_overflows(x, y);
                }
            }
            Op::SSubO if y.is_constant() => return self.signed_sub_overflows(x, y),
            Op::SSubO if x.is_constant() => return self.signed_sub_from_overflows(x, y),
            _ => {}
        }
        if self.never_overflows(op, x, y) {
            return Term::truth(false);
        }
        let (x, y) = if op == Op::SSubO { (x, y) } else { ordered(x, y) };
        self.two(op, 1, x, y, value)
    }

    /// `x + c` leaves the range.
    fn signed_add_overflows<W: Word>(&mut self, x: Term<W>, c: Term<W>) -> Term<W> {
        if c.is_negative() {
            self.slt(x, c.with_value(c.least().wrapping_sub(c.value)))
        } else {
            self.slt(c.with_value(c.greatest().wrapping_sub(c.value)), x)
        }
    }

    /// `x - c` leaves the range.
    fn signed_sub_overflows<W: Word>(&mut self, x: Term<W>, c: Term<W>) -> Term<W> {
        if c.is_negative() {
            self.slt(c.with_value(c.greatest().wrapping_add(c.value)), x)
        } else {
            self.slt(x, c.with_value(c.least().wrapping_add(c.value)))
        }
    }

    /// `c - x` leaves the range.
    fn signed_sub_from_overflows<W: Word>(&mut self, c: Term<W>, x: Term<W>) -> Term<W> {
        if c.is_negative() {
            self.slt(c.with_value(c.value.wrapping_sub(c.least())), x)
        } else {
            self.slt(x, c.with_value(c.value.wrapping_sub(c.greatest())))
        }
    }

    fn never_overflows<W: Word>(&self, op: Op, x: Term<W>, y: Term<W>) -> bool {
        let (unsigned, signed) =
            ((self.unsigned_bits(x), self.unsigned_bits(y)), (self.signed_bits(x), self.signed_bits(y)));
        let width = x.width();
        match op {
            Op::UAddO => unsigned.0.max(unsigned.1) < width,
            Op::SAddO | Op::SSubO => signed.0.max(signed.1) < width,
            Op::UMulO => unsigned.0 + unsigned.1 <= width || is_neutral(x) || is_neutral(y),
            // One bit cannot hold 1 as a signed number.
            Op::SMulO => signed.0 + signed.1 <= width || (width > 1 && (is_neutral(x) || is_neutral(y))),
            _ => false,
        }
    }
}

/// Whether a product with `x` is 0 or the other factor.
fn is_neutral<W: Word>(x: Term<W>) -> bool {
    x.is_constant() && x.value <= W::ONE
}
