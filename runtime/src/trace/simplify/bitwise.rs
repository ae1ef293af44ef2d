//! Bitwise operations and shifts: masks become slices, extensions move outwards.

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::{Term, mask, ordered};

impl Arena {
    pub(in super::super) fn and(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = ordered(x, y);
        let value = x.value & y.value;
        if y.value == 0 && y.is_constant() || x.is_constant() {
            return x.with_value(value);
        }
        if x.is(y) || (y.is_constant() && y.is_ones()) {
            return x;
        }
        if y.is_constant() {
            if let Some((z, c)) = self.constant_right(x, Op::And) {
                return self.and(z, y.with_value(c.value & y.value));
            }
            if let Some(z) = self.argument(x, Op::ZExt) {
                let narrow = self.and(z, Term::constant(y.value, z.width));
                return self.zext(narrow, x.width);
            }
            let ones = y.value.trailing_ones() as u16;
            if y.value == mask(ones) {
                let low = self.extract(x, 0, ones);
                return self.zext(low, x.width);
            }
        } else if let Some((p, q)) = self.both(x, y, Op::ZExt) {
            let narrow = self.and(p, q);
            return self.zext(narrow, x.width);
        }
        self.two(Op::And, x.width, x, y, value)
    }

    pub(in super::super) fn or(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = ordered(x, y);
        let value = x.value | y.value;
        if x.is_constant() || (y.is_constant() && y.is_ones()) {
            return x.with_value(value);
        }
        if x.is(y) || (y.is_constant() && y.value == 0) {
            return x;
        }
        if y.is_constant()
            && let Some((z, c)) = self.constant_right(x, Op::Or)
        {
            return self.or(z, y.with_value(c.value | y.value));
        }
        if let Some((p, q)) = self.narrowed(x, y) {
            let narrow = self.or(p, q);
            return self.zext(narrow, x.width);
        }
        self.two(Op::Or, x.width, x, y, value)
    }

    pub(in super::super) fn xor(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = ordered(x, y);
        let value = x.value ^ y.value;
        if x.is_constant() || x.is(y) {
            return x.with_value(value);
        }
        if y.is_constant() {
            if y.value == 0 {
                return x;
            }
            if let Some((z, c)) = self.constant_right(x, Op::Xor) {
                return self.xor(z, y.with_value(c.value ^ y.value));
            }
            if y.is_ones() {
                return self.not(x);
            }
        }
        if let Some((p, q)) = self.narrowed(x, y) {
            let narrow = self.xor(p, q);
            return self.zext(narrow, x.width);
        }
        self.two(Op::Xor, x.width, x, y, value)
    }

    pub(in super::super) fn not(&mut self, x: Term) -> Term {
        let value = !x.value & mask(x.width);
        if x.is_constant() {
            return x.with_value(value);
        }
        let node = self.node(x.handle);
        match Op::from_number(node.op) {
            Some(Op::Not) => self.term(node.a),
            Some(op @ (Op::Ult | Op::Ule | Op::Slt | Op::Sle)) => {
                let (p, q) = (self.term(node.a), self.term(node.b));
                match op {
                    Op::Ult => self.ule(q, p),
                    Op::Ule => self.ult(q, p),
                    Op::Slt => self.sle(q, p),
                    _ => self.slt(q, p),
                }
            }
            _ => self.one(Op::Not, x.width, x, value),
        }
    }

    /// `Shl`, `LShr` or `AShr`.
    pub(in super::super) fn shift(&mut self, op: Op, x: Term, y: Term) -> Term {
        let value = shifted(op, x, y.value);
        if x.is_constant() && (y.is_constant() || x.value == 0) {
            return x.with_value(value);
        }
        if !y.is_constant() {
            return self.two(op, x.width, x, y, value);
        }
        if y.value == 0 {
            return x;
        }
        // An arithmetic shift by more than the width does what one by the width less one does.
        let limit = if op == Op::AShr { u128::from(x.width) - 1 } else { u128::from(x.width) };
        if op != Op::AShr && y.value >= limit {
            return x.with_value(0);
        }
        if let Some((z, c)) = self.constant_right(x, op) {
            let amount = c.value.saturating_add(y.value).min(limit);
            return self.shift_by(op, z, amount, y);
        }
        if op != Op::Shl
            && let Some(z) = self.argument(x, Op::ZExt)
        {
            let amount = y.value.min(z.width.into());
            let narrow = self.shift_by(Op::LShr, z, amount, Term::constant(0, z.width));
            return self.zext(narrow, x.width);
        }
        if y.value > limit {
            return self.shift_by(op, x, limit, y);
        }
        self.two(op, x.width, x, y, value)
    }

    /// `x` shifted by `amount`, which may be the width: more than `like`, a term as wide, may hold.
    fn shift_by(&mut self, op: Op, x: Term, amount: u128, like: Term) -> Term {
        if amount >= u128::from(x.width) {
            return x.with_value(0);
        }
        self.shift(op, x, like.with_value(amount))
    }

    /// Two narrower terms whose zero extensions are `x` and `y`.
    fn narrowed(&self, x: Term, y: Term) -> Option<(Term, Term)> {
        if !y.is_constant() {
            return self.both(x, y, Op::ZExt);
        }
        let z = self.argument(x, Op::ZExt)?;
        (y.value <= mask(z.width)).then(|| (z, Term::constant(y.value, z.width)))
    }
}

/// The value of a shift, with amounts of the width or more as [`Op`] defines them.
fn shifted(op: Op, x: Term, amount: u128) -> u128 {
    let inside = amount < u128::from(x.width);
    let amount = amount as u32;
    match op {
        Op::Shl if inside => x.value << amount & mask(x.width),
        Op::LShr if inside => x.value >> amount,
        Op::AShr => {
            let amount = if inside { amount } else { u32::from(x.width) - 1 };
            (x.signed() >> amount) as u128 & mask(x.width)
        }
        _ => 0,
    }
}
