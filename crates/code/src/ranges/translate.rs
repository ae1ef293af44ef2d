//! A module of LLVM's as code whose ranges can be told.

use super::float::FloatRange;
use super::int::IntRange;
use super::module::{Body, Check, Definition, End, Ending, Function, NumberedModule, Sign, ValueId};
use super::range::Range;
use super::{libm, table};
use std::collections::{HashMap, HashSet};
use testwright_llvm::{Block, Kind, Module, Opcode, Type, Value};

/// Code with more instructions is left alone.
const MOST_INSTRUCTIONS: usize = 60_000;

/// The code of a module; none if there is too much of it.
pub fn translate<'c>(module: &Module<'c>) -> Option<NumberedModule<'c>> {
    let functions: Vec<Value<'c>> =
        module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
    let mut blocks: Vec<(usize, Block<'c>, Vec<Value<'c>>)> = Vec::new();
    let mut count = 0;
    for (index, function) in functions.iter().enumerate() {
        for block in in_order(*function) {
            let instructions = block.instructions();
            count += instructions.len();
            blocks.push((index, block, instructions));
        }
        if count > MOST_INSTRUCTIONS {
            return None;
        }
    }
    let numbers = blocks.iter().enumerate().map(|(number, (_, block, _))| (*block, number)).collect();
    let places = functions.iter().enumerate().map(|(number, function)| (*function, number)).collect();
    let mut translator =
        Translator { module, code: NumberedModule::default(), blocks: numbers, functions: places };
    for function in &functions {
        translator.function(*function);
    }
    // Operands may be defined later, in loops, so all values have their numbers first.
    for instruction in blocks.iter().flat_map(|(_, _, instructions)| instructions) {
        let ty = Range::full(instruction.ty());
        translator.number(*instruction, Definition::Fixed, ty);
    }
    for (function, block, instructions) in &blocks {
        translator.body(*function, *block, instructions);
    }
    Some(translator.code)
}

/// The blocks of a function in reverse post-order; those that nothing leads to are left out.
fn in_order<'c>(function: Value<'c>) -> Vec<Block<'c>> {
    let Some(entry) = function.blocks().first().copied() else { return Vec::new() };
    let successors = |block: Block<'c>| block.terminator().map(Value::successors).unwrap_or_default();
    let mut seen = HashSet::from([entry]);
    let mut done = Vec::new();
    let mut open = vec![(entry, successors(entry))];
    while let Some((block, rest)) = open.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => open.push((next, successors(next))),
            Some(_) => {}
            None => {
                done.push(*block);
                open.pop();
            }
        }
    }
    done.reverse();
    done
}

struct Translator<'c, 'm> {
    module: &'m Module<'c>,
    code: NumberedModule<'c>,
    blocks: HashMap<Block<'c>, usize>,
    functions: HashMap<Value<'c>, usize>,
}

