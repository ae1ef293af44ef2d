//! What in the code a search cannot vary or follow completely, block by block.
//!
//! This is a positive list: instructions, types, calls and places in memory that are known to be followed exactly pass, and
//! everything else is a doubt. Nothing behind a doubt is ever called infeasible.
//!
//! The list is read off a copy of the code before drivers and stubs are added. In the copy variables that are not set hold
//! nothing instead of a pattern, so that reading one shows.
//!
//! Pointers are followed to their objects within one function. What a parameter leads to is for callers to answer, so a function
//! with pointer parameters proves nothing. Other known losses: arrays and structs that are filled piece by piece, results behind
//! pointers to locals, everything behind a signed overflow. `testwright bench truth` counts false proofs and missed ones.

mod calls;
mod initialised;
mod pointers;
mod trusted;

use crate::inspect::function_values;
use crate::missing;
use pointers::{Base, bases};
use std::collections::{BTreeSet, HashMap, HashSet};
use testwright_base::contract::PRECONDITION;
use testwright_base::doubt::{About, Doubt};
use testwright_base::graph::FlowGraph;
use testwright_base::ids::{BlockId, FunctionId};
use testwright_base::subject::Subject;
use testwright_llvm::{Block, Error, Kind, Module, Opcode, Target, Type, Value};

/// Integers up to this width have expressions.
const WIDEST: u32 = 128;

/// Notes the doubts of every function of the subject.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn find(module: &Module<'_>, subject: &mut Subject, target: &Target) -> Result<(), Error> {
    let copy = module.duplicate();
    forget_patterns(&copy);
    copy.run_passes("function(sroa<preserve-cfg>)", target)?;
    let missing: HashSet<Value<'_>> = missing::functions(&copy).into_iter().collect();
    let doubts: Vec<Vec<Doubt>> = function_values(&copy)
        .into_iter()
        .enumerate()
        .map(|(index, function)| {
            let id = FunctionId::of(index);
            let is_ours = subject.function(id).model && !function.name().starts_with(PRECONDITION);
            if is_ours { Vec::new() } else { Finder::new(&copy, subject, &missing, id, function).all() }
        })
        .collect();
    for (function, doubts) in subject.functions.iter_mut().zip(doubts) {
        function.doubts = doubts;
    }
    Ok(())
}

/// Takes out what the compiler adds so that variables that are not set always hold the same.
fn forget_patterns(module: &Module<'_>) {
    let kind = module.context().metadata_kind("annotation");
    for function in module.functions() {
        for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
            let fills = matches!(instruction.opcode(), Some(Opcode::LLVMStore | Opcode::LLVMCall));
            if fills && instruction.has_metadata(kind) {
                instruction.erase();
            }
        }
    }
}

/// Looks through one function.
struct Finder<'c, 'a> {
    module: &'a Module<'c>,
    subject: &'a Subject,
    /// The functions that nobody defines.
    missing: &'a HashSet<Value<'c>>,
    function: Value<'c>,
    flow: FlowGraph,
    blocks: HashMap<Block<'c>, BlockId>,
    found: BTreeSet<Doubt>,
}

impl<'c, 'a> Finder<'c, 'a> {
    fn new(
        module: &'a Module<'c>,
        subject: &'a Subject,
        missing: &'a HashSet<Value<'c>>,
        id: FunctionId,
        function: Value<'c>,
    ) -> Finder<'c, 'a> {
        let blocks = function.blocks().into_iter().enumerate();
        let blocks = blocks.map(|(index, block)| (block, BlockId::of(index))).collect();
        let flow = subject.flow(id);
        Finder { module, subject, missing, function, flow, blocks, found: BTreeSet::new() }
    }

    fn all(mut self) -> Vec<Doubt> {
        for instruction in self.function.blocks().into_iter().flat_map(Block::instructions) {
            self.types(instruction);
            self.operands(instruction);
            self.instruction(instruction);
        }
        self.found.into_iter().collect()
    }

    fn doubt(&mut self, at: Value<'c>, about: About) {
        let line = at.location().map(|location| location.line).filter(|line| *line > 0);
        self.found.insert(Doubt { block: self.blocks[&at.block()], about, line });
    }

