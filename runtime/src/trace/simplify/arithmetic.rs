//! Sums, products and quotients: constants are gathered and go right.

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::{Term, ordered};

impl Arena {
    pub(in super::super) fn add(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = ordered(x, y);
        let value = x.value.wrapping_add(y.value);
        if y.is_constant() {
            if y.value == 0 || x.is_constant() {
                return if x.is_constant() { x.with_value(value) } else { x };
            }
            if let Some((z, c)) = self.constant_right(x, Op::Add) {
                return self.add(z, y.with_value(c.value.wrapping_add(y.value)));
            }
            if let Some((c, z)) = self.constant_left(x, Op::Sub) {
                return self.sub(y.with_value(c.value.wrapping_add(y.value)), z);
            }
        }
        self.two(Op::Add, x.width, x, y, value)
    }

    pub(in super::super) fn sub(&mut self, x: Term, y: Term) -> Term {
        let value = x.value.wrapping_sub(y.value);
        if y.is_constant() {
            return self.add(x, y.with_value(y.value.wrapping_neg()));
        }
        if x.is(y) {
            return x.with_value(0);
        }
        if x.is_constant() {
            if let Some((z, c)) = self.constant_right(y, Op::Add) {
                return self.sub(x.with_value(x.value.wrapping_sub(c.value)), z);
            }
            if x.value == 0
                && let Some(z) = self.argument(y, Op::ZExt)
                && z.width == 1
            {
                return self.sext(z, x.width);
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
        self.two(Op::Sub, x.width, x, y, value)
    }

    pub(in super::super) fn mul(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = ordered(x, y);
        let value = x.value.wrapping_mul(y.value);
        if y.is_constant() {
            if y.value == 0 || x.is_constant() {
                return x.with_value(value);
            }
            if y.value == 1 {
                return x;
            }
            if let Some((z, c)) = self.constant_right(x, Op::Mul) {
                return self.mul(z, y.with_value(c.value.wrapping_mul(y.value)));
            }
        }
        self.two(Op::Mul, x.width, x, y, value)
    }

    /// `UDiv`, `SDiv`, `URem` or `SRem` with the value `value`; in the run `y` is not 0.
    pub(in super::super) fn divide(&mut self, op: Op, x: Term, y: Term, value: u128) -> Term {
        if x.is_constant() && y.is_constant() {
            return x.with_value(value);
        }
        if !y.is_constant() {
            return self.two(op, x.width, x, y, value);
        }
        let unsigned = match op {
            Op::SDiv => Op::UDiv,
            Op::SRem => Op::URem,
            _ => op,
        };
        if unsigned != op && !(self.is_never_negative(x) && self.is_never_negative(y)) {
            return match (op, y.value) {
                (Op::SDiv, 1) if y.width > 1 => x,
                (Op::SRem, 1) => x.with_value(0),
                _ => self.two(op, x.width, x, y, value),
            };
        }
        if !y.value.is_power_of_two() {
            return self.two(unsigned, x.width, x, y, value);
        }
        if unsigned == Op::UDiv {
            self.shift(Op::LShr, x, y.with_value(y.value.trailing_zeros().into()))
        } else {
            self.and(x, y.with_value(y.value - 1))
        }
    }
}
