//! Which values may be symbolic at all.
//!
//! Parameters, loaded values and results of calls may be; whatever is computed from them may be too. A loop
//! counter that starts at a constant and grows by a constant is not, and costs nothing in the trace build.

use std::collections::HashSet;
use testwright_llvm::{Kind, Opcode, Type, Value};

/// The values of a function that may be symbolic.
pub struct Maybe<'c> {
    values: HashSet<Value<'c>>,
}

impl<'c> Maybe<'c> {
    /// Computes them for a function.
    pub fn of(
        function: Value<'c>,
        is_source: impl Fn(Value<'c>) -> bool,
        passes: impl Fn(Value<'c>) -> bool,
    ) -> Maybe<'c> {
        let mut values = HashSet::new();
        let mut work: Vec<Value<'c>> =
            function.params().into_iter().filter(|param| has_shadow(param.ty())).collect();
        for block in function.blocks() {
            work.extend(block.instructions().into_iter().filter(|i| has_shadow(i.ty()) && is_source(*i)));
        }
        while let Some(value) = work.pop() {
            if !values.insert(value) {
                continue;
            }
            for user in value.users() {
                if user.is_instruction() && has_shadow(user.ty()) && !values.contains(&user) && passes(user) {
                    work.push(user);
                }
            }
        }
        Maybe { values }
    }

    /// Whether the value may be symbolic.
    pub fn contains(&self, value: Value<'c>) -> bool {
        self.values.contains(&value)
    }
}

/// Whether values of this type can have expressions.
pub fn has_shadow(ty: Type<'_>) -> bool {
    match ty.kind() {
        Kind::Int => ty.int_width() <= 128,
        Kind::Float | Kind::Double | Kind::Pointer => true,
        Kind::Struct | Kind::Array | Kind::Vector => {
            let parts = ty.parts();
            !parts.is_empty() && parts.into_iter().all(has_shadow)
        }
        _ => false,
    }
}

/// Whether an instruction computes its result from its operands alone.
pub fn computes(instruction: Value<'_>) -> bool {
    use Opcode::*;
    matches!(
        instruction.opcode(),
        Some(
            LLVMAdd
                | LLVMSub
                | LLVMMul
                | LLVMUDiv
                | LLVMSDiv
                | LLVMURem
                | LLVMSRem
                | LLVMAnd
                | LLVMOr
                | LLVMXor
                | LLVMShl
                | LLVMLShr
                | LLVMAShr
                | LLVMFAdd
                | LLVMFSub
                | LLVMFMul
                | LLVMFDiv
                | LLVMFRem
                | LLVMFNeg
                | LLVMICmp
                | LLVMFCmp
                | LLVMTrunc
                | LLVMZExt
                | LLVMSExt
                | LLVMFPToUI
                | LLVMFPToSI
                | LLVMUIToFP
                | LLVMSIToFP
                | LLVMFPTrunc
                | LLVMFPExt
                | LLVMPtrToInt
                | LLVMIntToPtr
                | LLVMBitCast
                | LLVMPHI
                | LLVMSelect
                | LLVMGetElementPtr
                | LLVMExtractValue
                | LLVMInsertValue
                | LLVMExtractElement
                | LLVMInsertElement
                | LLVMShuffleVector
                | LLVMFreeze
        )
    )
}
