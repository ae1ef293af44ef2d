//! The evaluator: the value of an expression for given inputs.
//!
//! It shares no code with the runtime that recorded the expressions nor with a solver, so it can contradict
//! both. The semantics are those that `testwright_abi::expr` states. Where the machine would raise an
//! exception instead of giving a value, and where a read would leave its table, evaluation fails: a run with
//! such inputs goes another way.
//!
//! A floating-point operation whose result is NaN has the NaN that the run recorded, if it recorded one; see
//! [`Expr::computes_float`].

use testwright_abi::expr::Op;
use thiserror::Error;

use super::validate::constant;
use super::{Expr, ExprId, Exprs, mask};

mod float;
mod integer;

pub(super) use float::is_nan;

/// An expression has no value for some inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expression {} has no value: {fault}", .id.handle())]
pub struct EvalError {
    /// The expression where evaluation failed, not necessarily the one asked for.
    pub id: ExprId,
    /// Why.
    pub fault: Fault,
}

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    /// There are not so many inputs.
    #[error("input {0} was not given")]
    MissingInput(u32),
    /// The divisor is 0.
    #[error("division by zero")]
    DivisionByZero,
    /// The smallest number is divided by -1 on 32 or 64 bits, where the processor raises an exception.
    #[error("the quotient is too large")]
    DivisionOverflow,
    /// A read would leave its table.
    #[error("offset {offset} is outside table {table}")]
    OutsideTable {
        /// The table.
        table: usize,
        /// The offset.
        offset: u128,
    },
}

/// Evaluates expressions for one choice of inputs, each expression once.
#[derive(Debug, Clone)]
pub struct Evaluator<'a> {
    exprs: &'a Exprs,
    inputs: Vec<u128>,
    values: Vec<Option<u128>>,
}