impl<'c> Translator<'c, '_> {
    fn number(&mut self, value: Value<'c>, definition: Definition, range: Range) -> ValueId {
        let id = ValueId(self.code.definitions.len() as u32);
        self.code.definitions.push(definition);
        self.code.types.push(range);
        self.code.numbers.insert(value, id);
        id
    }

    /// The number of an operand; constants get theirs here.
    fn operand(&mut self, value: Value<'c>) -> ValueId {
        match self.code.numbers.get(&value) {
            Some(id) => *id,
            None => self.number(value, Definition::Fixed, constant(value)),
        }
    }

    fn function(&mut self, function: Value<'c>) {
        let is_exposed =
            !function.is_internal() || function.users().into_iter().any(|user| !calls(user, function));
        let params = function.params();
        let params = params
            .into_iter()
            .map(|param| {
                let definition = if is_exposed { Definition::Fixed } else { Definition::Parameter };
                self.number(param, definition, Range::full(param.ty()))
            })
            .collect();
        let entry =
            function.blocks().first().and_then(|block| self.blocks.get(block)).copied().unwrap_or_default();
        self.code.functions.push(Function { params, entry, is_exposed });
    }

    fn body(&mut self, function: usize, block: Block<'c>, instructions: &[Value<'c>]) {
        let mut defines = Vec::new();
        for instruction in instructions {
            let Some(opcode) = instruction.opcode() else { continue };
            let id = self.code.numbers[instruction];
            let definition = self.definition(*instruction, opcode).unwrap_or(Definition::Fixed);
            self.code.definitions[id.index()] = definition;
            defines.push(id);
        }
        let ending = block.terminator().map_or(Ending::Jump(Vec::new()), |end| self.ending(end));
        self.code.bodies.push(Body { block, function, defines, ending });
    }

    fn ending(&mut self, end: Value<'c>) -> Ending {
        let to: Vec<usize> = end.successors().into_iter().map(|block| self.blocks[&block]).collect();
        match (end.opcode(), &to[..]) {
            (Some(Opcode::LLVMBr), [yes, no]) => Ending::Branch(self.operand(end.condition()), *yes, *no),
            (Some(Opcode::LLVMSwitch), [default, ..])
                if end.condition().ty().int_width() <= super::int::WIDEST =>
            {
                let cases = end.switch_cases().into_iter().zip(&to[1..]);
                let cases = cases.map(|((value, _), block)| (value as u64, *block)).collect();
                Ending::Switch(self.operand(end.condition()), *default, cases)
            }
            (Some(Opcode::LLVMRet), _) => {
                let value = (end.operand_count() > 0).then(|| end.operand(0));
                Ending::Return(value.map(|value| self.operand(value)))
            }
            _ => Ending::Jump(to),
        }
    }

    /// How an instruction computes its value, if that is something we follow.
    fn definition(&mut self, instruction: Value<'c>, opcode: Opcode) -> Option<Definition> {
        use Opcode::*;
        if is_scalar(instruction.ty()) && instruction.is_inexact() {
            return None;
        }
        match opcode {
            LLVMPHI => {
                let incoming = instruction.incoming().into_iter();
                // Edges from blocks that nothing leads to do not count.
                let known: Vec<(Value<'c>, usize)> =
                    incoming.filter_map(|(value, block)| Some((value, *self.blocks.get(&block)?))).collect();
                Some(Definition::Phi(
                    known.into_iter().map(|(value, block)| (block, self.operand(value))).collect(),
                ))
            }
            LLVMCall => self.call(instruction),
            LLVMExtractValue => self.part(instruction),
            _ if !is_scalar(instruction.ty()) => None,
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMAnd | LLVMOr
            | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr => {
                let (a, b) = self.pair(instruction)?;
                Some(Definition::Integers(opcode, a, b))
            }
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => {
                let (a, b) = self.pair(instruction)?;
                Some(Definition::Floats(opcode, a, b))
            }
            LLVMLoad => {
                let (table, index) = table::loaded(self.module, instruction)?;
                Some(Definition::Entry(table, self.operand(index)))
            }
            LLVMFNeg => Some(Definition::Negative(self.operand(instruction.operand(0)))),
            LLVMFreeze => Some(Definition::Copy(self.operand(instruction.operand(0)))),
            LLVMSelect => {
                let parts: Vec<ValueId> =
                    instruction.operands().into_iter().map(|part| self.operand(part)).collect();
                let [condition, yes, no] = parts[..] else { return None };
                Some(Definition::Select(condition, yes, no))
            }
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
            | LLVMFPTrunc | LLVMFPExt
                if is_scalar(instruction.operand(0).ty()) =>
            {
                Some(Definition::Cast(opcode, self.operand(instruction.operand(0))))
            }
            LLVMICmp => {
                let (a, b) = self.pair(instruction)?;
                Some(Definition::CompareIntegers(instruction.int_predicate(), a, b))
            }
            LLVMFCmp => {
                let (a, b) = self.pair(instruction)?;
                Some(Definition::CompareFloats(instruction.real_predicate(), a, b))
            }
            _ => None,
        }
    }

    /// Two operands whose ranges are kept.
    fn pair(&mut self, instruction: Value<'c>) -> Option<(ValueId, ValueId)> {
        let (a, b) = (instruction.operand(0), instruction.operand(1));
        is_scalar(a.ty()).then(|| (self.operand(a), self.operand(b)))
    }

    fn call(&mut self, call: Value<'c>) -> Option<Definition> {
        let callee = call.callee();
        if let Some(function) = self.functions.get(&callee).copied() {
            let arguments =
                call.call_arguments().into_iter().map(|argument| self.operand(argument)).collect();
            return Some(Definition::Call(function, arguments));
        }
        if !callee.is_function() || !is_scalar(call.ty()) {
            return None;
        }
        let name = callee.name();
        match name.strip_prefix("llvm.") {
            Some(intrinsic) => self.intrinsic(call, intrinsic.split('.').next().unwrap_or_default()),
            None => self.libm(
                call,
                name.strip_suffix('f').filter(|_| call.ty().kind() == Kind::Float).unwrap_or(&name),
            ),
        }
    }

    fn intrinsic(&mut self, call: Value<'c>, name: &str) -> Option<Definition> {
        let ids: Vec<ValueId> =
            call.call_arguments().into_iter().map(|argument| self.operand(argument)).collect();
        match (name, &ids[..]) {
            ("smin", [a, b]) => Some(Definition::Extreme(Sign::Signed, End::Least, *a, *b)),
            ("smax", [a, b]) => Some(Definition::Extreme(Sign::Signed, End::Most, *a, *b)),
            ("umin", [a, b]) => Some(Definition::Extreme(Sign::Unsigned, End::Least, *a, *b)),
            ("umax", [a, b]) => Some(Definition::Extreme(Sign::Unsigned, End::Most, *a, *b)),
            ("abs", [a, _]) => Some(Definition::Absolute(*a)),
            ("fmuladd" | "fma", [a, b, c]) => Some(Definition::MultiplyAdd(*a, *b, *c)),
            _ => self.libm(call, name),
        }
    }

    /// A function of libm; what takes other types than it returns is none of those that can be bounded.
    fn libm(&mut self, call: Value<'c>, name: &str) -> Option<Definition> {
        let arguments = call.call_arguments();
        let is_float = matches!(call.ty().kind(), Kind::Float | Kind::Double);
        if !is_float || arguments.iter().any(|argument| argument.ty() != call.ty()) {
            return None;
        }
        let bounded = libm::find(name, arguments.len())?;
        Some(Definition::Libm(
            bounded,
            arguments.into_iter().map(|argument| self.operand(argument)).collect(),
        ))
    }

    /// A part of the result of an operation that tells whether it overflows.
    fn part(&mut self, extract: Value<'c>) -> Option<Definition> {
        let call = extract.operand(0);
        if call.opcode() != Some(Opcode::LLVMCall) || !call.callee().is_function() {
            return None;
        }
        let name = call.callee().name();
        let (operation, rest) = name.strip_prefix("llvm.")?.split_once('.')?;
        let (sign, operation) = match operation.split_at_checked(1)? {
            ("s", operation) => (Sign::Signed, operation),
            ("u", operation) => (Sign::Unsigned, operation),
            _ => return None,
        };
        let opcode = match operation {
            "add" => Opcode::LLVMAdd,
            "sub" => Opcode::LLVMSub,
            "mul" => Opcode::LLVMMul,
            _ => return None,
        };
        let [a, b] = call.call_arguments()[..] else { return None };
        if !rest.starts_with("with.overflow") || !is_scalar(a.ty()) {
            return None;
        }
        let check = Check { sign, opcode, a: self.operand(a), b: self.operand(b) };
        match extract.indices()[..] {
            [0] => {
                let is_flag = |user: &Value<'c>| {
                    user.opcode() == Some(Opcode::LLVMExtractValue) && user.indices()[..] == [1]
                };
                let flag = call.users().into_iter().find(is_flag);
                Some(Definition::Checked(check, flag.map(|flag| self.operand(flag))))
            }
            [1] => Some(Definition::Overflow(check)),
            _ => None,
        }
    }
}

/// Whether somebody who uses a function just calls it, as what it is.
fn calls<'c>(user: Value<'c>, function: Value<'c>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall)
        && user.is_instruction()
        && user.callee() == function
        && user.call_type() == function.global_type()
        && !user.call_type().is_variadic()
        && !user.call_arguments().contains(&function)
}

/// Whether ranges are kept for a type.
fn is_scalar(ty: Type<'_>) -> bool {
    Range::full(ty) != Range::Any
}

fn constant(value: Value<'_>) -> Range {
    let full = Range::full(value.ty());
    match full {
        Range::Int(range) => {
            let bits = value.constant_int();
            bits.map_or(full, |bits| Range::Int(IntRange::constant(range.width(), bits as u64)))
        }
        Range::Float(_, precision) => {
            let number = value.constant_float();
            number.map_or(full, |number| Range::Float(FloatRange::constant(number), precision))
        }
        Range::Any => full,
    }
}
