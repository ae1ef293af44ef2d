//! Derived expressions: terms over what a run recorded, which the run itself never computed.

use testwright_abi::expr::{Node, Op};

use super::{ExprId, Exprs, eval, next_stamp, validate};

impl Exprs {
    /// Adds the result of an operation on expressions that are there, with the value it would have had in the run. None if the
    /// operands do not fit the operation, or if it has no value for them.
    pub fn derive(&mut self, op: Op, width: u32, operands: &[ExprId]) -> Option<ExprId> {
        if operands.len() != op.arity() || matches!(op, Op::App | Op::Table | Op::Extract) {
            return None;
        }
        let field = |place: usize| operands.get(place).map_or(0, |id| id.0);
        self.add(op, width, [field(0), field(1), field(2)])
    }

    /// Adds a constant of up to 64 bits.
    pub fn derive_constant(&mut self, width: u32, value: u64) -> Option<ExprId> {
        self.add(Op::Const, width, [0, value as u32, (value >> 32) as u32])
    }

    fn add(&mut self, op: Op, width: u32, [a, b, c]: [u32; 3]) -> Option<ExprId> {
        let width = u16::try_from(width).ok()?;
        let node = Node { op: op as u8, function: 0, width, a, b, c, value: 0 };
        let mut expr = validate::expr(self, &node).ok()?;
        let mut values = [0; 3];
        for (value, operand) in values.iter_mut().zip(expr.operands()) {
            *value = self.get(operand).value;
        }
        expr.value = eval::compute(self, &expr, values, &[]).ok()?;
        let handle = u32::try_from(self.exprs.len() + 1).ok()?;
        self.exprs.push(expr);
        self.stamp = next_stamp();
        Some(ExprId(handle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::eval::Evaluator;
    use crate::testing::Arena;

    #[test]
    fn derived_expressions_have_the_values_that_the_run_would_have_given_them() {
        let mut arena = Arena::default();
        let (x, y) = (arena.input(0, 32, 7), arena.input(1, 32, 9));
        let recorded = arena.finish();
        let mut exprs = recorded.clone();
        let two = exprs.derive_constant(32, 2).expect("a constant");
        let sum = exprs.derive(Op::Add, 32, &[x, two]).expect("a sum");
        let equal = exprs.derive(Op::Eq, 1, &[sum, y]).expect("a truth value");
        assert_eq!((exprs.get(sum).value, exprs.get(equal).value), (9, 1));
        assert_eq!(Evaluator::new(&exprs, &[7, 8]).value(equal), Ok(0));
        assert_ne!(exprs.stamp(), recorded.stamp(), "what is known of one arena is not taken for the other");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut arena = Arena::default();
        let (x, narrow) = (arena.input(0, 32, 7), arena.input(1, 8, 0));
        let mut exprs = arena.finish();
        let count = exprs.len();
        assert_eq!(exprs.derive(Op::Add, 32, &[x, narrow]), None, "operands of two widths");
        assert_eq!(exprs.derive(Op::Add, 32, &[x]), None, "an operand is missing");
        assert_eq!(exprs.derive(Op::UDiv, 8, &[narrow, narrow]), None, "no value: the divisor is zero");
        assert_eq!(exprs.derive_constant(8, 256), None, "a constant of more bits");
        assert_eq!(exprs.len(), count);
    }
}