impl<'a> Evaluator<'a> {
    /// Evaluates with these inputs, by index; bits above the width of an input are ignored.
    #[must_use]
    pub fn new(exprs: &'a Exprs, inputs: &[u128]) -> Evaluator<'a> {
        Evaluator { exprs, inputs: inputs.to_vec(), values: vec![None; exprs.len()] }
    }

    /// Evaluates with the inputs of the run.
    #[must_use]
    pub fn recorded(exprs: &'a Exprs) -> Evaluator<'a> {
        Evaluator::new(exprs, &exprs.recorded_inputs())
    }

    /// The value of `id`, zero-extended.
    ///
    /// # Errors
    /// When it, or an expression it is made of, has no value for these inputs.
    pub fn value(&mut self, id: ExprId) -> Result<u128, EvalError> {
        let mut waiting = vec![];
        let mut current = id;
        loop {
            let expr = self.exprs.get(current);
            let known = self.values[current.index()];
            if let (None, Some(operand)) = (known, self.missing_operand(expr)) {
                waiting.push(current);
                current = operand;
                continue;
            }
            let value = match known {
                Some(value) => value,
                None => self.compute(expr).map_err(|fault| EvalError { id: current, fault })?,
            };
            self.values[current.index()] = Some(value);
            match waiting.pop() {
                Some(user) => current = user,
                None => return Ok(value),
            }
        }
    }

    fn missing_operand(&self, expr: &Expr) -> Option<ExprId> {
        expr.operands().find(|operand| self.values[operand.index()].is_none())
    }

    fn compute(&self, expr: &Expr) -> Result<u128, Fault> {
        let mut operands = [0; 3];
        for (value, operand) in operands.iter_mut().zip(expr.operands()) {
            *value = self.values[operand.index()].unwrap_or(0);
        }
        compute(self.exprs, expr, operands, &self.inputs)
    }
}

/// The value of `expr` when its operands have the values `[x, y, z]`.
pub(crate) fn compute(
    exprs: &Exprs,
    expr: &Expr,
    [x, y, z]: [u128; 3],
    inputs: &[u128],
) -> Result<u128, Fault> {
    let width = expr.width();
    let operand_width = |place| expr.operands().nth(place).map_or(width, |id| exprs.get(id).width());
    let value = match expr.op {
        Op::Const => constant(expr),
        Op::Input => *inputs.get(expr.fields[0] as usize).ok_or(Fault::MissingInput(expr.fields[0]))?,
        Op::Ite => {
            if x == 1 {
                y
            } else {
                z
            }
        }
        Op::Concat => x << operand_width(1) | y,
        Op::Extract => x >> expr.fields[1],
        Op::App => expr.function().map_or(0, |function| {
            u128::from(testwright_libm::call(function, [x as u64, y as u64, z as u64]))
        }),
        Op::Table => read(exprs, expr.fields[0] as usize, x, width as usize / 8)?,
        _ => match integer::compute(expr.op, operand_width(0), [x, y])? {
            Some(value) => value,
            None => float::compute(expr.op, width, operand_width(0), [x, y, z]).unwrap_or(0),
        },
    } & mask(width);
    let keeps_recorded_nan = expr.computes_float() && is_nan(width, value) && is_nan(width, expr.value);
    Ok(if keeps_recorded_nan { expr.value } else { value })
}

fn read(exprs: &Exprs, table: usize, offset: u128, length: usize) -> Result<u128, Fault> {
    let outside = Fault::OutsideTable { table, offset };
    let bytes = &exprs.tables().get(table).ok_or(outside)?.bytes;
    let start = usize::try_from(offset).map_err(|_| outside)?;
    let end = start.checked_add(length).ok_or(outside)?;
    let bytes = bytes.get(start..end).ok_or(outside)?;
    Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Arena;
    use testwright_abi::libm::Function;

    #[test]
    fn other_inputs_give_other_values() {
        let mut arena = Arena::default();
        let x = arena.input(0, 8, 200);
        let y = arena.input(1, 8, 100);
        let sum = arena.op(Op::Add, 8, &[x, y]);
        let exprs = arena.finish();
        assert_eq!(Evaluator::recorded(&exprs).value(sum), Ok(44));
        assert_eq!(Evaluator::new(&exprs, &[1, 0x1ff]).value(sum), Ok(0));
    }

    #[test]
    fn an_input_that_was_not_given_is_an_error() {
        let mut arena = Arena::default();
        let x = arena.input(4, 8, 0);
        let not = arena.op(Op::Not, 8, &[x]);
        let exprs = arena.finish();
        let error = EvalError { id: x, fault: Fault::MissingInput(4) };
        assert_eq!(Evaluator::new(&exprs, &[0; 4]).value(not), Err(error));
    }

    #[test]
    fn the_machine_exceptions_of_division_are_errors() {
        for (op, width, minimum) in [(Op::SDiv, 32, 1u128 << 31), (Op::SRem, 64, 1 << 63)] {
            let mut arena = Arena::default();
            let x = arena.input(0, width, 1);
            let y = arena.input(1, width, 1);
            let quotient = arena.op(op, width, &[x, y]);
            let exprs = arena.finish();
            let fault = |inputs: &[u128]| Evaluator::new(&exprs, inputs).value(quotient).unwrap_err().fault;
            assert_eq!(fault(&[5, 0]), Fault::DivisionByZero);
            assert_eq!(fault(&[minimum, u128::MAX]), Fault::DivisionOverflow);
        }
    }

    #[test]
    fn the_smallest_number_divided_by_minus_one_wraps_where_nothing_traps() {
        let mut arena = Arena::default();
        let x = arena.input(0, 16, 0x8000);
        let y = arena.input(1, 16, 0xffff);
        let quotient = arena.op(Op::SDiv, 16, &[x, y]);
        let rest = arena.op(Op::SRem, 16, &[x, y]);
        let exprs = arena.finish();
        assert_eq!(Evaluator::recorded(&exprs).value(quotient), Ok(0x8000));
        assert_eq!(Evaluator::recorded(&exprs).value(rest), Ok(0));
    }

    #[test]
    fn tables_are_read_little_endian_and_only_inside() {
        let mut arena = Arena::default();
        let offset = arena.input(0, 64, 0);
        let read = arena.table(16, &[1, 2, 3], offset);
        let exprs = arena.finish();
        let at = |offset: u128| Evaluator::new(&exprs, &[offset]).value(read).map_err(|error| error.fault);
        assert_eq!(at(0), Ok(0x0201));
        assert_eq!(at(1), Ok(0x0302));
        for offset in [2, 3, u128::from(u64::MAX)] {
            assert_eq!(at(offset), Err(Fault::OutsideTable { table: 0, offset }));
        }
    }

    #[test]
    fn pieces_are_taken_and_put_together() {
        let mut arena = Arena::default();
        let x = arena.input(0, 64, 0x1122_3344_5566_7788);
        let wide = arena.op(Op::Concat, 128, &[x, x]);
        let piece = arena.extract(12, wide, 60);
        let flag = arena.input(1, 1, 0);
        let byte = arena.extract(12, x, 0);
        let chosen = arena.op(Op::Ite, 12, &[flag, piece, byte]);
        let exprs = arena.finish();
        let inputs = |flag| [0x1122_3344_5566_7788, flag];
        assert_eq!(Evaluator::new(&exprs, &inputs(1)).value(chosen), Ok(0x881));
        assert_eq!(Evaluator::new(&exprs, &inputs(0)).value(chosen), Ok(0x788));
    }

    #[test]
    fn functions_of_libm_are_the_real_ones() {
        let mut arena = Arena::default();
        let x = arena.input(0, 64, u128::from(0.3f64.to_bits()));
        let exponent = arena.input(1, 32, u128::from(-3i32 as u32));
        let sine = arena.app(Function::sin, &[x]);
        let scaled = arena.app(Function::ldexp, &[sine, exponent]);
        let exprs = arena.finish();
        let expected = u128::from((0.3f64.sin() / 8.0).to_bits());
        assert_eq!(Evaluator::recorded(&exprs).value(scaled), Ok(expected));
    }

    #[test]
    fn a_nan_keeps_the_payload_that_was_recorded() {
        let mut arena = Arena::default();
        let x = arena.input(0, 64, u128::from(f64::INFINITY.to_bits()));
        let mut zero = arena.nodes()[1];
        zero.op = Op::FSub as u8;
        (zero.a, zero.b, zero.value) = (x.handle(), x.handle(), 0xfff8_0000_0000_1234);
        let nan = arena.push(zero);
        let piece = arena.extract(16, nan, 0);
        let exprs = arena.finish();
        assert_eq!(Evaluator::recorded(&exprs).value(piece), Ok(0x1234));
        assert_eq!(Evaluator::new(&exprs, &[0]).value(nan), Ok(0));
    }

    #[test]
    fn deep_expressions_do_not_use_the_stack() {
        let mut nodes = vec![crate::testing::node(0, 0, [0; 3])];
        nodes.push(crate::testing::node(Op::Input as u8, 8, [0; 3]));
        for handle in 1..300_000 {
            nodes.push(crate::testing::node(Op::Add as u8, 8, [handle, 1, 0]));
        }
        let exprs = Exprs::from_nodes(&nodes, vec![]).unwrap();
        let last = exprs.id(300_000).unwrap();
        assert_eq!(Evaluator::new(&exprs, &[1]).value(last), Ok(300_000 % 256));
    }
}
