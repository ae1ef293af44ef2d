//! What a term can be at most, as far as a quick look at its node tells.

use testwright_abi::expr::{Node, Op};

use super::super::arena::Arena;
use super::super::term::Term;
use super::super::word::Word;

/// How many nodes deep to look.
const DEPTH: u32 = 3;

impl Arena {
    /// No value of `x` is greater than this, read as unsigned.
    #[inline]
    pub(in super::super) fn maximum<W: Word>(&self, x: Term<W>) -> W {
        // What comes from outside, where most searches begin, has no limit of its own.
        let op = self.node(x.handle()).op;
        if op == Op::Input as u8 || op == Op::Table as u8 {
            return W::mask(x.width());
        }
        self.maximum_within(x, DEPTH)
    }

    /// Whether the sign bit of `x` is never set.
    #[inline]
    pub(in super::super) fn is_never_negative<W: Word>(&self, x: Term<W>) -> bool {
        self.node(x.handle()).op == Op::ZExt as u8 || self.maximum(x) <= x.greatest()
    }

    /// All values of `x`, read as unsigned, fit in so many bits.
    pub(in super::super) fn unsigned_bits<W: Word>(&self, x: Term<W>) -> u16 {
        self.maximum(x).bits()
    }

    /// All values of `x`, read as signed, fit in so many bits.
    pub(in super::super) fn signed_bits<W: Word>(&self, x: Term<W>) -> u16 {
        self.signed_bits_within(x, DEPTH)
    }

    #[inline]
    fn maximum_within<W: Word>(&self, x: Term<W>, depth: u32) -> W {
        if x.is_constant() {
            return x.value;
        }
        let all = W::mask(x.width());
        let node = self.node(x.handle());
        let Some(op) = Op::from_number(node.op) else { return all };
        if depth == 0 {
            return if op == Op::ZExt { W::mask(self.node(node.a).width) } else { all };
        }
        self.limit::<W>(op, node, x.width(), depth - 1).map_or(all, |limit| limit.min(all))
    }

    /// No value of `node`, an `op`, is greater than this; none if its operands say nothing.
    fn limit<W: Word>(&self, op: Op, node: &Node, width: u16, depth: u32) -> Option<W> {
        if op == Op::Extract && self.node(node.a).width > W::BITS {
            let whole = self.maximum_within(self.term::<u128>(node.a), depth);
            return (whole.bits() <= width).then(|| W::low(whole));
        }
        let first = || self.maximum_within(self.term::<W>(node.a), depth);
        let right = || self.term::<W>(node.b);
        let second = || self.maximum_within(right(), depth);
        match op {
            Op::ZExt | Op::Extract => Some(first()),
            Op::And => Some(first().min(second())),
            Op::Or | Op::Xor => Some(filled(first().max(second()))),
            Op::Add => first().checked_add(second()),
            Op::Mul => first().checked_mul(second()),
            Op::Ite => Some(second().max(self.maximum_within(self.term(node.c), depth))),
            Op::Concat => Some(first() << u32::from(right().width()) | second()),
            Op::Shl | Op::LShr | Op::UDiv | Op::URem if right().is_constant() => {
                limit_beside(op, first(), right().value, width)
            }
            _ => None,
        }
    }

    fn signed_bits_within<W: Word>(&self, x: Term<W>, depth: u32) -> u16 {
        if x.is_constant() {
            let magnitude = if x.is_negative() { !x.value & W::mask(x.width()) } else { x.value };
            return magnitude.bits() + 1;
        }
        let unsigned = self.maximum_within(x, depth).bits();
        if unsigned < x.width() || depth == 0 {
            return (unsigned + 1).min(x.width());
        }
        let node = self.node(x.handle());
        let first = || self.signed_bits_within(self.term::<W>(node.a), depth - 1);
        let second = || self.signed_bits_within(self.term::<W>(node.b), depth - 1);
        let limit = match Op::from_number(node.op) {
            Some(Op::SExt) => first(),
            Some(Op::Add | Op::Sub) => first().max(second()) + 1,
            Some(Op::Mul) => first() + second(),
            Some(Op::Ite) => second().max(self.signed_bits_within(self.term::<W>(node.c), depth - 1)),
            _ => x.width(),
        };
        limit.min(x.width())
    }
}

/// The least number of ones that is not smaller.
fn filled<W: Word>(value: W) -> W {
    if value == W::ZERO { W::ZERO } else { W::mask(value.bits()) }
}

/// As `limit`, for an operation on something of at most `first` and a constant.
fn limit_beside<W: Word>(op: Op, first: W, constant: W, width: u16) -> Option<W> {
    match op {
        Op::Shl => {
            let amount = constant.clamped();
            let shorter = u32::from(first.bits()) + amount <= u32::from(width);
            shorter.then(|| first << amount)
        }
        Op::LShr => Some(first >> constant.clamped()),
        Op::UDiv => first.checked_div(constant),
        _ => (constant != W::ZERO).then(|| first.min(constant.wrapping_sub(W::ONE))),
    }
}
