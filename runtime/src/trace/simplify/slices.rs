//! Slices: extensions, extraction and concatenation are wiring, and mostly cancel out.

use testwright_abi::expr::{Node, Op};

use super::super::arena::Arena;
use super::super::term::Term;
use super::super::word::Word;

impl Arena {
    pub(in super::super) fn zext<W: Word>(&mut self, x: Term<W>, width: u16) -> Term<W> {
        if x.width() == width {
            return x;
        }
        if x.is_constant() {
            return Term::constant(x.value, width);
        }
        let inner = self.argument(x, Op::ZExt).unwrap_or(x);
        self.one(Op::ZExt, width, inner, x.value)
    }

    pub(in super::super) fn sext<W: Word>(&mut self, x: Term<W>, width: u16) -> Term<W> {
        if x.width() == width {
            return x;
        }
        let value = W::unsigned(x.signed());
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
    pub(in super::super) fn concat<W: Word>(&mut self, high: Term<W>, low: Term<W>) -> Term<W> {
        let width = high.width() + low.width();
        let value = high.value << u32::from(low.width()) | low.value;
        if high.is_constant() {
            if low.is_constant() {
                return Term::constant(value, width);
            }
            if high.value == W::ZERO {
                return self.zext(low, width);
            }
            if let Some((middle, lowest)) = self.constant_left(low, Op::Concat) {
                let joined = self.concat(high, middle);
                return self.concat(joined, lowest);
            }
        } else if let Some((whole, start)) = self.adjacent(high, low) {
            return self.extract(whole, start, width).into_word();
        }
        self.two(Op::Concat, width, high, low, value)
    }

    /// The term that `high` and `low` are neighbouring slices of, and where they start.
    fn adjacent<W: Word>(&self, high: Term<W>, low: Term<W>) -> Option<(Term<u128>, u16)> {
        let (upper, lower) = (self.node(high.handle()), self.node(low.handle()));
        let slice = Op::Extract as u8;
        let fits = upper.op == slice
            && lower.op == slice
            && upper.a == lower.a
            && upper.b == lower.b + u32::from(low.width());
        fits.then(|| (self.term(lower.a), lower.b as u16))
    }

    /// The `width` bits of `x` from bit `low` upwards.
    pub(in super::super) fn extract<W: Word>(&mut self, x: Term<W>, low: u16, width: u16) -> Term<W> {
        let (mut x, mut low) = (x, low);
        while x.width() != width {
            if x.is_constant() {
                return Term::constant(x.value >> u32::from(low), width);
            }
            let node = *self.node(x.handle());
            let Some(op) = Op::from_number(node.op) else { return self.slice(x, low, width) };
            if op == Op::Extract && self.node(node.a).width > W::BITS {
                let whole = self.term::<u128>(node.a);
                return self.extract(whole, node.b as u16 + low, width).into_word();
            }
            match self.origin(op, &node, low, width) {
                Some(origin) => (x, low) = origin,
                None => return self.cut(x, op, &node, low, width),
            }
        }
        x
    }

    /// A smaller term whose bits, from the position given, are the `width` bits of `node` from bit `low` upwards.
    #[inline]
    fn origin<W: Word>(&self, op: Op, node: &Node, low: u16, width: u16) -> Option<(Term<W>, u16)> {
        match op {
            Op::Extract => Some((self.term(node.a), node.b as u16 + low)),
            Op::And | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr => {
                let constant = self.term::<W>(node.b);
                if constant.is_constant() {
                    self.origin_beside(op, node.a, constant, low, width)
                } else {
                    None
                }
            }
            Op::ZExt => {
                let inner = self.term::<W>(node.a);
                if low >= inner.width() {
                    return Some((Term::constant(W::ZERO, width), 0));
                }
                (low + width <= inner.width()).then_some((inner, low))
            }
            Op::SExt => {
                let inner = self.term::<W>(node.a);
                (low + width <= inner.width()).then_some((inner, low))
            }
            Op::Concat => {
                let lower = self.term::<W>(node.b);
                if low >= lower.width() {
                    return Some((self.term(node.a), low - lower.width()));
                }
                (low + width <= lower.width()).then_some((lower, low))
            }
            Op::Bswap if low.is_multiple_of(8) && width == 8 => {
                Some((self.term(node.a), node.width - low - 8))
            }
            _ => None,
        }
    }

    /// As `origin`, for an operation on the node `a` and a constant, where that decides everything.
    #[inline]
    fn origin_beside<W: Word>(
        &self,
        op: Op,
        a: u32,
        constant: Term<W>,
        low: u16,
        width: u16,
    ) -> Option<(Term<W>, u16)> {
        let all = W::mask(width);
        let part = constant.value >> u32::from(low) & all;
        let amount = constant.value.clamped() as u16;
        match op {
            Op::And if part == W::ZERO => Some((Term::constant(W::ZERO, width), 0)),
            Op::Or if part == all => Some((Term::constant(all, width), 0)),
            Op::And if part == all => Some((self.term(a), low)),
            Op::Or | Op::Xor if part == W::ZERO => Some((self.term(a), low)),
            Op::Shl if low >= amount => Some((self.term(a), low - amount)),
            Op::Shl if low + width <= amount => Some((Term::constant(W::ZERO, width), 0)),
            Op::LShr | Op::AShr if low + amount + width <= constant.width() => {
                Some((self.term(a), low + amount))
            }
            Op::LShr if low + amount >= constant.width() => Some((Term::constant(W::ZERO, width), 0)),
            _ => None,
        }
    }

    /// A slice of `x`, an `op`, that is not a slice of something smaller.
    #[inline]
    fn cut<W: Word>(&mut self, x: Term<W>, op: Op, node: &Node, low: u16, width: u16) -> Term<W> {
        match op {
            Op::ZExt => {
                let inner = self.term::<W>(node.a);
                let part = self.extract(inner, low, inner.width() - low);
                self.zext(part, width)
            }
            Op::SExt if low == 0 => {
                let inner = self.term(node.a);
                self.sext(inner, width)
            }
            Op::And | Op::Or | Op::Xor | Op::Add | Op::Sub | Op::Mul if low == 0 => {
                match self.narrow(op, node, width) {
                    Some(term) => term,
                    None => self.slice(x, low, width),
                }
            }
            _ => self.slice(x, low, width),
        }
    }

    /// The low bits of an operation on operands that C widened: the operation on the original width.
    #[inline]
    fn narrow<W: Word>(&mut self, op: Op, node: &Node, width: u16) -> Option<Term<W>> {
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
    #[inline]
    fn unextended<W: Word>(&self, handle: u32, width: u16) -> Option<Term<W>> {
        let term = self.term::<W>(handle);
        if term.is_constant() {
            return Some(Term::constant(term.value, width));
        }
        let node = self.node(handle);
        if node.op != Op::ZExt as u8 && node.op != Op::SExt as u8 {
            return None;
        }
        let inner = self.term::<W>(node.a);
        (inner.width() == width).then_some(inner)
    }
}
