//! Terms: operands of an expression under construction, constant or with a node.

use testwright_abi::expr::Op;

use super::arena::Arena;

/// A value of the run, and the node that computes it. Without a node it is a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Term {
    /// The value in this run, zero-extended.
    pub(super) value: u128,
    /// The node, 0 for a constant.
    pub(super) handle: u32,
    /// Width in bits.
    pub(super) width: u16,
}

impl Term {
    /// No operand.
    pub(super) const NONE: Term = Term { value: 0, handle: 0, width: 0 };

    /// The constant `value`, cut to `width` bits.
    #[inline]
    pub(super) const fn constant(value: u128, width: u16) -> Term {
        Term { value: value & mask(width), handle: 0, width }
    }

    /// The 1-bit constant.
    #[inline]
    pub(super) const fn truth(value: bool) -> Term {
        Term { value: value as u128, handle: 0, width: 1 }
    }

    /// Another constant of the same width.
    #[inline]
    pub(super) const fn with_value(self, value: u128) -> Term {
        Term::constant(value, self.width)
    }

    #[inline]
    pub(super) const fn is_constant(self) -> bool {
        self.handle == 0
    }

    /// Whether both are the same expression, or the same constant.
    #[inline]
    pub(super) const fn is(self, other: Term) -> bool {
        self.handle == other.handle && (self.handle != 0 || self.value == other.value)
    }

    /// Whether the value has all bits set.
    #[inline]
    pub(super) const fn is_ones(self) -> bool {
        self.value == mask(self.width)
    }

    /// The value as a signed number.
    #[inline]
    pub(super) const fn signed(self) -> i128 {
        let shift = 128 - self.width as u32;
        (self.value << shift) as i128 >> shift
    }
}

/// All ones in `width` bits, 1 to 128; 0 for no width.
#[inline]
pub(super) const fn mask(width: u16) -> u128 {
    const MASKS: [u128; 129] = {
        let mut masks = [0; 129];
        let mut width = 1;
        while width <= 128 {
            masks[width] = u128::MAX >> (128 - width);
            width += 1;
        }
        masks
    };
    MASKS[width as usize]
}

/// The operands of a commutative operation in a fixed order: constants right, older nodes left.
#[inline]
pub(super) fn ordered(x: Term, y: Term) -> (Term, Term) {
    if y.handle != 0 && (x.handle == 0 || x.handle > y.handle) { (y, x) } else { (x, y) }
}

/// Looking at the node of a term.
impl Arena {
    /// The operand of `x` if it is `op(operand)`.
    #[inline]
    pub(super) fn argument(&self, x: Term, op: Op) -> Option<Term> {
        if x.is_constant() {
            return None;
        }
        let node = self.node(x.handle);
        (node.op == op as u8).then(|| self.term(node.a))
    }

    /// Both operands of `x` if it is `op(left, right)`.
    #[inline]
    pub(super) fn arguments(&self, x: Term, op: Op) -> Option<(Term, Term)> {
        if x.is_constant() {
            return None;
        }
        let node = self.node(x.handle);
        (node.op == op as u8).then(|| (self.term(node.a), self.term(node.b)))
    }

    /// Both operands of `x` if it is `op(left, constant)`.
    #[inline]
    pub(super) fn constant_right(&self, x: Term, op: Op) -> Option<(Term, Term)> {
        self.arguments(x, op).filter(|(_, right)| right.is_constant())
    }

    /// Both operands of `x` if it is `op(constant, right)`.
    #[inline]
    pub(super) fn constant_left(&self, x: Term, op: Op) -> Option<(Term, Term)> {
        self.arguments(x, op).filter(|(left, _)| left.is_constant())
    }

    /// The operands of `x` and `y` if both are `op` of operands of one width.
    #[inline]
    pub(super) fn both(&self, x: Term, y: Term, op: Op) -> Option<(Term, Term)> {
        let (p, q) = (self.argument(x, op)?, self.argument(y, op)?);
        (p.width == q.width).then_some((p, q))
    }
}
