//! Inversion: what a bound on a result says about the operands.

use super::float::{FloatRange, Precision};
use super::module::{Definition, Sign, ValueId};
use super::range::Range;
use super::{float_operations, int_operations};
use testwright_llvm::Opcode;

/// Bounds on the operands of an operation whose result lies in a range, by what is known of the operands.
pub fn operand_bounds(
    definition: &Definition,
    result: Range,
    range: &impl Fn(ValueId) -> Option<Range>,
) -> Vec<(ValueId, Range)> {
    match (definition, result) {
        (Definition::Copy(a), _) => vec![(*a, result)],
        (Definition::Cast(opcode, a), _) => {
            let bound = range(*a).and_then(|operand| before_cast(*opcode, result, operand));
            bound.map(|bound| (*a, bound)).into_iter().collect()
        }
        (Definition::Integers(opcode, a, b), Range::Int(_)) => integers(*opcode, (*a, *b), result, range),
        (Definition::Checked(check, _), Range::Int(_)) => {
            integers(check.opcode, (check.a, check.b), result, range)
        }
        (_, Range::Float(number, precision)) => floats(definition, number, precision, range),
        _ => Vec::new(),
    }
}

/// Sums and differences wrap, and so do those that take them back.
fn integers(
    opcode: Opcode,
    (a, b): (ValueId, ValueId),
    result: Range,
    range: &impl Fn(ValueId) -> Option<Range>,
) -> Vec<(ValueId, Range)> {
    let (Range::Int(result), Some(Range::Int(of_a)), Some(Range::Int(of_b))) = (result, range(a), range(b))
    else {
        return Vec::new();
    };
    let compute = |opcode, x, y| Range::Int(int_operations::binary(opcode, x, y));
    match opcode {
        Opcode::LLVMAdd => {
            vec![(a, compute(Opcode::LLVMSub, result, of_b)), (b, compute(Opcode::LLVMSub, result, of_a))]
        }
        Opcode::LLVMSub => {
            vec![(a, compute(Opcode::LLVMAdd, result, of_b)), (b, compute(Opcode::LLVMSub, of_a, result))]
        }
        _ => Vec::new(),
    }
}

/// The exact result lies within a step of the rounded one; what takes it back is rounded once more.
///
/// Beside a number that is finite, and not zero where that matters, the result is no number if and only if the other
/// operand is none.
fn floats(
    definition: &Definition,
    result: FloatRange,
    precision: Precision,
    range: &impl Fn(ValueId) -> Option<Range>,
) -> Vec<(ValueId, Range)> {
    let exact = result.unrounded(precision).without_nan();
    let finite = |id: ValueId| match range(id) {
        Some(Range::Float(range, _)) => {
            let may_cause_nan = range.may_be_nan() && result.may_be_nan();
            let is_known = !range.has_infinity() && range.numbers().is_some() && !may_cause_nan;
            is_known.then_some(range.without_nan())
        }
        _ => None,
    };
    let take_back = |opcode: Opcode, x: FloatRange, y: FloatRange| {
        if exact.numbers().is_none() {
            return Range::Float(FloatRange::NAN, precision);
        }
        let back = float_operations::binary(opcode, x, y, precision).unrounded(precision);
        Range::Float(back.without_nan().or_nan(result.may_be_nan()), precision)
    };
    let mut bounds = Vec::new();
    match definition {
        Definition::Floats(Opcode::LLVMFAdd, a, b) => {
            bounds.extend(finite(*b).map(|of_b| (*a, take_back(Opcode::LLVMFSub, exact, of_b))));
            bounds.extend(finite(*a).map(|of_a| (*b, take_back(Opcode::LLVMFSub, exact, of_a))));
        }
        Definition::Floats(Opcode::LLVMFSub, a, b) => {
            bounds.extend(finite(*b).map(|of_b| (*a, take_back(Opcode::LLVMFAdd, exact, of_b))));
            bounds.extend(finite(*a).map(|of_a| (*b, take_back(Opcode::LLVMFSub, of_a, exact))));
        }
        Definition::Floats(Opcode::LLVMFMul, a, b) => {
            let divisor = |id: ValueId| finite(id).filter(|range| !range.has(0.0));
            bounds.extend(divisor(*b).map(|of_b| (*a, take_back(Opcode::LLVMFDiv, exact, of_b))));
            bounds.extend(divisor(*a).map(|of_a| (*b, take_back(Opcode::LLVMFDiv, exact, of_a))));
        }
        Definition::Floats(Opcode::LLVMFDiv, a, b) => {
            let divisor = finite(*b).filter(|range| !range.has(0.0));
            bounds.extend(divisor.map(|of_b| (*a, take_back(Opcode::LLVMFMul, exact, of_b))));
        }
        Definition::Negative(a) => {
            bounds.push((*a, Range::Float(float_operations::negative(result), precision)));
        }
        Definition::Libm(function, arguments) if function.is_absolute() => {
            for argument in arguments {
                if let Some(Range::Float(operand, _)) = range(*argument) {
                    bounds.push((
                        *argument,
                        Range::Float(float_operations::signed(result, operand), precision),
                    ));
                }
            }
        }
        _ => {}
    }
    bounds
}

fn before_cast(opcode: Opcode, result: Range, operand: Range) -> Option<Range> {
    match (opcode, result, operand) {
        (Opcode::LLVMZExt, Range::Int(result), Range::Int(operand)) => {
            let (low, high) = result.unsigned();
            operand.within_unsigned(low, high).map(Range::Int)
        }
        (Opcode::LLVMSExt, Range::Int(result), Range::Int(operand)) => {
            let (low, high) = result.signed();
            operand.within_signed(low, high).map(Range::Int)
        }
        (Opcode::LLVMSIToFP | Opcode::LLVMUIToFP, Range::Float(result, precision), Range::Int(operand)) => {
            let sign = if opcode == Opcode::LLVMSIToFP { Sign::Signed } else { Sign::Unsigned };
            let (low, high) = float_operations::integers(result, operand.read(sign), precision)?;
            operand.within(sign, low, high).map(Range::Int)
        }
        (Opcode::LLVMFPExt, Range::Float(result, _), Range::Float(_, precision)) => {
            Some(Range::Float(result, precision))
        }
        _ => None,
    }
}
