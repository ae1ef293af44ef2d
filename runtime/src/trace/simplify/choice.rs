//! Choices: a selection with equal arms is none, and on one bit it is an "and" or an "or".

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::Term;
use super::super::word::Word;

impl Arena {
    /// `x` if the 1-bit `condition` is true, else `y`.
    pub(in super::super) fn ite<W: Word>(&mut self, condition: Term<W>, x: Term<W>, y: Term<W>) -> Term<W> {
        let value = if condition.value == W::ONE { x.value } else { y.value };
        if condition.is_constant() {
            return if condition.value == W::ONE { x } else { y };
        }
        if x.is(y) {
            return x;
        }
        if let Some(opposite) = self.argument(condition, Op::Not) {
            return self.ite(opposite, y, x);
        }
        if x.width() == 1 && (x.is_constant() || y.is_constant()) {
            return self.logical(condition, x, y);
        }
        self.three(Op::Ite, condition, x, y, value)
    }

    /// As `ite`, for one bit and at least one constant arm: how `&&` and `||` look after optimisation.
    fn logical<W: Word>(&mut self, condition: Term<W>, x: Term<W>, y: Term<W>) -> Term<W> {
        if x.is_number(W::ONE) {
            return self.or(condition, y);
        }
        if y.is_number(W::ZERO) {
            return self.and(condition, x);
        }
        let opposite = self.not(condition);
        if x.is_constant() { self.and(opposite, y) } else { self.or(opposite, x) }
    }
}
