//! Evaluation: the range of a result from the ranges of its operands.

use super::float::FloatRange;
use super::int::IntRange;
use super::module::{Check, Definition, Sign, ValueId};
use super::order::Order;
use super::range::Range;
use super::{float_operations, int_operations};
use testwright_llvm::Opcode;

/// The range of a pure operation whose result has this type, by the ranges of its operands; none if one of them has no
/// value yet. What stands for itself, a parameter say, has the range of its type.
pub fn evaluate(
    definition: &Definition,
    ty: Range,
    range: &impl Fn(ValueId) -> Option<Range>,
) -> Option<Range> {
    use Definition::*;
    let result = match definition {
        Fixed | Parameter | Phi(_) | Call(..) => ty,
        Copy(a) => range(*a)?,
        Select(condition, yes, no) => match range(*condition)?.is_true() {
            Some(true) => range(*yes)?,
            Some(false) => range(*no)?,
            None => range(*yes)?.join(range(*no)?),
        },
        Entry(table, index) => table.at(range(*index)?),
        Cast(opcode, a) => cast(*opcode, range(*a)?, ty),
        Floats(..) | Negative(_) | MultiplyAdd(..) | Libm(..) => floats(definition, ty, range)?,
        CompareFloats(predicate, a, b) => match (range(*a)?, range(*b)?) {
            (Range::Float(ra, _), Range::Float(rb, _)) => {
                let order = if a == b { ra.order_with_itself() } else { ra.order(rb) };
                Range::truth(order.decides(Order::of(*predicate, true)))
            }
            _ => ty,
        },
        CompareIntegers(predicate, a, b) => match (range(*a)?, range(*b)?) {
            (Range::Int(a), Range::Int(b)) => Range::truth(a.compare(*predicate, b)),
            _ => ty,
        },
        Overflow(check) => match integers(*check, range)? {
            Some((a, b)) => Range::truth(int_operations::overflows(check.opcode, check.sign, a, b)),
            None => ty,
        },
        Checked(check, flag) => match integers(*check, range)? {
            Some((a, b)) => {
                let is_exact = flag.and_then(range).and_then(Range::is_true) == Some(false);
                let exact =
                    is_exact.then(|| int_operations::without_overflow(check.opcode, check.sign, a, b));
                Range::Int(exact.flatten().unwrap_or_else(|| int_operations::binary(check.opcode, a, b)))
            }
            None => ty,
        },
        Integers(opcode, a, b) => match (range(*a)?, range(*b)?) {
            (Range::Int(a), Range::Int(b)) => Range::Int(int_operations::binary(*opcode, a, b)),
            _ => ty,
        },
        Extreme(sign, end, a, b) => match (range(*a)?, range(*b)?) {
            (Range::Int(a), Range::Int(b)) => Range::Int(int_operations::extreme(*sign, *end, a, b)),
            _ => ty,
        },
        Absolute(a) => match range(*a)? {
            Range::Int(a) => Range::Int(int_operations::absolute(a)),
            _ => ty,
        },
    };
    Some(result)
}

/// The operands of a check, if they are integers.
fn integers(check: Check, range: &impl Fn(ValueId) -> Option<Range>) -> Option<Option<(IntRange, IntRange)>> {
    match (range(check.a)?, range(check.b)?) {
        (Range::Int(a), Range::Int(b)) => Some(Some((a, b))),
        _ => Some(None),
    }
}

fn floats(definition: &Definition, ty: Range, range: &impl Fn(ValueId) -> Option<Range>) -> Option<Range> {
    let Range::Float(_, precision) = ty else { return Some(ty) };
    // What is no float has no business here; nothing is known of it.
    let float = |id: ValueId| -> Option<FloatRange> {
        range(id).map(|range| if let Range::Float(range, _) = range { range } else { FloatRange::FULL })
    };
    let result = match definition {
        Definition::Floats(opcode, a, b) => {
            float_operations::binary(*opcode, float(*a)?, float(*b)?, precision)
        }
        Definition::Negative(a) => float_operations::negative(float(*a)?),
        Definition::MultiplyAdd(a, b, c) => {
            float_operations::multiply_add(float(*a)?, float(*b)?, float(*c)?, precision)
        }
        Definition::Libm(function, arguments) => {
            let arguments: Option<Vec<FloatRange>> =
                arguments.iter().map(|argument| float(*argument)).collect();
            function.of(&arguments?, precision)
        }
        _ => FloatRange::FULL,
    };
    Some(Range::Float(result, precision))
}

fn cast(opcode: Opcode, a: Range, ty: Range) -> Range {
    match (opcode, a, ty) {
        (Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt, Range::Int(a), Range::Int(to)) => {
            Range::Int(int_operations::cast(opcode, a, to.width()))
        }
        (Opcode::LLVMSIToFP, Range::Int(a), Range::Float(_, precision)) => {
            Range::Float(float_operations::from_int(a.signed(), precision), precision)
        }
        (Opcode::LLVMUIToFP, Range::Int(a), Range::Float(_, precision)) => {
            Range::Float(float_operations::from_int(a.unsigned(), precision), precision)
        }
        (Opcode::LLVMFPToSI, Range::Float(a, _), Range::Int(to)) => {
            Range::Int(float_operations::to_int(a, to.width(), Sign::Signed))
        }
        (Opcode::LLVMFPToUI, Range::Float(a, _), Range::Int(to)) => {
            Range::Int(float_operations::to_int(a, to.width(), Sign::Unsigned))
        }
        (Opcode::LLVMFPTrunc | Opcode::LLVMFPExt, Range::Float(a, _), Range::Float(_, precision)) => {
            Range::Float(float_operations::monotone(a, |value| precision.round(value)), precision)
        }
        _ => ty,
    }
}
