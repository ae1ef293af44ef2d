//! Comparisons: against constants they become strict, and operands lose their extensions.

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::{Term, ordered};
use super::super::word::Word;

impl Arena {
    pub(in super::super) fn eq<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        let (x, y) = ordered(x, y);
        if x.is_constant() || x.is(y) {
            return Term::truth(x.value == y.value);
        }
        if y.is_constant() {
            return self.eq_constant(x, y);
        }
        if let Some((p, q)) = self.both(x, y, Op::ZExt).or_else(|| self.both(x, y, Op::SExt)) {
            return self.eq(p, q);
        }
        self.two(Op::Eq, 1, x, y, W::from(x.value == y.value))
    }

    fn eq_constant<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        if x.width() == 1 {
            return if y.value == W::ONE { x } else { self.not(x) };
        }
        let node = *self.node(x.handle());
        match Op::from_number(node.op) {
            Some(op @ (Op::ZExt | Op::SExt)) => {
                let z = self.term::<W>(node.a);
                let narrow = Term::constant(y.value, z.width());
                let again = if op == Op::ZExt {
                    narrow.value
                } else {
                    W::unsigned(narrow.signed()) & W::mask(x.width())
                };
                return if again == y.value { self.eq(z, narrow) } else { Term::truth(false) };
            }
            Some(Op::Not) => {
                let z = self.term::<W>(node.a);
                return self.eq(z, y.with_value(!y.value));
            }
            Some(op @ (Op::Add | Op::Sub | Op::Xor)) => {
                let (p, q) = (self.term::<W>(node.a), self.term::<W>(node.b));
                match op {
                    Op::Add if q.is_constant() => {
                        return self.eq(p, y.with_value(y.value.wrapping_sub(q.value)));
                    }
                    Op::Sub if p.is_constant() => {
                        return self.eq(q, y.with_value(p.value.wrapping_sub(y.value)));
                    }
                    Op::Xor if q.is_constant() => return self.eq(p, y.with_value(y.value ^ q.value)),
                    Op::Sub | Op::Xor if y.value == W::ZERO => return self.eq(p, q),
                    _ => {}
                }
            }
            Some(Op::Concat) => {
                let (p, q) = (self.term::<W>(node.a), self.term::<W>(node.b));
                let (high, low) = (p.with_value(y.value >> u32::from(q.width())), q.with_value(y.value));
                if q.is_constant() {
                    return if q.is(low) { self.eq(p, high) } else { Term::truth(false) };
                }
                if p.is_constant() {
                    return if p.is(high) { self.eq(q, low) } else { Term::truth(false) };
                }
            }
            Some(Op::Ite) => {
                let (p, q) = (self.term::<W>(node.b), self.term::<W>(node.c));
                if p.is_constant() && q.is_constant() {
                    let condition = self.term(node.a);
                    return self.ite(condition, Term::truth(p.is(y)), Term::truth(q.is(y)));
                }
            }
            _ => {}
        }
        self.two(Op::Eq, 1, x, y, W::from(x.value == y.value))
    }

    pub(in super::super) fn ult<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        if x.is(y) {
            return Term::truth(false);
        }
        if y.is_constant() {
            return self.ult_constant(x, y);
        }
        if x.is_constant() {
            return self.constant_ult(x, y);
        }
        if let Some((p, q)) = self.order_preserved(x, y) {
            return self.ult(p, q);
        }
        self.two(Op::Ult, 1, x, y, W::from(x.value < y.value))
    }

    fn ult_constant<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        if x.is_constant() {
            return Term::truth(x.value < y.value);
        }
        // First of all, because most operands are bytes that C widened.
        if let Some(z) = self.argument(x, Op::ZExt) {
            let reachable = y.value <= W::mask(z.width());
            return if reachable {
                self.ult(z, Term::constant(y.value, z.width()))
            } else {
                Term::truth(true)
            };
        }
        if y.value == W::ZERO || self.maximum(x) < y.value {
            return Term::truth(y.value != W::ZERO);
        }
        if y.value == W::ONE {
            return self.eq(x, y.with_value(W::ZERO));
        }
        self.two(Op::Ult, 1, x, y, W::from(x.value < y.value))
    }

    fn constant_ult<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        if let Some(z) = self.argument(y, Op::ZExt) {
            let reachable = x.value <= W::mask(z.width());
            return if reachable {
                self.ult(Term::constant(x.value, z.width()), z)
            } else {
                Term::truth(false)
            };
        }
        if x.value >= self.maximum(y) {
            return Term::truth(false);
        }
        if x.value == W::ZERO {
            let zero = self.eq(y, x);
            return self.not(zero);
        }
        self.two(Op::Ult, 1, x, y, W::from(x.value < y.value))
    }

    pub(in super::super) fn ule<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        if x.is(y) || (y.is_constant() && y.is_ones()) || x.is_number(W::ZERO) {
            return Term::truth(true);
        }
        if y.is_constant() {
            return self.ult(x, y.with_value(y.value.wrapping_add(W::ONE)));
        }
        if x.is_constant() {
            return self.ult(x.with_value(x.value.wrapping_sub(W::ONE)), y);
        }
        if let Some((p, q)) = self.order_preserved(x, y) {
            return self.ule(p, q);
        }
        self.two(Op::Ule, 1, x, y, W::from(x.value <= y.value))
    }

    pub(in super::super) fn slt<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        if x.is_constant() && y.is_constant() {
            return Term::truth(x.signed() < y.signed());
        }
        if x.is(y) || y.is_number(y.least()) || x.is_number(x.greatest()) {
            return Term::truth(false);
        }
        match (self.is_never_negative(x), self.is_never_negative(y)) {
            (true, true) => return self.ult(x, y),
            (true, false) if y.is_constant() => return Term::truth(false),
            (false, true) if x.is_constant() => return Term::truth(true),
            _ => {}
        }
        if let Some(term) = self.slt_of_sext(x, y) {
            return term;
        }
        self.two(Op::Slt, 1, x, y, W::from(x.signed() < y.signed()))
    }

    pub(in super::super) fn sle<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Term<W> {
        if x.is(y) || y.is_number(y.greatest()) || x.is_number(x.least()) {
            return Term::truth(true);
        }
        if y.is_constant() {
            return self.slt(x, y.with_value(y.value.wrapping_add(W::ONE)));
        }
        if x.is_constant() {
            return self.slt(x.with_value(x.value.wrapping_sub(W::ONE)), y);
        }
        if self.is_never_negative(x) && self.is_never_negative(y) {
            return self.ule(x, y);
        }
        if let Some((p, q)) = self.both(x, y, Op::SExt) {
            return self.sle(p, q);
        }
        self.two(Op::Sle, 1, x, y, W::from(x.signed() <= y.signed()))
    }

    /// `slt` with a sign extension on one side and the like, or a constant, on the other.
    fn slt_of_sext<W: Word>(&mut self, x: Term<W>, y: Term<W>) -> Option<Term<W>> {
        if let Some((p, q)) = self.both(x, y, Op::SExt) {
            return Some(self.slt(p, q));
        }
        let constant = if y.is_constant() { y } else { x };
        if !constant.is_constant() {
            return None;
        }
        let inner = self.argument(if y.is_constant() { x } else { y }, Op::SExt)?;
        let narrow = Term::constant(constant.value, inner.width());
        if narrow.signed() != constant.signed() {
            // The constant lies beyond everything the extension can be.
            return Some(Term::truth(constant.is_negative() != y.is_constant()));
        }
        Some(if y.is_constant() { self.slt(inner, narrow) } else { self.slt(narrow, inner) })
    }

    /// Narrower terms that compare, unsigned, as `x` and `y` do, which are no constants.
    fn order_preserved<W: Word>(&self, x: Term<W>, y: Term<W>) -> Option<(Term<W>, Term<W>)> {
        self.both(x, y, Op::ZExt).or_else(|| self.both(x, y, Op::SExt))
    }
}
