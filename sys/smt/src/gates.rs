//! Gates: about how much propositional logic an expression becomes.

use testwright_abi::expr::Op;
use testwright_logic::expr::{Expr, Exprs};

/// Queries of more gates are not given to the incremental solver: it turns everything into gates in one go, about ten
/// microseconds each, and cannot be stopped meanwhile.
pub(crate) const MOST_AT_ONCE: u64 = 20_000;

/// Queries of more arithmetic with floats are given up: each operation becomes thousands of gates, and Z3 does not look at the
/// clock while it makes and simplifies them.
pub(crate) const MOST_FLOATS: u64 = 128;

/// Whether an expression is arithmetic with floats.
pub(crate) fn is_float_arithmetic(expr: &Expr) -> bool {
    matches!(expr.op, Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FSqrt | Op::FFma)
}

/// The gates of one expression, its operands not counted.
pub(crate) fn gates(exprs: &Exprs, expr: &Expr) -> u64 {
    let widths = expr.operands().map(|operand| u64::from(exprs.get(operand).width()));
    let width = widths.max().unwrap_or(0);
    match expr.op {
        Op::Mul => width * factor_bits(exprs, expr).min(width),
        Op::SMulO | Op::UMulO => 2 * width * width,
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => 2 * width * width,
        Op::Shl | Op::LShr | Op::AShr => width * 8,
        Op::Const | Op::Input | Op::Concat | Op::ZExt | Op::SExt | Op::Extract => 0,
        _ => width,
    }
}

/// How many sums a product is made of: one per bit that may be set in the factor that has the fewest.
fn factor_bits(exprs: &Exprs, expr: &Expr) -> u64 {
    let bits = |value: u128| u64::from(value.count_ones());
    let constants = expr.operands().filter_map(|operand| exprs.get(operand).constant());
    constants.map(bits).min().unwrap_or(u64::MAX)
}
