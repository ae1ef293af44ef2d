//! Tests of the solver against the evaluator, by operation and as a whole.

use testwright_logic::expr::Exprs;
use testwright_logic::path::Constraint;

use crate::testing::holds;

mod incremental;
mod limits;
mod operations;
mod queries;
mod readable;

/// Whether some values of the two 8-bit inputs satisfy all constraints: every pair is tried.
fn holds_for_some(exprs: &Exprs, constraints: &[Constraint]) -> bool {
    (0..256u128).any(|x| (0..256u128).any(|y| holds(exprs, constraints, &[(0, x), (1, y)].into())))
}
