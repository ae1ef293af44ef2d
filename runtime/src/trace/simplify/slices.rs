//! Slices: extensions, extraction and concatenation are wiring, and mostly cancel out.

use testwright_abi::expr::{Node, Op};

use super::super::arena::Arena;
use super::super::term::{Term, mask};

impl Arena {
    pub(in super::super) fn zext(&mut self, x: Term, width: u16) -> Term {
        if x.width == width {
            return x;
        }
        if x.is_constant() {
            return Term::constant(x.value, width);
        }
        let inner = self.argument(x, Op::ZExt).unwrap_or(x);
        self.one(Op::ZExt, width, inner, x.value)
    }

    pub(in super::super) fn sext(&mut self, x: Term, width: u16) -> Term {
        if x.width == width {
            return x;
        }
        let value = x.signed() as u128;
        if x.is_constant() {
            return Term::constant(value, width);
        }
        if let Some(inner) = self.argument(x, Op::ZExt) {
            return self.zext(inner, width);
        }
        let inner = self.argument(x, Op::SExt).unwrap_or(x);
        self.one(Op::SExt, width, inner, value)
    }

    /// `high` above `low`.
    pub(in super::super) fn concat(&mut self, high: Term, low: Term) -> Term {
        let width = high.width + low.width;
        let value = high.value << low.width | low.value;
        if high.is_constant() {
            if low.is_constant() {
                return Term::constant(value, width);
            }
            if high.value == 0 {
                return self.zext(low, width);
            }
            if let Some((middle, lowest)) = self.constant_left(low, Op::Concat) {
                let joined = self.concat(high, middle);
                return self.concat(joined, lowest);
            }
        } else if let Some((whole, start)) = self.adjacent(high, low) {
            return self.extract(whole, start, width);
        }
        self.two(Op::Concat, width, high, low, value)
    }

    /// The term that `high` and `low` are neighbouring slices of, and where they start.
    fn adjacent(&self, high: Term, low: Term) -> Option<(Term, u16)> {
        if low.is_constant() {
            return None;
        }
        let (upper, lower) = (self.node(high.handle), self.node(low.handle));
        let slice = Op::Extract as u8;
        let fits = upper.op == slice
            && lower.op == slice
            && upper.a == lower.a
            && upper.b == lower.b + u32::from(low.width);
        fits.then(|| (self.term(lower.a), lower.b as u16))
    }

    /// The `width` bits of `x` from bit `low` upwards.
    pub(in super::super) fn extract(&mut self, x: Term, low: u16, width: u16) -> Term {
        if width == x.width {
            return x;
        }
        let value = x.value >> low & mask(width);
        if x.is_constant() {
            return Term::constant(value, width);
        }
        let node = self.node(x.handle);
        let simpler = match Op::from_number(node.op) {
            Some(Op::Extract) => {
                let inner = self.term(node.a);
                Some(self.extract(inner, node.b as u16 + low, width))
            }
            Some(Op::Concat) => self.extract_of_concat(&node, low, width),
            Some(Op::ZExt) => Some(self.extract_of_zext(&node, low, width)),
            Some(Op::SExt) => self.extract_of_sext(&node, low, width),
            Some(Op::Bswap) if low.is_multiple_of(8) && width == 8 => {
                let inner = self.term(node.a);
                Some(self.extract(inner, inner.width - low - 8, 8))
            }
            Some(op @ (Op::And | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr)) => self
                .extract_of_constant_op(op, &node, low, width)
                .or_else(|| self.extract_of_extended(op, &node, low, width)),
            Some(op @ (Op::Add | Op::Sub | Op::Mul)) => self.extract_of_extended(op, &node, low, width),
            _ => None,
        };
        match simpler {
            Some(term) => term,
            None => self.slice(x, low, width, value),
        }
    }

    fn extract_of_concat(&mut self, node: &Node, low: u16, width: u16) -> Option<Term> {
        let (upper, lower) = (self.term(node.a), self.term(node.b));
        if low >= lower.width {
            Some(self.extract(upper, low - lower.width, width))
        } else if low + width <= lower.width {
            Some(self.extract(lower, low, width))
        } else {
            None
        }
    }

    fn extract_of_zext(&mut self, node: &Node, low: u16, width: u16) -> Term {
        let inner = self.term(node.a);
        if low >= inner.width {
            return Term::constant(0, width);
        }
        let part = self.extract(inner, low, width.min(inner.width - low));
        self.zext(part, width)
    }

    fn extract_of_sext(&mut self, node: &Node, low: u16, width: u16) -> Option<Term> {
        let inner = self.term(node.a);
        if low + width <= inner.width {
            Some(self.extract(inner, low, width))
        } else if low == 0 {
            Some(self.sext(inner, width))
        } else {
            None
        }
    }

    /// A slice of an operation whose right operand is a constant, where that constant decides everything.
    fn extract_of_constant_op(&mut self, op: Op, node: &Node, low: u16, width: u16) -> Option<Term> {
        let (x, c) = (self.term(node.a), self.term(node.b));
        if !c.is_constant() {
            return None;
        }
        let part = c.value >> low & mask(width);
        let amount = c.value as u16;
        match op {
            Op::And if part == 0 => Some(Term::constant(0, width)),
            Op::Or if part == mask(width) => Some(Term::constant(part, width)),
            Op::And if part == mask(width) => Some(self.extract(x, low, width)),
            Op::Or | Op::Xor if part == 0 => Some(self.extract(x, low, width)),
            Op::Shl if low >= amount => Some(self.extract(x, low - amount, width)),
            Op::Shl if low + width <= amount => Some(Term::constant(0, width)),
            Op::LShr | Op::AShr if low + amount + width <= x.width => {
                Some(self.extract(x, low + amount, width))
            }
            Op::LShr if low + amount >= x.width => Some(Term::constant(0, width)),
            _ => None,
        }
    }

    /// The low bits of an operation on operands that C widened: the operation on the original width.
    fn extract_of_extended(&mut self, op: Op, node: &Node, low: u16, width: u16) -> Option<Term> {
        if low != 0 || matches!(op, Op::Shl | Op::LShr | Op::AShr) {
            return None;
        }
        let (x, y) = (self.unextended(node.a, width)?, self.unextended(node.b, width)?);
        Some(match op {
            Op::And => self.and(x, y),
            Op::Or => self.or(x, y),
            Op::Xor => self.xor(x, y),
            Op::Add => self.add(x, y),
            Op::Sub => self.sub(x, y),
            _ => self.mul(x, y),
        })
    }

    /// The term of `width` bits that `handle` is an extension of.
    fn unextended(&self, handle: u32, width: u16) -> Option<Term> {
        let term = self.term(handle);
        if term.is_constant() {
            return Some(Term::constant(term.value, width));
        }
        let inner = self.argument(term, Op::ZExt).or_else(|| self.argument(term, Op::SExt))?;
        (inner.width == width).then_some(inner)
    }
}
