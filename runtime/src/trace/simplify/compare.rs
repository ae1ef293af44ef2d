//! Comparisons: against constants they become strict, and operands lose their extensions.

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::{Term, mask, ordered};

impl Arena {
    pub(in super::super) fn eq(&mut self, x: Term, y: Term) -> Term {
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
        self.two(Op::Eq, 1, x, y, u128::from(x.value == y.value))
    }

    fn eq_constant(&mut self, x: Term, y: Term) -> Term {
        if x.width == 1 {
            return if y.value == 1 { x } else { self.not(x) };
        }
        let node = self.node(x.handle);
        match Op::from_number(node.op) {
            Some(op @ (Op::ZExt | Op::SExt)) => {
                let z = self.term(node.a);
                let narrow = Term::constant(y.value, z.width);
                let again =
                    if op == Op::ZExt { narrow.value } else { narrow.signed() as u128 & mask(x.width) };
                return if again == y.value { self.eq(z, narrow) } else { Term::truth(false) };
            }
            Some(Op::Not) => {
                let z = self.term(node.a);
                return self.eq(z, y.with_value(!y.value));
            }
            Some(op @ (Op::Add | Op::Sub | Op::Xor)) => {
                let (p, q) = (self.term(node.a), self.term(node.b));
                match op {
                    Op::Add if q.is_constant() => {
                        return self.eq(p, y.with_value(y.value.wrapping_sub(q.value)));
                    }
                    Op::Sub if p.is_constant() => {
                        return self.eq(q, y.with_value(p.value.wrapping_sub(y.value)));
                    }
                    Op::Xor if q.is_constant() => return self.eq(p, y.with_value(y.value ^ q.value)),
                    Op::Sub | Op::Xor if y.value == 0 => return self.eq(p, q),
                    _ => {}
                }
            }
            Some(Op::Concat) => {
                let (p, q) = (self.term(node.a), self.term(node.b));
                let (high, low) = (p.with_value(y.value >> q.width), q.with_value(y.value));
                if q.is_constant() {
                    return if q.is(low) { self.eq(p, high) } else { Term::truth(false) };
                }
                if p.is_constant() {
                    return if p.is(high) { self.eq(q, low) } else { Term::truth(false) };
                }
            }
            Some(Op::Ite) => {
                let (p, q) = (self.term(node.b), self.term(node.c));
                if p.is_constant() && q.is_constant() {
                    let condition = self.term(node.a);
                    return self.ite(condition, Term::truth(p.is(y)), Term::truth(q.is(y)));
                }
            }
            _ => {}
        }
        self.two(Op::Eq, 1, x, y, u128::from(x.value == y.value))
    }

    pub(in super::super) fn ult(&mut self, x: Term, y: Term) -> Term {
        if x.is(y) {
            return Term::truth(false);
        }
        if y.is_constant() {
            if self.maximum(x) < y.value {
                return Term::truth(true);
            }
            if y.value == 0 || x.is_constant() {
                return Term::truth(false);
            }
            if y.value == 1 {
                return self.eq(x, y.with_value(0));
            }
        } else if x.is_constant() {
            if x.value >= self.maximum(y) {
                return Term::truth(false);
            }
            if x.value == 0 {
                let zero = self.eq(y, x);
                return self.not(zero);
            }
        }
        if let Some((p, q)) = self.order_preserved(x, y) {
            return self.ult(p, q);
        }
        self.two(Op::Ult, 1, x, y, u128::from(x.value < y.value))
    }

    pub(in super::super) fn ule(&mut self, x: Term, y: Term) -> Term {
        if x.is(y) || (y.is_constant() && y.is_ones()) || (x.is_constant() && x.value == 0) {
            return Term::truth(true);
        }
        if y.is_constant() {
            return self.ult(x, y.with_value(y.value + 1));
        }
        if x.is_constant() {
            return self.ult(x.with_value(x.value - 1), y);
        }
        if let Some((p, q)) = self.order_preserved(x, y) {
            return self.ule(p, q);
        }
        self.two(Op::Ule, 1, x, y, u128::from(x.value <= y.value))
    }

    pub(in super::super) fn slt(&mut self, x: Term, y: Term) -> Term {
        if x.is_constant() && y.is_constant() {
            return Term::truth(x.signed() < y.signed());
        }
        let (least, greatest) = (1 << (x.width - 1), mask(x.width) >> 1);
        if x.is(y) || (y.is_constant() && y.value == least) || (x.is_constant() && x.value == greatest) {
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
        self.two(Op::Slt, 1, x, y, u128::from(x.signed() < y.signed()))
    }

    pub(in super::super) fn sle(&mut self, x: Term, y: Term) -> Term {
        let (least, greatest) = (1 << (x.width - 1), mask(x.width) >> 1);
        if x.is(y) || (y.is_constant() && y.value == greatest) || (x.is_constant() && x.value == least) {
            return Term::truth(true);
        }
        if y.is_constant() {
            return self.slt(x, y.with_value(y.value.wrapping_add(1)));
        }
        if x.is_constant() {
            return self.slt(x.with_value(x.value.wrapping_sub(1)), y);
        }
        if self.is_never_negative(x) && self.is_never_negative(y) {
            return self.ule(x, y);
        }
        if let Some((p, q)) = self.both(x, y, Op::SExt) {
            return self.sle(p, q);
        }
        self.two(Op::Sle, 1, x, y, u128::from(x.signed() <= y.signed()))
    }

    /// `slt` with a sign extension on one side and the like, or a constant, on the other.
    fn slt_of_sext(&mut self, x: Term, y: Term) -> Option<Term> {
        if let Some((p, q)) = self.both(x, y, Op::SExt) {
            return Some(self.slt(p, q));
        }
        let constant = if y.is_constant() { y } else { x };
        if !constant.is_constant() {
            return None;
        }
        let inner = self.argument(if y.is_constant() { x } else { y }, Op::SExt)?;
        let narrow = Term::constant(constant.value, inner.width);
        if narrow.signed() != constant.signed() {
            // The constant lies beyond everything the extension can be.
            let positive = constant.signed() > 0;
            return Some(Term::truth(positive == y.is_constant()));
        }
        Some(if y.is_constant() { self.slt(inner, narrow) } else { self.slt(narrow, inner) })
    }

    /// Narrower terms that compare, unsigned, as `x` and `y` do.
    fn order_preserved(&self, x: Term, y: Term) -> Option<(Term, Term)> {
        if y.is_constant() {
            let z = self.argument(x, Op::ZExt)?;
            return (y.value <= mask(z.width)).then(|| (z, Term::constant(y.value, z.width)));
        }
        if x.is_constant() {
            let z = self.argument(y, Op::ZExt)?;
            return (x.value <= mask(z.width)).then(|| (Term::constant(x.value, z.width), z));
        }
        self.both(x, y, Op::ZExt).or_else(|| self.both(x, y, Op::SExt))
    }
}
