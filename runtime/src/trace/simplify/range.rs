//! What a term can be at most, as far as a quick look at its node tells.

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::{Term, mask};

/// How many nodes deep to look.
const DEPTH: u32 = 3;

impl Arena {
    /// No value of `x` is greater than this, read as unsigned.
    pub(in super::super) fn maximum(&self, x: Term) -> u128 {
        self.maximum_within(x, DEPTH)
    }

    /// Whether the sign bit of `x` is never set.
    pub(in super::super) fn is_never_negative(&self, x: Term) -> bool {
        self.maximum(x) <= mask(x.width) >> 1
    }

    /// All values of `x`, read as unsigned, fit in so many bits.
    pub(in super::super) fn unsigned_bits(&self, x: Term) -> u16 {
        bits(self.maximum(x))
    }

    /// All values of `x`, read as signed, fit in so many bits.
    pub(in super::super) fn signed_bits(&self, x: Term) -> u16 {
        self.signed_bits_within(x, DEPTH)
    }

    fn maximum_within(&self, x: Term, depth: u32) -> u128 {
        if x.is_constant() {
            return x.value;
        }
        let all = mask(x.width);
        let node = self.node(x.handle);
        let Some(op) = Op::from_number(node.op) else { return all };
        if depth == 0 {
            return if op == Op::ZExt { mask(self.term(node.a).width) } else { all };
        }
        let first = || self.maximum_within(self.term(node.a), depth - 1);
        let right = || self.term(node.b);
        let second = || self.maximum_within(right(), depth - 1);
        let limit = match op {
            Op::ZExt | Op::Extract => Some(first()),
            Op::And => Some(first().min(second())),
            Op::Or | Op::Xor => Some(mask(bits(first().max(second())))),
            Op::Add => first().checked_add(second()),
            Op::Mul => first().checked_mul(second()),
            Op::Ite => Some(second().max(self.maximum_within(self.term(node.c), depth - 1))),
            Op::Concat => Some(first() << right().width | second()),
            Op::Shl if right().is_constant() => {
                let amount = right().value as u16;
                let shorter = bits(first()) + amount <= x.width;
                shorter.then(|| first() << amount)
            }
            Op::LShr if right().is_constant() => Some(first() >> right().value),
            Op::UDiv if right().is_constant() => first().checked_div(right().value),
            Op::URem if right().is_constant() && right().value != 0 => Some(first().min(right().value - 1)),
            _ => None,
        };
        limit.unwrap_or(all).min(all)
    }

    fn signed_bits_within(&self, x: Term, depth: u32) -> u16 {
        if x.is_constant() {
            let signed = x.signed();
            return bits((signed ^ (signed >> 127)) as u128) + 1;
        }
        let unsigned = bits(self.maximum_within(x, depth));
        if unsigned < x.width || depth == 0 {
            return (unsigned + 1).min(x.width);
        }
        let node = self.node(x.handle);
        let first = || self.signed_bits_within(self.term(node.a), depth - 1);
        let second = || self.signed_bits_within(self.term(node.b), depth - 1);
        let limit = match Op::from_number(node.op) {
            Some(Op::SExt) => first(),
            Some(Op::Add | Op::Sub) => first().max(second()) + 1,
            Some(Op::Mul) => first() + second(),
            Some(Op::Ite) => second().max(self.signed_bits_within(self.term(node.c), depth - 1)),
            _ => x.width,
        };
        limit.min(x.width)
    }
}

/// How many bits `value` needs.
fn bits(value: u128) -> u16 {
    128 - value.leading_zeros() as u16
}
