//! Sums, products and quotients: constants are gathered and go right.

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::{Term, ordered};
use super::super::word::Word;

impl Arena {
    pub(in super::super) fn add<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        let (x, y) = ordered(x, y);
        let value = x.value.wrapping_add(y.value);
        if y.is_constant() {
            if y.value == W::ZERO || x.is_constant() {
                return if x.is_constant() { x.with_value(value) } else { x };
            }
            if let Some((z, c)) = self.constant_right(x, Op::Add) {
                return self.add(z, y.with_value(c.value.wrapping_add(y.value)));
            }
            if let Some((c, z)) = self.constant_left(x, Op::Sub) {
                return self.sub(y.with_value(c.value.wrapping_add(y.value)), z);
            }
        }
        self.two(Op::Add, x.width(), x, y, value)
    }

    pub(in super::super) fn sub<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        let value = x.value.wrapping_sub(y.value);
        if y.is_constant() {
            return self.add(x, y.with_value(W::ZERO.wrapping_sub(y.value)));
        }
        if x.is(y) {
            return x.with_value(W::ZERO);
        }
        if x.is_constant() {
            if let Some((z, c)) = self.constant_right(y, Op::Add) {
                return self.sub(x.with_value(x.value.wrapping_sub(c.value)), z);
            }
            if x.value == W::ZERO
                && let Some(z) = self.argument(y, Op::ZExt)
                && z.width() == 1
            {
                return self.sext(z, x.width());
            }
            if let Some((c, z)) = self.constant_left(y, Op::Sub) {
                return self.add(z, x.with_value(x.value.wrapping_sub(c.value)));
            }
        } else if let Some((p, q)) = self.arguments(x, Op::Add) {
            if p.is(y) || q.is(y) {
                return if p.is(y) { q } else { p };
            }
            if q.is_constant()
                && let Some((r, c)) = self.constant_right(y, Op::Add)
            {
                let difference = self.sub(p, r);
                return self.add(difference, q.with_value(q.value.wrapping_sub(c.value)));
            }
        }
        self.two(Op::Sub, x.width(), x, y, value)
    }

    pub(in super::super) fn mul<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        let (x, y) = ordered(x, y);
        let value = x.value.wrapping_mul(y.value);
        if y.is_constant() {
            if y.value == W::ZERO || x.is_constant() {
                return x.with_value(value);
            }
            if y.value == W::ONE {
                return x;
            }
            if let Some((z, c)) = self.constant_right(x, Op::Mul) {
                return self.mul(z, y.with_value(c.value.wrapping_mul(y.value)));
            }
        }
        self.two(Op::Mul, x.width(), x, y, value)
    }

    /// `UDiv`, `SDiv`, `URem` or `SRem` with the value `value`; in the run `y` is not 0.
    pub(in super::super) fn divide<W: Word>(&mut self, op: Op, x: Term<W>, y: Term<W>, value: W) -> Term<W> {
        if x.is_constant() && y.is_constant() {
            return x.with_value(value);
        }
        if !y.is_constant() {
            return self.two(op, x.width(), x, y, value);
        }
        let unsigned = match op {
            Op::SDiv => Op::UDiv,
            Op::SRem => Op::URem,
            _ => op,
        };
        if unsigned != op && !(self.is_never_negative(x) && self.is_never_negative(y)) {
            return match op {
                Op::SDiv if y.value == W::ONE && y.width() > 1 => x,
                Op::SRem if y.value == W::ONE => x.with_value(W::ZERO),
                _ => self.two(op, x.width(), x, y, value),
            };
        }
        if !y.value.is_power_of_two() {
            return self.two(unsigned, x.width(), x, y, value);
        }
        if unsigned == Op::UDiv {
            self.shift(Op::LShr, x, y.with_value(y.value.trailing_zeros().into()))
        } else {
            self.and(x, y.with_value(y.value.wrapping_sub(W::ONE)))
        }
    }
}
