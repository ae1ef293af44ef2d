//! Points: the operations that have mutants, because they decide, or because their values are returned, stored or passed on.

use crate::inspect::PLACE_KIND;
use crate::instrument::emitter::Emitter;
use testwright_abi::mutant::Operation;
use testwright_llvm::{IntPredicate, Kind, Opcode, RealPredicate, Type, Value};

/// An operation that has mutants.
#[derive(Debug, Clone, Copy)]
pub struct Point<'c> {
    /// The instruction whose place it has.
    pub at: Value<'c>,
    /// The operation.
    pub operation: Operation,
    /// Where the value is that mutants change.
    pub held: Held<'c>,
}

/// Where a value is that mutants change.
#[derive(Debug, Clone, Copy)]
pub enum Held<'c> {
    /// The instruction computes it from two operands.
    Computed { a: Value<'c>, b: Value<'c> },
    /// An operand of an instruction; it is asked for before another one.
    Operand { user: Value<'c>, index: usize, before: Value<'c> },
    /// The instruction stores it.
    Stored,
    /// Whether the instruction calls.
    Called,
    /// The value of a switch, as one of its cases sees it; `other` has no case.
    Case { value: u64, other: u64 },
}

/// Finds points.
pub struct Points {
    place: u32,
    sanitizer: u32,
}

impl Points {
    /// For a module.
    pub fn new(emitter: &Emitter<'_, '_>) -> Points {
        let kind = |name| emitter.module.context().metadata_kind(name);
        Points { place: kind(PLACE_KIND), sanitizer: kind("nosanitize") }
    }

    /// Those of a function, in its order.
    pub fn of<'c>(&self, function: Value<'c>) -> Vec<Point<'c>> {
        let mut found = Vec::new();
        for instruction in function.blocks().into_iter().flat_map(testwright_llvm::Block::instructions) {
            if instruction.opcode() == Some(Opcode::LLVMPHI) {
                self.joined(instruction, &mut found);
            } else if instruction.has_metadata(self.place) && self.is_of_program(instruction) {
                at(instruction, &mut found);
            }
        }
        found
    }

    /// Whether it is no part of a sanitizer check. What is checked for overflow is marked as one, and is the program's all the same.
    fn is_of_program(&self, instruction: Value<'_>) -> bool {
        !instruction.has_metadata(self.sanitizer) || instruction.opcode() == Some(Opcode::LLVMExtractValue)
    }

    /// Constants that variables have where ways join: their assignments stand at the end of each way.
    fn joined<'c>(&self, phi: Value<'c>, found: &mut Vec<Point<'c>>) {
        let incoming = phi.incoming();
        for (index, (value, block)) in incoming.iter().enumerate() {
            let is_alone = incoming.iter().filter(|(_, other)| other == block).count() == 1;
            let Some(end) = block.terminator().filter(|end| is_alone && end.has_metadata(self.place)) else {
                continue;
            };
            if let Some(operation) = constant(*value) {
                let held = Held::Operand { user: phi, index, before: end };
                found.push(Point { at: end, operation, held });
            }
        }
    }
}

