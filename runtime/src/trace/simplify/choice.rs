//! Choices: a selection with equal arms is none, and on one bit it is an "and" or an "or".

use testwright_abi::expr::Op;

use super::super::arena::Arena;
use super::super::term::Term;

impl Arena {
    /// `x` if the 1-bit `condition` is true, else `y`.
    pub(in super::super) fn ite(&mut self, condition: Term, x: Term, y: Term) -> Term {
        let value = if condition.value == 1 { x.value } else { y.value };
        if condition.is_constant() {
            return if condition.value == 1 { x } else { y };
        }
        if x.is(y) {
            return x;
        }
        if let Some(opposite) = self.argument(condition, Op::Not) {
            return self.ite(opposite, y, x);
        }
        if x.width == 1 && (x.is_constant() || y.is_constant()) {
            return self.logical(condition, x, y);
        }
        self.three(Op::Ite, condition, x, y, value)
    }

    /// As `ite`, for one bit and at least one constant arm: how `&&` and `||` look after optimisation.
    fn logical(&mut self, condition: Term, x: Term, y: Term) -> Term {
        match (x.is_constant(), x.value, y.is_constant(), y.value) {
            (true, 1, _, _) => self.or(condition, y),
            (_, _, true, 0) => self.and(condition, x),
            (true, _, _, _) => {
                let opposite = self.not(condition);
                self.and(opposite, y)
            }
            _ => {
                let opposite = self.not(condition);
                self.or(opposite, x)
            }
        }
    }
}
