//! Validation: which nodes are expressions.
//!
//! Nodes come from the memory of a process that ran foreign code. One that passes here has a known operation,
//! operands that come before it, and widths that fit, so that everything after this can rely on them.

use testwright_abi::command::Leaf;
use testwright_abi::expr::{Node, Op};
use testwright_abi::libm::Function;
use testwright_abi::memory::REQUEST_SIZE;
use thiserror::Error;

use super::{Expr, ExprId, Exprs, mask};

/// A node is not an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expression {handle} of the trace is damaged: {kind}")]
pub struct ExprError {
    /// Its handle.
    pub handle: u32,
    /// What is wrong with it.
    pub kind: ExprErrorKind,
}

/// What is wrong with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ExprErrorKind {
    /// No operation has this number.
    #[error("no operation has the number {0}")]
    UnknownOp(u8),
    /// No function has this number.
    #[error("no function has the number {0}")]
    UnknownFunction(u8),
    /// An operand does not come before the node.
    #[error("operand {0} does not come before it")]
    BadOperand(u32),
    /// The width is not one that the operation has with such operands.
    #[error("{op:?} cannot have {width} bits with operands of {operands:?} bits")]
    BadWidth {
        /// The operation.
        op: Op,
        /// Width of the result.
        width: u16,
        /// Widths of the operands, 0 where there is none.
        operands: [u32; 3],
    },
    /// The bits to extract are not all there.
    #[error("bits from {0} upwards cannot be extracted")]
    BadExtract(u32),
    /// There is no such table, or it is too short to read from.
    #[error("table {0} cannot be read")]
    BadTable(u32),
    /// More inputs than a run can have, or one input with two widths.
    #[error("input {0} cannot be")]
    BadInput(u32),
    /// The value, or the constant, has more bits than the width.
    #[error("the value {0:#x} is wider than the expression")]
    BadValue(u128),
}

/// The expression that `node` is, after those in `exprs`.
pub(super) fn expr(exprs: &Exprs, node: &Node) -> Result<Expr, ExprErrorKind> {
    let op = Op::from_number(node.op).ok_or(ExprErrorKind::UnknownOp(node.op))?;
    let function = match op {
        Op::App => {
            Some(Function::from_number(node.function).ok_or(ExprErrorKind::UnknownFunction(node.function))?)
        }
        _ => None,
    };
    let fields = [node.a, node.b, node.c];
    let expr = Expr { op, function, width: node.width, fields, value: node.value };

    let mut operands = [0; 3];
    for (width, ExprId(handle)) in operands.iter_mut().zip(expr.operands()) {
        let id = exprs.id(handle).ok_or(ExprErrorKind::BadOperand(handle))?;
        *width = exprs.get(id).width();
    }
    if !(1..=128).contains(&node.width) || !widths_fit(&expr, operands) {
        return Err(ExprErrorKind::BadWidth { op, width: node.width, operands });
    }
    numbers_fit(exprs, &expr, operands[0])?;
    if node.value & !mask(expr.width()) != 0 {
        return Err(ExprErrorKind::BadValue(node.value));
    }
    Ok(expr)
}

/// Whether the width of the result fits the widths `a`, `b`, `c` of the operands.
fn widths_fit(expr: &Expr, [a, b, c]: [u32; 3]) -> bool {
    let width = expr.width();
    let float = |width| matches!(width, 32 | 64);
    match expr.op {
        Op::Const => width <= 64,
        Op::Input => true,
        Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem => width == a && a == b,
        Op::And | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr => width == a && a == b,
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => width == 1 && a == b,
        Op::SAddO | Op::UAddO | Op::SSubO | Op::USubO | Op::SMulO | Op::UMulO => width == 1 && a == b,
        Op::Concat => width == a + b,
        Op::Not | Op::Ctpop | Op::Ctlz | Op::Cttz | Op::Bitreverse => width == a,
        Op::Bswap => width == a && a.is_multiple_of(8),
        Op::ZExt | Op::SExt => width >= a,
        Op::Extract => width <= a,
        Op::Ite => a == 1 && width == b && b == c,
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem => float(width) && width == a && a == b,
        Op::FCopysign => float(width) && width == a && a == b,
        Op::FNeg | Op::FAbs | Op::FSqrt => float(width) && width == a,
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRound => float(width) && width == a,
        Op::FFma => float(width) && width == a && a == b && b == c,
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => width == 1 && float(a) && a == b,
        Op::FToS | Op::FToU => float(a),
        Op::SToF | Op::UToF => float(width),
        Op::FToF => float(width) && float(a) && width != a,
        Op::App => expr.function.is_some_and(|function| {
            let params = function.params().iter().map(|param| param.width());
            width == function.result().width()
                && params.eq([a, b, c].into_iter().take(function.params().len()))
        }),
        Op::Table => a == 64 && width.is_multiple_of(8),
    }
}