fn at<'c>(instruction: Value<'c>, found: &mut Vec<Point<'c>>) {
    let Some(opcode) = instruction.opcode() else { return };
    let mut point = |operation, held| found.push(Point { at: instruction, operation, held });
    let operand = |index| Held::Operand { user: instruction, index, before: instruction };
    match opcode {
        Opcode::LLVMStore if !instruction.is_volatile() && fits(instruction.operand(0).ty()) => {
            point(Operation::Store, Held::Stored);
            passed_on(instruction.operand(0)).into_iter().for_each(|one| point(one, operand(0)));
        }
        Opcode::LLVMRet if instruction.operand_count() == 1 => {
            passed_on(instruction.operand(0)).into_iter().for_each(|one| point(one, operand(0)));
        }
        Opcode::LLVMSelect => {
            for index in [1, 2] {
                constant(instruction.operand(index)).into_iter().for_each(|one| point(one, operand(index)));
            }
        }
        Opcode::LLVMSwitch => cases(instruction).into_iter().for_each(|held| point(Operation::Case, held)),
        Opcode::LLVMCall => call(instruction, &mut point),
        Opcode::LLVMExtractValue => {
            if let Some((operation, call)) = checked(instruction) {
                point(operation, Held::Computed { a: call.operand(0), b: call.operand(1) });
            }
        }
        _ => {
            let Some(operation) = operation(instruction) else { return };
            let [a, b] = [0, 1].map(|index| instruction.operand(index));
            // One more or less in a sum is a mutant of the sum; whether something is zero is one of the comparison.
            let is_sum =
                matches!(opcode, Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMFAdd | Opcode::LLVMFSub);
            for (index, value) in [a, b].into_iter().enumerate().filter(|_| !is_sum) {
                let is_truth = opcode == Opcode::LLVMICmp && value.constant_int() == Some(0);
                let is_inverse = opcode == Opcode::LLVMXor;
                constant(value)
                    .filter(|_| !is_truth && !is_inverse)
                    .into_iter()
                    .for_each(|one| point(one, operand(index)));
            }
            point(operation, Held::Computed { a, b });
        }
    }
}

/// Calls of functions: what is passed on, and the call itself if nobody uses what it returns.
fn call<'c>(call: Value<'c>, point: &mut impl FnMut(Operation, Held<'c>)) {
    let callee = call.callee();
    let is_copy =
        ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|name| callee.name().starts_with(name));
    if callee.is_inline_assembly() || (callee.is_function() && callee.is_intrinsic() && !is_copy) {
        return;
    }
    if !is_copy {
        let count = call.call_arguments().len();
        for index in 0..count {
            let held = Held::Operand { user: call, index, before: call };
            passed_on(call.operand(index)).into_iter().for_each(|one| point(one, held));
        }
    }
    let goes_on = call.next().is_some_and(|next| next.opcode() != Some(Opcode::LLVMUnreachable));
    if call.users().is_empty() && goes_on {
        point(Operation::Call, Held::Called);
    }
}

/// A case of each value that is left out leads to a value that has none.
fn cases<'c>(switch: Value<'c>) -> Vec<Held<'c>> {
    if !fits(switch.condition().ty()) {
        return Vec::new();
    }
    let values: Vec<u64> = switch.switch_cases().into_iter().map(|(value, _)| value as u64).collect();
    let width = switch.condition().ty().int_width().min(63);
    let Some(other) = (0..1 << width).find(|other| !values.contains(other)) else { return Vec::new() };
    values.into_iter().map(|value| Held::Case { value, other }).collect()
}

/// The first part of what arithmetic with a check for overflow gives.
fn checked<'c>(extract: Value<'c>) -> Option<(Operation, Value<'c>)> {
    let call = extract.operand(0);
    if extract.indices() != [0] || call.opcode() != Some(Opcode::LLVMCall) || !fits(extract.ty()) {
        return None;
    }
    let name = call.callee().name();
    let operations = [("add", Operation::Add), ("sub", Operation::Subtract), ("mul", Operation::Multiply)];
    let is_meant = |what: &str| {
        ["s", "u"].iter().any(|sign| name.starts_with(&format!("llvm.{sign}{what}.with.overflow.")))
    };
    operations.into_iter().find(|(what, _)| is_meant(what)).map(|(_, operation)| (operation, call))
}

/// A value that is used as it is: a constant, or one that no operation with mutants computes.
fn passed_on(value: Value<'_>) -> Option<Operation> {
    if let Some(operation) = constant(value) {
        return Some(operation);
    }
    if value.is_constant() || operation(value).is_some() || checked_part(value) || !fits(value.ty()) {
        return None;
    }
    match value.ty().kind() {
        Kind::Int if value.ty().int_width() > 1 => Some(Operation::Value),
        Kind::Float | Kind::Double => Some(Operation::FloatValue),
        // Where something was allocated or lies is not what a test asks about.
        Kind::Pointer if value.opcode() != Some(Opcode::LLVMAlloca) => Some(Operation::Address),
        _ => None,
    }
}

