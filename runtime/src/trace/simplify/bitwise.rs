//! Bitwise operations and shifts: masks become slices, extensions move outwards.

use testwright_abi::expr::{Node, Op};

use super::super::arena::Arena;
use super::super::term::{Term, ordered};
use super::super::word::Word;

impl Arena {
    pub(in super::super) fn and<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        let (x, y) = ordered(x, y);
        let value = x.value & y.value;
        if x.is_constant() || y.is_number(W::ZERO) {
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
                let narrow = self.and(z, Term::constant(y.value, z.width()));
                return self.zext(narrow, x.width());
            }
            if y.value & y.value.wrapping_add(W::ONE) == W::ZERO {
                let low = self.extract(x, 0, y.value.bits());
                return self.zext(low, x.width());
            }
        } else if let Some((p, q)) = self.both(x, y, Op::ZExt) {
            let narrow = self.and(p, q);
            return self.zext(narrow, x.width());
        }
        self.two(Op::And, x.width(), x, y, value)
    }

    pub(in super::super) fn or<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        let (x, y) = ordered(x, y);
        let value = x.value | y.value;
        if x.is_constant() || (y.is_constant() && y.is_ones()) {
            return x.with_value(value);
        }
        if x.is(y) || y.is_number(W::ZERO) {
            return x;
        }
        if y.is_constant()
            && let Some((z, c)) = self.constant_right(x, Op::Or)
        {
            return self.or(z, y.with_value(c.value | y.value));
        }
        if let Some((p, q)) = self.narrowed(x, y) {
            let narrow = self.or(p, q);
            return self.zext(narrow, x.width());
        }
        self.two(Op::Or, x.width(), x, y, value)
    }

    pub(in super::super) fn xor<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        let (x, y) = ordered(x, y);
        let value = x.value ^ y.value;
        if x.is_constant() || x.is(y) {
            return x.with_value(value);
        }
        if y.is_constant() {
            if y.value == W::ZERO {
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
            return self.zext(narrow, x.width());
        }
        self.two(Op::Xor, x.width(), x, y, value)
    }

    pub(in super::super) fn not<W: Word>(&mut self, x: Term<W>) -> Term<W> {
        let value = !x.value & W::mask(x.width());
        if x.is_constant() {
            return x.with_value(value);
        }
        let node = *self.node(x.handle());
        match Op::from_number(node.op) {
            Some(Op::Not) => self.term(node.a),
            Some(op @ (Op::Ult | Op::Ule | Op::Slt | Op::Sle)) => {
                if self.node(node.a).width > W::BITS {
                    self.opposite::<u128>(op, &node).into_word()
                } else {
                    self.opposite(op, &node)
                }
            }
            _ => self.one(Op::Not, x.width(), x, value),
        }
    }

    /// The opposite of the comparison `node`.
    fn opposite<W: Word>(&mut self, op: Op, node: &Node) -> Term<W> {
        let (p, q) = (self.term(node.a), self.term(node.b));
        match op {
            Op::Ult => self.ule(q, p),
            Op::Ule => self.ult(q, p),
            Op::Slt => self.sle(q, p),
            _ => self.slt(q, p),
        }
    }

    /// `Shl`, `LShr` or `AShr`.
    pub(in super::super) fn shift<W: Word>(&mut self, op: Op, x: Term<W>, y: Term<W>) -> Term<W> {
        let value = shifted(op, x, y.value);
        if x.is_constant() && (y.is_constant() || x.value == W::ZERO) {
            return x.with_value(value);
        }
        if !y.is_constant() {
            return self.two(op, x.width(), x, y, value);
        }
        if y.value == W::ZERO {
            return x;
        }
        // An arithmetic shift by more than the width does what one by the width less one does.
        let limit = u32::from(x.width()) - u32::from(op == Op::AShr);
        let amount = y.value.clamped();
        if op != Op::AShr && amount >= limit {
            return x.with_value(W::ZERO);
        }
        if let Some((z, c)) = self.constant_right(x, op) {
            let amount = c.value.clamped().saturating_add(amount).min(limit);
            return self.shift_by(op, z, amount, y);
        }
        if op != Op::Shl
            && let Some(z) = self.argument(x, Op::ZExt)
        {
            let narrow = self.shift_by(Op::LShr, z, amount, z);
            return self.zext(narrow, x.width());
        }
        if amount > limit {
            return self.shift_by(op, x, limit, y);
        }
        self.two(op, x.width(), x, y, value)
    }

    /// `x` shifted by `amount`, which may be the width: more than `like`, a term as wide, may hold.
    fn shift_by<W: Word>(&mut self, op: Op, x: Term<W>, amount: u32, like: Term<W>) -> Term<W> {
        if amount >= u32::from(x.width()) {
            return x.with_value(W::ZERO);
        }
        self.shift(op, x, like.with_value(W::from(amount)))
    }

    /// Two narrower terms whose zero extensions are `x` and `y`.
    fn narrowed<W: Word>(&self, x: Term<W>, y: Term<W>) -> Option<(Term<W>, Term<W>)> {
        if !y.is_constant() {
            return self.both(x, y, Op::ZExt);
        }
        let z = self.argument(x, Op::ZExt)?;
        (y.value <= W::mask(z.width())).then(|| (z, Term::constant(y.value, z.width())))
    }
}

/// The value of a shift, with amounts of the width or more as [`Op`] defines them.
fn shifted<W: Word>(op: Op, x: Term<W>, amount: W) -> W {
    let amount = amount.clamped();
    let inside = amount < u32::from(x.width());
    match op {
        Op::Shl if inside => x.value << amount & W::mask(x.width()),
        Op::LShr if inside => x.value >> amount,
        Op::AShr => {
            let amount = if inside { amount } else { u32::from(x.width()) - 1 };
            W::unsigned(x.signed() >> amount) & W::mask(x.width())
        }
        _ => W::ZERO,
    }
}