    /// Values of types that have no expressions.
    fn types(&mut self, instruction: Value<'c>) {
        let operands = instruction.operands().into_iter().filter(|operand| !operand.is_function());
        let types = operands.map(Value::ty).chain([instruction.ty()]);
        if let Some(ty) = types.into_iter().find(|ty| !is_followed(*ty)) {
            self.doubt(instruction, About::Type(spelled(ty)));
        }
    }

    /// Operands that hold nothing, and addresses that the linker turns into numbers.
    fn operands(&mut self, instruction: Value<'c>) {
        // A struct is built part by part, from nothing.
        let builds =
            matches!(instruction.opcode(), Some(Opcode::LLVMInsertValue | Opcode::LLVMInsertElement));
        for (index, operand) in instruction.operands().into_iter().enumerate() {
            if operand.is_undefined() && !(builds && index == 0) {
                self.doubt(instruction, About::Unset(None));
            } else if operand.is_constant_expression() && operand.ty().kind() != Kind::Pointer {
                self.doubt(instruction, About::AddressAsNumber);
            }
        }
    }

    fn instruction(&mut self, instruction: Value<'c>) {
        use Opcode::*;
        let Some(opcode) = instruction.opcode() else { return };
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMAnd | LLVMOr
            | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv
            | LLVMFRem | LLVMFNeg | LLVMFCmp | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI
            | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt | LLVMBitCast | LLVMPHI
            | LLVMGetElementPtr | LLVMExtractValue | LLVMInsertValue | LLVMFreeze | LLVMBr | LLVMSwitch
            | LLVMRet | LLVMUnreachable => {
                if instruction.is_inexact() {
                    self.doubt(instruction, About::Instruction("-ffast-math".to_owned()));
                }
            }
            // What a condition chooses between must be a scalar: the choice itself is then an expression.
            LLVMSelect if instruction.ty().scalar_width().is_some() => {}
            LLVMICmp => self.comparison(instruction),
            LLVMPtrToInt => self.number(instruction),
            // An access through it is what counts.
            LLVMIntToPtr => {}
            LLVMAlloca => {
                if instruction.operand(0).constant_int() != Some(1) {
                    self.doubt(instruction, About::Instruction("alloca".to_owned()));
                }
            }
            LLVMLoad | LLVMStore => self.access(instruction),
            LLVMCall => self.call(instruction),
            LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence => self.doubt(instruction, About::Atomic),
            LLVMCallBr => self.doubt(instruction, About::Assembly),
            LLVMVAArg => self.doubt(instruction, About::Instruction("va_arg".to_owned())),
            other => {
                let name = format!("{other:?}").trim_start_matches("LLVM").to_lowercase();
                self.doubt(instruction, About::Instruction(name));
            }
        }
    }

    /// Addresses of one object compare the same wherever it lies; so does anything that is not null with null.
    fn comparison(&mut self, comparison: Value<'c>) {
        let (a, b) = (comparison.operand(0), comparison.operand(1));
        if a.ty().kind() != Kind::Pointer {
            return;
        }
        let null = a.ty().zero();
        let (of_a, of_b) = (bases(a), bases(b));
        let may_be_nowhere = |base: &Base<'c>| match base {
            Base::Global(value) | Base::Code(value) => value.is_weak_reference(),
            _ => false,
        };
        if a == null || b == null {
            let weak = of_a.iter().chain(&of_b).find(|base| may_be_nowhere(base));
            if let Some(Base::Global(value) | Base::Code(value)) = weak {
                self.doubt(comparison, About::Weak(value.name()));
            }
        } else if !pointers::is_one_object(&of_a, &of_b) {
            self.doubt(comparison, About::AddressAsNumber);
        }
    }

    /// The difference of two addresses of one object is the same wherever it lies.
    fn number(&mut self, number: Value<'c>) {
        let is_address = |value: Value<'c>| value.opcode() == Some(Opcode::LLVMPtrToInt);
        let is_difference = |user: Value<'c>| {
            user.opcode() == Some(Opcode::LLVMSub) && user.operands().into_iter().all(is_address) && {
                let (a, b) = (user.operand(0).operand(0), user.operand(1).operand(0));
                pointers::is_one_object(&bases(a), &bases(b))
            }
        };
        if !number.users().into_iter().all(is_difference) {
            self.doubt(number, About::AddressAsNumber);
        }
    }

    fn access(&mut self, access: Value<'c>) {
        if access.is_volatile() {
            self.doubt(access, About::Volatile);
        }
        if access.is_atomic() {
            self.doubt(access, About::Atomic);
        }
        if access.opcode() == Some(Opcode::LLVMLoad) {
            self.read(access, access.operand(0));
        } else {
            self.write(access, access.operand(1));
            self.keep(access, access.operand(0), access.operand(1));
        }
    }

    /// A pointer to a local variable that is stored where others find it.
    fn keep(&mut self, store: Value<'c>, value: Value<'c>, place: Value<'c>) {
        let is_own = |base: &Base<'c>| matches!(base, Base::Local(_) | Base::Parameter(_) | Base::Elsewhere);
        let is_hidden = |base: &Base<'c>| matches!(base, Base::Local(_));
        if value.ty().kind() == Kind::Pointer
            && bases(value).iter().any(is_own)
            && !bases(place).iter().all(is_hidden)
        {
            self.doubt(store, About::Kept);
        }
    }

    /// What an instruction reads behind a pointer.
    fn read(&mut self, at: Value<'c>, pointer: Value<'c>) {
        for base in bases(pointer) {
            match base {
                Base::Local(local) => {
                    if !self.is_initialised(local, at) {
                        self.doubt(at, About::Unset(Some(local.name()).filter(|name| !name.is_empty())));
                    }
                }
                Base::Global(global) => self.global(at, global),
                other => self.place(at, other),
            }
        }
    }

    /// What an instruction writes behind a pointer.
    fn write(&mut self, at: Value<'c>, pointer: Value<'c>) {
        for base in bases(pointer) {
            if !matches!(base, Base::Local(_) | Base::Global(_)) {
                self.place(at, base);
            }
        }
    }

    /// A place that is neither a local nor a global variable.
    fn place(&mut self, at: Value<'c>, base: Base<'c>) {
        match base {
            // Callers answer for what they hand over; a run that goes through null ends there.
            Base::Local(_) | Base::Global(_) | Base::Parameter(_) | Base::Null => {}
            Base::Code(_) => self.doubt(at, About::CodeAsData),
            Base::Fixed(address) => self.doubt(at, About::FixedAddress(address)),
            Base::Number => self.doubt(at, About::NumberAsPointer),
            Base::Unset => self.doubt(at, About::Unset(None)),
            Base::Elsewhere => self.doubt(at, About::Pointer),
        }
    }

    /// A global variable that is read. One that can change is an input; whether it is varied is for the search to tell.
    fn global(&mut self, at: Value<'c>, global: Value<'c>) {
        let name = global.name();
        let undefined = self.subject.undefined.iter().find(|undefined| undefined.name == name);
        // A device may answer otherwise than it was told.
        if let Some(fixed) = self.subject.fixed.iter().find(|fixed| fixed.name == name) {
            self.doubt(at, About::FixedAddress(fixed.address));
        } else if undefined.is_some_and(|undefined| undefined.unbounded) {
            self.doubt(at, About::Unbounded(name));
        } else if global.is_declaration() || (undefined.is_some() && global.is_global_constant()) {
            self.doubt(at, About::Declared(name));
        } else if global.is_weak() {
            self.doubt(at, About::Weak(name));
        } else if !global.is_global_constant() && global.is_internal() && pointers::is_held(global) {
            self.doubt(at, About::Shared(name));
        }
    }
}

fn is_followed(ty: Type<'_>) -> bool {
    match ty.kind() {
        Kind::Int => ty.int_width() <= WIDEST,
        Kind::Void | Kind::Float | Kind::Double | Kind::Pointer | Kind::Label | Kind::Metadata => true,
        Kind::Struct | Kind::Array => ty.parts().into_iter().all(is_followed),
        Kind::X87 | Kind::Vector | Kind::Function | Kind::Other => false,
    }
}

fn spelled(ty: Type<'_>) -> String {
    match ty.kind() {
        Kind::X87 => "`long double`".to_owned(),
        Kind::Struct | Kind::Array => {
            let part = ty.parts().into_iter().find(|part| !is_followed(*part));
            part.map_or_else(|| "struct".to_owned(), spelled)
        }
        Kind::Vector => "vector".to_owned(),
        _ => format!("`{ty:?}`"),
    }
}
