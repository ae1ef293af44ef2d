//! Terms: operands of an expression under construction, constant or with a node.

use testwright_abi::expr::Op;

use super::arena::Arena;
use super::word::Word;

/// A value of the run, and the node that computes it. Without a node it is a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Term<W> {
    /// The value in this run, zero-extended.
    pub(super) value: W,
    /// The node, and above it the width; packed so that a term of 64 bits travels in two registers.
    place: u64,
}

impl<W: Word> Term<W> {
    /// No operand.
    pub(super) const NONE: Term<W> = Term { value: W::ZERO, place: 0 };

    /// The term of the node `handle`, or a constant if that is 0.
    #[inline]
    pub(super) fn new(value: W, handle: u32, width: u16) -> Term<W> {
        Term { value, place: u64::from(handle) | u64::from(width) << 32 }
    }

    /// The constant `value`, cut to `width` bits.
    #[inline]
    pub(super) fn constant(value: W, width: u16) -> Term<W> {
        Term::new(value & W::mask(width), 0, width)
    }

    /// The 1-bit constant.
    #[inline]
    pub(super) fn truth(value: bool) -> Term<W> {
        Term::new(W::from(value), 0, 1)
    }

    /// Another constant of the same width.
    #[inline]
    pub(super) fn with_value(self, value: W) -> Term<W> {
        Term::constant(value, self.width())
    }

    /// The same term in another word, which it fits in.
    #[inline]
    pub(super) fn into_word<V: Word>(self) -> Term<V> {
        debug_assert!(self.width() <= V::BITS, "{self:?} is cut");
        Term { value: V::low(self.value.into()), place: self.place }
    }

    /// The node, 0 for a constant.
    #[inline]
    pub(super) fn handle(self) -> u32 {
        self.place as u32
    }

    /// Width in bits.
    #[inline]
    pub(super) fn width(self) -> u16 {
        (self.place >> 32) as u16
    }

    #[inline]
    pub(super) fn is_constant(self) -> bool {
        self.handle() == 0
    }

    /// Whether this is the constant `value`.
    #[inline]
    pub(super) fn is_number(self, value: W) -> bool {
        self.is_constant() && self.value == value
    }

    /// Whether both are the same expression, or the same constant.
    #[inline]
    pub(super) fn is(self, other: Term<W>) -> bool {
        self.handle() == other.handle() && (!self.is_constant() || self.value == other.value)
    }

    /// Whether the value has all bits set.
    #[inline]
    pub(super) fn is_ones(self) -> bool {
        self.value == W::mask(self.width())
    }

    /// The value as a signed number.
    #[inline]
    pub(super) fn signed(self) -> W::Signed {
        self.value.signed(self.width())
    }

    /// Whether the sign bit of the value is set.
    #[inline]
    pub(super) fn is_negative(self) -> bool {
        self.value > self.greatest()
    }

    /// The least signed value of this width.
    #[inline]
    pub(super) fn least(self) -> W {
        W::ONE << u32::from(self.width() - 1)
    }

    /// The greatest signed value of this width.
    #[inline]
    pub(super) fn greatest(self) -> W {
        W::mask(self.width()) >> 1
    }
}

/// The operands of a commutative operation in a fixed order: constants right, older nodes left.
#[inline]
pub(super) fn ordered<W: Word>(x: Term<W>, y: Term<W>) -> (Term<W>, Term<W>) {
    if !y.is_constant() && (x.is_constant() || x.handle() > y.handle()) { (y, x) } else { (x, y) }
}

/// Looking at the node of a term.
impl Arena {
    /// The operand of `x` if it is `op(operand)`.
    #[inline]
    pub(super) fn argument<W: Word>(&self, x: Term<W>, op: Op) -> Option<Term<W>> {
        let node = self.node(x.handle());
        (node.op == op as u8).then(|| self.term(node.a))
    }

    /// Both operands of `x` if it is `op(left, right)`.
    #[inline]
    pub(super) fn arguments<W: Word>(&self, x: Term<W>, op: Op) -> Option<(Term<W>, Term<W>)> {
        let node = self.node(x.handle());
        (node.op == op as u8).then(|| (self.term(node.a), self.term(node.b)))
    }

    /// Both operands of `x` if it is `op(left, constant)`.
    #[inline]
    pub(super) fn constant_right<W: Word>(&self, x: Term<W>, op: Op) -> Option<(Term<W>, Term<W>)> {
        self.arguments(x, op).filter(|(_, right)| right.is_constant())
    }

    /// Both operands of `x` if it is `op(constant, right)`.
    #[inline]
    pub(super) fn constant_left<W: Word>(&self, x: Term<W>, op: Op) -> Option<(Term<W>, Term<W>)> {
        self.arguments(x, op).filter(|(left, _)| left.is_constant())
    }

    /// The operands of `x` and `y` if both are `op` of operands of one width.
    #[inline]
    pub(super) fn both<W: Word>(&self, x: Term<W>, y: Term<W>, op: Op) -> Option<(Term<W>, Term<W>)> {
        let (p, q) = (self.argument(x, op)?, self.argument(y, op)?);
        (p.width() == q.width()).then_some((p, q))
    }
}
