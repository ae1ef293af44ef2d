//! A value: constant, global, function, parameter or instruction.

use crate::context::{Context, take_message};
use crate::{Block, IntPredicate, Opcode, RealPredicate, Type};
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::fmt;
use std::marker::PhantomData;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'c> {
    pub(crate) raw: LLVMValueRef,
    context: PhantomData<&'c ()>,
}

impl<'c> Value<'c> {
    pub(crate) fn from_raw(raw: LLVMValueRef) -> Value<'c> {
        Value { raw, context: PhantomData }
    }

    pub(crate) fn from_nullable(raw: LLVMValueRef) -> Option<Value<'c>> {
        (!raw.is_null()).then(|| Value::from_raw(raw))
    }

    /// Its type.
    #[must_use]
    pub fn ty(self) -> Type<'c> {
        Type::from_raw(llvm! { LLVMTypeOf(self.raw) })
    }

    /// Its name, empty if it has none.
    #[must_use]
    pub fn name(self) -> String {
        llvm! {
            let mut length = 0;
            let text = LLVMGetValueName2(self.raw, &raw mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length)).into_owned()
        }
    }

    /// Renames it.
    pub fn set_name(self, name: &str) {
        llvm! { LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) }
    }

    fn kind(self) -> LLVMValueKind {
        llvm! { LLVMGetValueKind(self.raw) }
    }

    /// Whether it is an instruction.
    #[must_use]
    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// Whether it is a parameter.
    #[must_use]
    pub fn is_argument(self) -> bool {
        self.kind() == LLVMValueKind::LLVMArgumentValueKind
    }

    /// The function that it is a parameter of, and which one; none if it is none.
    #[must_use]
    pub fn parameter_of(self) -> Option<(Value<'c>, usize)> {
        let function = self.is_argument().then(|| Value::from_raw(llvm! { LLVMGetParamParent(self.raw) }))?;
        let index = function.params().iter().position(|param| *param == self)?;
        Some((function, index))
    }

    /// Whether it is a function.
    #[must_use]
    pub fn is_function(self) -> bool {
        self.kind() == LLVMValueKind::LLVMFunctionValueKind
    }

    /// Whether it is a global variable.
    #[must_use]
    pub fn is_global_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    /// Whether it is inline assembly.
    #[must_use]
    pub fn is_inline_assembly(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInlineAsmValueKind
    }

    /// Whether it is a constant expression.
    #[must_use]
    pub fn is_constant_expression(self) -> bool {
        self.kind() == LLVMValueKind::LLVMConstantExprValueKind
    }

    /// Whether it is a constant of any kind, functions and globals included.
    #[must_use]
    pub fn is_constant(self) -> bool {
        llvm! { LLVMIsConstant(self.raw) != 0 }
    }

    /// Whether it is undef or poison.
    #[must_use]
    pub fn is_undefined(self) -> bool {
        llvm! { LLVMIsUndef(self.raw) != 0 || LLVMIsPoison(self.raw) != 0 }
    }

    /// The value of an integer constant, zero-extended.
    #[must_use]
    pub fn constant_int(self) -> Option<u128> {
        if self.kind() != LLVMValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let width = self.ty().int_width();
        if width <= 64 {
            return Some(u128::from(llvm! { LLVMConstIntGetZExtValue(self.raw) }));
        }
        // The C API has no way to read wider ones but as text: `i128 -5`.
        let text = self.to_string();
        let signed: i128 = text.rsplit(' ').next()?.parse().ok()?;
        Some(if width >= 128 { signed as u128 } else { signed as u128 & ((1 << width) - 1) })
    }

    /// The operation of an instruction or constant expression.
    #[must_use]
    pub fn opcode(self) -> Option<Opcode> {
        if self.is_instruction() {
            Some(llvm! { LLVMGetInstructionOpcode(self.raw) })
        } else if self.is_constant_expression() {
            Some(llvm! { LLVMGetConstOpcode(self.raw) })
        } else {
            None
        }
    }

    /// How many operands it has.
    #[must_use]
    pub fn operand_count(self) -> usize {
        usize::try_from(llvm! { LLVMGetNumOperands(self.raw) }).unwrap_or(0)
    }

    /// The operand at `index`, which must exist.
    #[must_use]
    pub fn operand(self, index: usize) -> Value<'c> {
        assert!(index < self.operand_count(), "operand {index} of {self}");
        Value::from_raw(llvm! { LLVMGetOperand(self.raw, index as u32) })
    }

    /// All operands.
    #[must_use]
    pub fn operands(self) -> Vec<Value<'c>> {
        (0..self.operand_count()).map(|index| self.operand(index)).collect()
    }

    /// Replaces an operand.
    pub fn set_operand(self, index: usize, value: Value<'c>) {
        llvm! { LLVMSetOperand(self.raw, index as u32, value.raw) }
    }

    /// Everything that uses it, each once per use.
    #[must_use]
    pub fn users(self) -> Vec<Value<'c>> {
        let mut list = Vec::new();
        llvm! {
            let mut usage = LLVMGetFirstUse(self.raw);
            while !usage.is_null() {
                list.push(Value::from_raw(LLVMGetUser(usage)));
                usage = LLVMGetNextUse(usage);
            }
        }
        list
    }

    /// Lets everything that uses it use `other` instead.
    pub fn replace_all_uses(self, other: Value<'c>) {
        llvm! { LLVMReplaceAllUsesWith(self.raw, other.raw) }
    }

    /// Takes an instruction that nothing uses out of its block. Copies of this reference may be kept: what they refer to lives
    /// until the context goes, but belongs to no block.
    pub fn erase(self) {
        assert!(self.is_linked(), "only instructions of a block are erased");
        assert!(self.successors_or_none().is_empty(), "a block must end with its terminator");
        crate::erased::bury(self);
    }

    /// Whether it is an instruction in a block.
    #[must_use]
    pub fn is_linked(self) -> bool {
        self.is_instruction() && llvm! { !LLVMGetInstructionParent(self.raw).is_null() }
    }

    fn successors_or_none(self) -> Vec<Block<'c>> {
        let is_terminator = llvm! { !LLVMIsATerminatorInst(self.raw).is_null() };
        if is_terminator { self.successors() } else { Vec::new() }
    }

    /// Removes a function or global that nothing uses. No copy of this reference may be used afterwards.
    pub fn erase_global(self) {
        if self.is_function() {
            llvm! { LLVMDeleteFunction(self.raw) }
        } else if self.is_global_variable() {
            llvm! { LLVMDeleteGlobal(self.raw) }
        }
    }

    /// The block of an instruction.
    #[must_use]
    pub fn block(self) -> Block<'c> {
        assert!(self.is_linked(), "only instructions that are not erased have a block");
        Block::from_raw(llvm! { LLVMGetInstructionParent(self.raw) })
    }

    /// The instruction after this one in its block.
    #[must_use]
    pub fn next(self) -> Option<Value<'c>> {
        assert!(self.is_linked(), "only instructions that are not erased have a next one");
        Value::from_nullable(llvm! { LLVMGetNextInstruction(self.raw) })
    }

    /// Predicate of an integer comparison.
    #[must_use]
    pub fn int_predicate(self) -> IntPredicate {
        llvm! { LLVMGetICmpPredicate(self.raw) }
    }

    /// Predicate of a float comparison.
    #[must_use]
    pub fn real_predicate(self) -> RealPredicate {
        llvm! { LLVMGetFCmpPredicate(self.raw) }
    }

    /// Where a terminator can lead, in order.
    #[must_use]
    pub fn successors(self) -> Vec<Block<'c>> {
        llvm! {
            let count = LLVMGetNumSuccessors(self.raw);
            (0..count).map(|index| Block::from_raw(LLVMGetSuccessor(self.raw, index))).collect()
        }
    }

    /// Redirects a terminator.
    pub fn set_successor(self, index: usize, block: Block<'c>) {
        llvm! { LLVMSetSuccessor(self.raw, index as u32, block.raw) }
    }

    /// Whether a branch is conditional.
    #[must_use]
    pub fn is_conditional(self) -> bool {
        self.opcode() == Some(Opcode::LLVMBr) && llvm! { LLVMIsConditional(self.raw) != 0 }
    }

    /// Condition of a conditional branch or value of a switch.
    #[must_use]
    pub fn condition(self) -> Value<'c> {
        if self.opcode() == Some(Opcode::LLVMSwitch) {
            return self.operand(0);
        }
        Value::from_raw(llvm! { LLVMGetCondition(self.raw) })
    }

    /// Cases of a switch: value and block; successor 0 is the default.
    #[must_use]
    pub fn switch_cases(self) -> Vec<(u128, Block<'c>)> {
        let successors = self.successors();
        (1..successors.len())
            .map(|index| {
                let value = Value::from_raw(llvm! { LLVMGetSwitchCaseValue(self.raw, index as u32) });
                (value.constant_int().unwrap_or_default(), successors[index])
            })
            .collect()
    }

    /// Incoming values of a phi with their blocks.
    #[must_use]
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        llvm! {
            (0..LLVMCountIncoming(self.raw))
                .map(|index| {
                    let value = Value::from_raw(LLVMGetIncomingValue(self.raw, index));
                    (value, Block::from_raw(LLVMGetIncomingBlock(self.raw, index)))
                })
                .collect()
        }
    }

    /// Adds incoming values to a phi.
    pub fn add_incoming(self, incoming: &[(Value<'c>, Block<'c>)]) {
        let mut values: Vec<LLVMValueRef> = incoming.iter().map(|(value, _)| value.raw).collect();
        let mut blocks: Vec<LLVMBasicBlockRef> = incoming.iter().map(|(_, block)| block.raw).collect();
        llvm! { LLVMAddIncoming(self.raw, values.as_mut_ptr(), blocks.as_mut_ptr(), values.len() as u32) }
    }

    /// Who is called by a call.
    #[must_use]
    pub fn callee(self) -> Value<'c> {
        Value::from_raw(llvm! { LLVMGetCalledValue(self.raw) })
    }

    /// The function type a call uses.
    #[must_use]
    pub fn call_type(self) -> Type<'c> {
        Type::from_raw(llvm! { LLVMGetCalledFunctionType(self.raw) })
    }

    /// Arguments of a call.
    #[must_use]
    pub fn call_arguments(self) -> Vec<Value<'c>> {
        let count = llvm! { LLVMGetNumArgOperands(self.raw) } as usize;
        (0..count).map(|index| self.operand(index)).collect()
    }

    /// Type of what an alloca allocates.
    #[must_use]
    pub fn allocated_type(self) -> Type<'c> {
        Type::from_raw(llvm! { LLVMGetAllocatedType(self.raw) })
    }

    /// Source element type of a GEP.
    #[must_use]
    pub fn gep_source(self) -> Type<'c> {
        Type::from_raw(llvm! { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// Indices of an extractvalue or insertvalue.
    #[must_use]
    pub fn indices(self) -> Vec<u32> {
        llvm! {
            let count = LLVMGetNumIndices(self.raw) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.raw), count).to_vec()
        }
    }

    /// The mask of a shufflevector; -1 for undefined elements.
    #[must_use]
    pub fn shuffle_mask(self) -> Vec<i32> {
        llvm! {
            let count = LLVMGetNumMaskElements(self.raw);
            (0..count).map(|index| LLVMGetMaskValue(self.raw, index)).collect()
        }
    }

    /// Whether an instruction carries metadata of this kind.
    #[must_use]
    pub fn has_metadata(self, kind: u32) -> bool {
        self.is_instruction() && llvm! { !LLVMGetMetadata(self.raw, kind).is_null() }
    }

    /// Attaches numbers as metadata of this kind.
    pub fn set_numbers(self, kind: u32, numbers: &[u64]) {
        llvm! {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let ty = LLVMInt64TypeInContext(context);
            let mut parts: Vec<LLVMMetadataRef> =
                numbers.iter().map(|number| LLVMValueAsMetadata(LLVMConstInt(ty, *number, 0))).collect();
            let node = LLVMMDNodeInContext2(context, parts.as_mut_ptr(), parts.len());
            LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context, node));
        }
    }

    /// The numbers attached by [`Value::set_numbers`].
    #[must_use]
    pub fn numbers(self, kind: u32) -> Option<Vec<u64>> {
        if !self.has_metadata(kind) {
            return None;
        }
        llvm! {
            let node = LLVMGetMetadata(self.raw, kind);
            let count = LLVMGetMDNodeNumOperands(node) as usize;
            let mut parts = vec![std::ptr::null_mut(); count];
            LLVMGetMDNodeOperands(node, parts.as_mut_ptr());
            Some(parts.into_iter().map(|part| LLVMConstIntGetZExtValue(part)).collect())
        }
    }

    /// Puts a metadata node, made by [`crate::Module::alias_scope`], on an instruction.
    pub fn set_metadata(self, kind: u32, node: Value<'c>) {
        llvm! { LLVMSetMetadata(self.raw, kind, node.raw) }
    }

    /// Tells the optimiser how likely each way of a branch is.
    pub fn set_branch_weights(self, weights: &[u32]) {
        const NAME: &str = "branch_weights";
        llvm! {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let ty = LLVMInt32TypeInContext(context);
            let mut parts = vec![LLVMMDStringInContext2(context, NAME.as_ptr().cast(), NAME.len())];
            parts.extend(weights.iter().map(|w| LLVMValueAsMetadata(LLVMConstInt(ty, u64::from(*w), 0))));
            let node = LLVMMDNodeInContext2(context, parts.as_mut_ptr(), parts.len());
            let kind = LLVMGetMDKindIDInContext(context, c"prof".as_ptr(), 4);
            LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context, node));
        }
    }

    /// States what memory a call may touch, in LLVM's encoding of the `memory` attribute.
    pub fn set_memory_effects(self, encoding: u64) {
        let kind = Context::attribute_kind("memory");
        llvm! {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let attribute = LLVMCreateEnumAttribute(context, kind, encoding);
            LLVMAddCallSiteAttribute(self.raw, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// The type given by a type attribute (`byval`, `sret`) of parameter `index` of a function or call.
    #[must_use]
    pub fn parameter_type_attribute(self, index: usize, attribute: &str) -> Option<Type<'c>> {
        let kind = Context::attribute_kind(attribute);
        llvm! {
            let attribute = if self.is_function() {
                LLVMGetEnumAttributeAtIndex(self.raw, index as u32 + 1, kind)
            } else {
                LLVMGetCallSiteEnumAttribute(self.raw, index as u32 + 1, kind)
            };
            (!attribute.is_null()).then(|| Type::from_raw(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Adds a type attribute (`byval`, `sret`) to parameter `index` of a call.
    pub fn add_parameter_type_attribute(self, index: usize, attribute: &str, ty: Type<'c>) {
        let kind = Context::attribute_kind(attribute);
        llvm! {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let attribute = LLVMCreateTypeAttribute(context, kind, ty.raw);
            LLVMAddCallSiteAttribute(self.raw, index as u32 + 1, attribute);
        }
    }

    /// Removes an attribute of parameter `index` of a function or call.
    pub fn remove_parameter_attribute(self, index: usize, attribute: &str) {
        let kind = Context::attribute_kind(attribute);
        llvm! {
            if self.is_function() {
                LLVMRemoveEnumAttributeAtIndex(self.raw, index as u32 + 1, kind);
            } else {
                LLVMRemoveCallSiteEnumAttribute(self.raw, index as u32 + 1, kind);
            }
        }
    }

    /// Removes an attribute of the function, or call, itself.
    pub fn remove_attribute(self, attribute: &str) {
        let kind = Context::attribute_kind(attribute);
        let whole = llvm_sys::LLVMAttributeFunctionIndex;
        llvm! {
            if self.is_function() {
                LLVMRemoveEnumAttributeAtIndex(self.raw, whole, kind);
            } else {
                LLVMRemoveCallSiteEnumAttribute(self.raw, whole, kind);
            }
        }
    }

    /// Adds an attribute without value to the function, or call, itself.
    pub fn add_attribute(self, attribute: &str) {
        let kind = Context::attribute_kind(attribute);
        let whole = llvm_sys::LLVMAttributeFunctionIndex;
        llvm! {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let attribute = LLVMCreateEnumAttribute(context, kind, 0);
            if self.is_function() {
                LLVMAddAttributeAtIndex(self.raw, whole, attribute);
            } else {
                LLVMAddCallSiteAttribute(self.raw, whole, attribute);
            }
        }
    }

    /// Lets a function, or a call of it, preserve most registers: cheap for callers, who rarely call it.
    pub fn set_preserve_most(self) {
        const PRESERVE_MOST: u32 = 14;
        if self.is_function() {
            llvm! { LLVMSetFunctionCallConv(self.raw, PRESERVE_MOST) }
        } else {
            llvm! { LLVMSetInstructionCallConv(self.raw, PRESERVE_MOST) }
        }
    }

    /// Parameters of a function.
    #[must_use]
    pub fn params(self) -> Vec<Value<'c>> {
        llvm! {
            let count = LLVMCountParams(self.raw);
            (0..count).map(|index| Value::from_raw(LLVMGetParam(self.raw, index))).collect()
        }
    }

    /// The type of a function, or of what a global holds.
    #[must_use]
    pub fn global_type(self) -> Type<'c> {
        Type::from_raw(llvm! { LLVMGlobalGetValueType(self.raw) })
    }

    /// Blocks of a function; none if it is only declared.
    #[must_use]
    pub fn blocks(self) -> Vec<Block<'c>> {
        let mut list = Vec::new();
        llvm! {
            let mut block = LLVMGetFirstBasicBlock(self.raw);
            while !block.is_null() {
                list.push(Block::from_raw(block));
                block = LLVMGetNextBasicBlock(block);
            }
        }
        list
    }

    /// Whether a function or global is only declared.
    #[must_use]
    pub fn is_declaration(self) -> bool {
        llvm! { LLVMIsDeclaration(self.raw) != 0 }
    }

    /// Whether a function is an intrinsic.
    #[must_use]
    pub fn is_intrinsic(self) -> bool {
        self.is_function() && llvm! { LLVMGetIntrinsicID(self.raw) != 0 }
    }

    /// Alignment of a load, store, alloca or global.
    pub fn set_alignment(self, bytes: u32) {
        llvm! { LLVMSetAlignment(self.raw, bytes) }
    }

    /// Whether a load or store is volatile.
    #[must_use]
    pub fn is_volatile(self) -> bool {
        llvm! { LLVMGetVolatile(self.raw) != 0 }
    }

    /// Whether a load or store is atomic.
    #[must_use]
    pub fn is_atomic(self) -> bool {
        llvm! { LLVMGetOrdering(self.raw) != llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic }
    }

    /// Makes a load or store volatile.
    pub fn set_volatile(self) {
        llvm! { LLVMSetVolatile(self.raw, 1) }
    }

    /// Appends a block to a function.
    #[must_use]
    pub fn append_block(self, name: &str) -> Block<'c> {
        let name = crate::context::c_string(name);
        llvm! {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            Block::from_raw(LLVMAppendBasicBlockInContext(context, self.raw, name.as_ptr()))
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the value is alive; the message is taken over.
        formatter.write_str(unsafe { take_message(LLVMPrintValueToString(self.raw)) }.trim())
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The version of LLVM that is linked, as `22.1.0`.
#[must_use]
pub fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: fills three numbers.
    unsafe { LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut patch) };
    format!("{major}.{minor}.{patch}")
}