fn checked_part(value: Value<'_>) -> bool {
    value.opcode() == Some(Opcode::LLVMExtractValue) && checked(value).is_some()
}

/// The operation of a constant; none if it has no mutants.
fn constant(value: Value<'_>) -> Option<Operation> {
    if !value.is_constant() || value.is_undefined() || value.is_constant_expression() {
        return None;
    }
    match value.ty().kind() {
        Kind::Int if value.ty().int_width() <= 64 => match value.constant_int()? {
            0 | 1 => Some(Operation::Bit),
            _ => Some(Operation::Constant),
        },
        Kind::Float | Kind::Double => Some(Operation::FloatConstant),
        _ => None,
    }
}

/// Whether values of a type can be handed over.
pub fn fits(ty: Type<'_>) -> bool {
    match ty.kind() {
        Kind::Int => ty.int_width() <= 64,
        Kind::Float | Kind::Double | Kind::Pointer => true,
        _ => false,
    }
}

/// The operation of a comparison or computation; none if it has no mutants.
fn operation(instruction: Value<'_>) -> Option<Operation> {
    use Opcode::*;
    let opcode = instruction.opcode().filter(|_| instruction.is_instruction())?;
    if instruction.operand_count() == 0 || !fits(instruction.operand(0).ty()) {
        return None;
    }
    Some(match opcode {
        LLVMAdd => Operation::Add,
        LLVMSub => Operation::Subtract,
        LLVMMul => Operation::Multiply,
        LLVMSDiv => Operation::Divide,
        LLVMUDiv => Operation::DivideUnsigned,
        LLVMSRem => Operation::Remainder,
        LLVMURem => Operation::RemainderUnsigned,
        LLVMAnd => Operation::And,
        LLVMOr => Operation::Or,
        LLVMXor => Operation::Xor,
        LLVMShl => Operation::ShiftLeft,
        LLVMLShr => Operation::ShiftRight,
        LLVMAShr => Operation::ShiftRightSigned,
        LLVMFAdd => Operation::FloatAdd,
        LLVMFSub => Operation::FloatSubtract,
        LLVMFMul => Operation::FloatMultiply,
        LLVMFDiv => Operation::FloatDivide,
        LLVMICmp => comparison(instruction),
        LLVMFCmp => float_comparison(instruction)?,
        _ => return None,
    })
}

fn comparison(compare: Value<'_>) -> Operation {
    use IntPredicate::*;
    let ty = compare.operand(0).ty();
    let has_order = ty.kind() == Kind::Int && ty.int_width() > 1;
    match compare.int_predicate() {
        LLVMIntEQ if has_order => Operation::Equal,
        LLVMIntNE if has_order => Operation::NotEqual,
        LLVMIntEQ => Operation::Same,
        LLVMIntNE => Operation::Different,
        LLVMIntSLT => Operation::Less,
        LLVMIntSLE => Operation::LessEqual,
        LLVMIntSGT => Operation::Greater,
        LLVMIntSGE => Operation::GreaterEqual,
        LLVMIntULT => Operation::LessUnsigned,
        LLVMIntULE => Operation::LessEqualUnsigned,
        LLVMIntUGT => Operation::GreaterUnsigned,
        LLVMIntUGE => Operation::GreaterEqualUnsigned,
    }
}

fn float_comparison(compare: Value<'_>) -> Option<Operation> {
    use RealPredicate::*;
    Some(match compare.real_predicate() {
        LLVMRealOEQ => Operation::FloatEqual,
        LLVMRealUNE => Operation::FloatNotEqual,
        LLVMRealOLT => Operation::FloatLess,
        LLVMRealOLE => Operation::FloatLessEqual,
        LLVMRealOGT => Operation::FloatGreater,
        LLVMRealOGE => Operation::FloatGreaterEqual,
        _ => return None,
    })
}