/// Checks the fields that are numbers; `a` is the width of the first operand.
fn numbers_fit(exprs: &Exprs, expr: &Expr, a: u32) -> Result<(), ExprErrorKind> {
    let [first, second, _] = expr.fields;
    match expr.op {
        Op::Const if constant(expr) & !mask(expr.width()) != 0 => {
            Err(ExprErrorKind::BadValue(constant(expr)))
        }
        Op::Extract if u64::from(second) + u64::from(expr.width) > u64::from(a) => {
            Err(ExprErrorKind::BadExtract(second))
        }
        Op::Table => {
            let table = exprs.tables.get(first as usize).ok_or(ExprErrorKind::BadTable(first))?;
            let fits = table.bytes.len() >= expr.width() as usize / 8;
            if fits { Ok(()) } else { Err(ExprErrorKind::BadTable(first)) }
        }
        Op::Input => {
            let same_width = exprs.inputs.get(&first).is_none_or(|&id| exprs.get(id).width == expr.width);
            let fits = u64::from(first) < REQUEST_SIZE / size_of::<Leaf>() as u64;
            if same_width && fits { Ok(()) } else { Err(ExprErrorKind::BadInput(first)) }
        }
        _ => Ok(()),
    }
}

/// The value of an [`Op::Const`], from its fields.
pub(super) fn constant(expr: &Expr) -> u128 {
    u128::from(expr.fields[1]) | u128::from(expr.fields[2]) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::smt::Script;
    use crate::expr::{Table, check};
    use crate::testing::node;
    use proptest::prelude::*;

    /// Handles: 1 and 2 are 32-bit inputs, 3 is a 64-bit one, 4 has 1 bit.
    fn with(last: Node) -> Result<Exprs, ExprErrorKind> {
        let mut nodes = vec![node(0, 0, [0; 3])];
        for (index, width) in [32, 32, 64, 1].into_iter().enumerate() {
            nodes.push(node(Op::Input as u8, width, [index as u32, 0, 0]));
        }
        nodes.push(last);
        let tables = vec![Table { bytes: vec![1, 2, 3] }];
        Exprs::from_nodes(&nodes, tables).map_err(|error| {
            assert_eq!(error.handle, 5);
            error.kind
        })
    }

    fn bad_width(op: Op, width: u16, fields: [u32; 3]) {
        let result = with(node(op as u8, width, fields)).map(|exprs| exprs.len());
        assert!(matches!(result, Err(ExprErrorKind::BadWidth { .. })), "{op:?} {width}: {result:?}");
    }

    fn good(op: Op, width: u16, fields: [u32; 3]) {
        let result = with(node(op as u8, width, fields)).map(|exprs| exprs.len());
        assert_eq!(result, Ok(5), "{op:?} {width}");
    }

    #[test]
    fn handle_zero_is_not_looked_at_and_may_be_missing() {
        assert_eq!(Exprs::from_nodes(&[], vec![]).map(|exprs| exprs.len()), Ok(0));
        assert_eq!(Exprs::from_nodes(&[node(255, 999, [9; 3])], vec![]).map(|exprs| exprs.len()), Ok(0));
    }

    #[test]
    fn unknown_operations_and_functions_are_refused() {
        assert_eq!(with(node(0, 32, [1, 2, 0])).unwrap_err(), ExprErrorKind::UnknownOp(0));
        assert_eq!(with(node(255, 32, [1, 2, 0])).unwrap_err(), ExprErrorKind::UnknownOp(255));
        let mut app = node(Op::App as u8, 64, [3, 0, 0]);
        app.function = 250;
        assert_eq!(with(app).unwrap_err(), ExprErrorKind::UnknownFunction(250));
    }

    #[test]
    fn operands_come_before_the_node() {
        for handle in [0, 5, 6, u32::MAX] {
            let kind = with(node(Op::Add as u8, 32, [1, handle, 0])).unwrap_err();
            assert_eq!(kind, ExprErrorKind::BadOperand(handle));
        }
    }

    #[test]
    fn widths_of_results_and_operands_fit() {
        good(Op::Add, 32, [1, 2, 0]);
        bad_width(Op::Add, 32, [1, 3, 0]);
        bad_width(Op::Add, 64, [1, 2, 0]);
        bad_width(Op::Eq, 32, [1, 2, 0]);
        good(Op::Concat, 96, [1, 3, 0]);
        bad_width(Op::Concat, 64, [1, 3, 0]);
        bad_width(Op::ZExt, 16, [1, 0, 0]);
        bad_width(Op::SExt, 129, [1, 0, 0]);
        bad_width(Op::Bswap, 1, [4, 0, 0]);
        good(Op::Ite, 32, [4, 1, 2]);
        bad_width(Op::Ite, 32, [1, 1, 2]);
        bad_width(Op::Ite, 32, [4, 1, 3]);
        bad_width(Op::FAdd, 1, [4, 4, 0]);
        bad_width(Op::FLt, 1, [1, 3, 0]);
        bad_width(Op::FToF, 32, [1, 0, 0]);
        bad_width(Op::FToS, 32, [4, 0, 0]);
        bad_width(Op::SToF, 16, [1, 0, 0]);
        bad_width(Op::Const, 128, [0, 0, 0]);
        bad_width(Op::Input, 0, [0, 0, 0]);
    }

    #[test]
    fn applications_have_the_widths_of_the_function() {
        let app = |function: Function, width, fields| {
            let mut app = node(Op::App as u8, width, fields);
            app.function = function as u8;
            with(app).map(|exprs| exprs.len())
        };
        assert_eq!(app(Function::ldexp, 64, [3, 1, 0]), Ok(5));
        assert!(matches!(app(Function::ldexp, 64, [1, 3, 0]), Err(ExprErrorKind::BadWidth { .. })));
        assert!(matches!(app(Function::ldexp, 32, [3, 1, 0]), Err(ExprErrorKind::BadWidth { .. })));
        assert_eq!(app(Function::pow, 64, [3, 0, 0]), Err(ExprErrorKind::BadOperand(0)));
    }

    #[test]
    fn numbers_in_nodes_are_checked() {
        good(Op::Extract, 8, [1, 24, 0]);
        assert_eq!(with(node(Op::Extract as u8, 8, [1, 25, 0])).unwrap_err(), ExprErrorKind::BadExtract(25));
        let huge = with(node(Op::Extract as u8, 8, [1, u32::MAX, 0])).unwrap_err();
        assert_eq!(huge, ExprErrorKind::BadExtract(u32::MAX));
        good(Op::Table, 24, [0, 3, 0]);
        assert_eq!(with(node(Op::Table as u8, 32, [0, 3, 0])).unwrap_err(), ExprErrorKind::BadTable(0));
        assert_eq!(with(node(Op::Table as u8, 8, [1, 3, 0])).unwrap_err(), ExprErrorKind::BadTable(1));
        assert_eq!(with(node(Op::Const as u8, 8, [0, 256, 0])).unwrap_err(), ExprErrorKind::BadValue(256));
        assert_eq!(with(node(Op::Input as u8, 16, [0, 0, 0])).unwrap_err(), ExprErrorKind::BadInput(0));
        let many = with(node(Op::Input as u8, 16, [u32::MAX, 0, 0])).unwrap_err();
        assert_eq!(many, ExprErrorKind::BadInput(u32::MAX));
        let mut wide = node(Op::Add as u8, 32, [1, 2, 0]);
        wide.value = 1 << 32;
        assert_eq!(with(wide).unwrap_err(), ExprErrorKind::BadValue(1 << 32));
    }

    proptest! {
        #[test]
        fn whatever_passes_can_be_evaluated_and_printed_without_a_panic(
            raw in prop::collection::vec(
                (0u8..75, any::<u8>(), prop::sample::select(vec![0u16, 1, 8, 32, 64, 65, 128, 200]),
                 [0u32..12, 0u32..12, 0u32..12], any::<bool>()), 1..40)
        ) {
            // Bad nodes are dropped, so that good ones on top of good ones are reached.
            let mut nodes = vec![node(0, 0, [0; 3])];
            for (op, function, width, fields, value) in raw {
                let mut next = node(op, width, fields);
                next.function = function;
                next.value = u128::from(value);
                nodes.push(next);
                if Exprs::from_nodes(&nodes, vec![Table { bytes: vec![1; 9] }]).is_err() {
                    nodes.pop();
                }
            }
            let exprs = Exprs::from_nodes(&nodes, vec![Table { bytes: vec![1; 9] }]).unwrap();
            prop_assert!(check(&exprs).len() <= exprs.len());
            let name = |_| String::new();
            let mut script = Script::new(&exprs, exprs.iter().map(|(id, _)| id), &name);
            for (id, expr) in exprs.iter() {
                script.assert_equals(id, expr.value);
            }
            prop_assert!(script.finish().len() > 10);
        }
    }
}
