//! Constraints: what one step of a path says about the inputs.

use crate::expr::ExprId;
use crate::expr::eval::{EvalError, Evaluator};

/// What a step says about the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint {
    /// The 1-bit expression is true.
    IsTrue(ExprId),
    /// The 1-bit expression is false.
    IsFalse(ExprId),
    /// The expression has this value.
    Equals(ExprId, u128),
    /// The expression has none of these values.
    NoneOf(ExprId, Vec<u128>),
    /// The expression has one of these values.
    OneOf(ExprId, Vec<u128>),
    /// The step decides nothing.
    Nothing,
}

impl Constraint {
    /// The expression it is about.
    #[must_use]
    pub fn expr(&self) -> Option<ExprId> {
        match self {
            Constraint::IsTrue(expr)
            | Constraint::IsFalse(expr)
            | Constraint::Equals(expr, _)
            | Constraint::NoneOf(expr, _)
            | Constraint::OneOf(expr, _) => Some(*expr),
            Constraint::Nothing => None,
        }
    }

    /// Whether it holds for the evaluator's inputs.
    ///
    /// # Errors
    /// When the expression has no value for them.
    pub fn holds(&self, evaluator: &mut Evaluator) -> Result<bool, EvalError> {
        Ok(match self {
            Constraint::IsTrue(expr) => evaluator.value(*expr)? == 1,
            Constraint::IsFalse(expr) => evaluator.value(*expr)? == 0,
            Constraint::Equals(expr, value) => evaluator.value(*expr)? == *value,
            Constraint::NoneOf(expr, values) => !values.contains(&evaluator.value(*expr)?),
            Constraint::OneOf(expr, values) => values.contains(&evaluator.value(*expr)?),
            Constraint::Nothing => true,
        })
    }
}
