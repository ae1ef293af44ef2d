//! The check of a whole trace: every recorded value is the one its expression has.

use std::fmt;

use super::eval::{self, Fault};
use super::{ExprId, Exprs};

/// A recorded value that is not the expression's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    /// The expression.
    pub id: ExprId,
    /// The value in the run.
    pub recorded: u128,
    /// What the evaluator says.
    pub computed: Result<u128, Fault>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Disagreement { id, recorded, computed } = self;
        write!(f, "expression {}: the run had {recorded:#x}, ", id.handle())?;
        match computed {
            Ok(value) => write!(f, "the evaluator has {value:#x}"),
            Err(fault) => write!(f, "the evaluator has no value ({fault})"),
        }
    }
}

/// Recomputes every expression and compares with what the run recorded.
///
/// Starting from the inputs, each expression is computed from the recorded values of its operands. As long as
/// nothing disagrees these are the computed ones; after a disagreement, expressions above it are not blamed
/// for it. A NaN agrees with any other NaN where a floating-point operation made it (see
/// [`super::Expr::computes_float`]); a NaN that was moved as bits must be the same one.
#[must_use]
pub fn check(exprs: &Exprs) -> Vec<Disagreement> {
    let inputs = exprs.recorded_inputs();
    let mut disagreements = vec![];
    for (id, expr) in exprs.iter() {
        let mut operands = [0; 3];
        for (value, operand) in operands.iter_mut().zip(expr.operands()) {
            *value = exprs.get(operand).value;
        }
        let computed = eval::compute(exprs, expr, operands, &inputs);
        if computed != Ok(expr.value) {
            disagreements.push(Disagreement { id, recorded: expr.value, computed });
        }
    }
    disagreements
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Arena;
    use testwright_abi::expr::Op;

    /// `op(x, x) ^ x`, where the run went on with `delta` more than `op` gives.
    fn with_wrong_difference(op: Op, x: u128, delta: u128) -> Vec<Disagreement> {
        let mut arena = Arena::default();
        let input = arena.input(0, 64, x);
        let difference = arena.op(op, 64, &[input, input]);
        let above = arena.op(Op::Xor, 64, &[difference, input]);
        let mut nodes = arena.nodes().to_vec();
        let wrong = nodes[difference.handle() as usize].value + delta;
        nodes[difference.handle() as usize].value = wrong;
        nodes[above.handle() as usize].value = wrong ^ x;
        check(&Exprs::from_nodes(&nodes, vec![]).unwrap())
    }

    #[test]
    fn a_wrong_value_is_reported_once_where_it_began() {
        assert_eq!(with_wrong_difference(Op::Sub, 7, 0), []);
        let wrong = with_wrong_difference(Op::Sub, 7, 3);
        assert_eq!(wrong.len(), 1);
        assert_eq!(wrong[0].to_string(), "expression 2: the run had 0x3, the evaluator has 0x0");
    }

    #[test]
    fn one_nan_is_as_good_as_another_where_it_was_computed_but_not_where_it_was_moved() {
        let infinity = u128::from(f64::INFINITY.to_bits());
        assert_eq!(with_wrong_difference(Op::FSub, infinity, 1), []);
        let nan = u128::from(f64::NAN.to_bits());
        assert_eq!(with_wrong_difference(Op::FCopysign, nan, 1).len(), 1);
    }

    #[test]
    fn a_division_that_would_have_trapped_is_a_disagreement() {
        let mut arena = Arena::default();
        let x = arena.input(0, 8, 0);
        let mut quotient = arena.nodes()[1];
        (quotient.op, quotient.a, quotient.b) = (Op::UDiv as u8, x.handle(), x.handle());
        arena.push(quotient);
        let disagreements = check(&arena.finish());
        assert_eq!(disagreements.len(), 1);
        assert_eq!(disagreements[0].computed, Err(Fault::DivisionByZero));
    }
}
