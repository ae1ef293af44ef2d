//! A builder: makes instructions at a position.

use crate::{Block, Context, IntPredicate, Opcode, RealPredicate, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

/// Makes instructions at a position.
#[derive(Debug)]
pub struct Builder<'c> {
    pub(crate) raw: LLVMBuilderRef,
    context: PhantomData<&'c Context>,
}

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

impl<'c> Builder<'c> {
    /// A builder without a position.
    #[must_use]
    pub fn new(context: &'c Context) -> Builder<'c> {
        Builder { raw: llvm! { LLVMCreateBuilderInContext(context.raw) }, context: PhantomData }
    }

    /// Builds before `instruction` from now on.
    pub fn before(&self, instruction: Value<'c>) {
        assert!(instruction.is_linked(), "an erased instruction is nowhere");
        llvm! { LLVMPositionBuilderBefore(self.raw, instruction.raw) }
    }

    /// Builds at the end of `block` from now on.
    pub fn at_end(&self, block: Block<'c>) {
        llvm! { LLVMPositionBuilderAtEnd(self.raw, block.raw) }
    }

    /// The block that is being built.
    #[must_use]
    pub fn block(&self) -> Block<'c> {
        Block::from_raw(llvm! { LLVMGetInsertBlock(self.raw) })
    }

    /// A binary operation.
    pub fn binary(&self, opcode: Opcode, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildBinOp(self.raw, opcode, a.raw, b.raw, NO_NAME) })
    }

    /// Addition.
    pub fn add(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary(Opcode::LLVMAdd, a, b)
    }

    /// Subtraction.
    pub fn sub(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary(Opcode::LLVMSub, a, b)
    }

    /// Bitwise or.
    pub fn or(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary(Opcode::LLVMOr, a, b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary(Opcode::LLVMXor, a, b)
    }

    /// An integer comparison.
    pub fn compare(&self, predicate: IntPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildICmp(self.raw, predicate, a.raw, b.raw, NO_NAME) })
    }

    /// A comparison of floating-point numbers.
    pub fn compare_floats(&self, predicate: RealPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildFCmp(self.raw, predicate, a.raw, b.raw, NO_NAME) })
    }

    /// The value, or some value of its type if it is undefined.
    pub fn freeze(&self, value: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildFreeze(self.raw, value.raw, NO_NAME) })
    }

    /// A cast.
    pub fn cast(&self, opcode: Opcode, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildCast(self.raw, opcode, value.raw, ty.raw, NO_NAME) })
    }

    /// Zero extension or truncation to a width; nothing if the width fits.
    pub fn resize(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        let (from, to) = (value.ty().int_width(), ty.int_width());
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.cast(Opcode::LLVMZExt, value, ty),
            std::cmp::Ordering::Greater => self.cast(Opcode::LLVMTrunc, value, ty),
        }
    }

    /// One of two values.
    pub fn select(&self, condition: Value<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildSelect(self.raw, condition.raw, a.raw, b.raw, NO_NAME) })
    }

    /// A load.
    pub fn load(&self, ty: Type<'c>, pointer: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildLoad2(self.raw, ty.raw, pointer.raw, NO_NAME) })
    }

    /// A store.
    pub fn store(&self, value: Value<'c>, pointer: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildStore(self.raw, value.raw, pointer.raw) })
    }

    /// Memory on the stack.
    pub fn alloca(&self, ty: Type<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildAlloca(self.raw, ty.raw, NO_NAME) })
    }

    /// The address `offset` bytes after `pointer`.
    pub fn offset(&self, pointer: Value<'c>, offset: Value<'c>) -> Value<'c> {
        llvm! {
            let byte = LLVMInt8TypeInContext(LLVMGetBuilderContext(self.raw));
            let mut indices = [offset.raw];
            Value::from_raw(LLVMBuildGEP2(self.raw, byte, pointer.raw, indices.as_mut_ptr(), 1, NO_NAME))
        }
    }

    /// A GEP.
    pub fn gep(&self, ty: Type<'c>, pointer: Value<'c>, indices: &[Value<'c>]) -> Value<'c> {
        let mut indices: Vec<LLVMValueRef> = indices.iter().map(|index| index.raw).collect();
        Value::from_raw(llvm! {
            LLVMBuildGEP2(self.raw, ty.raw, pointer.raw, indices.as_mut_ptr(), indices.len() as u32, NO_NAME)
        })
    }

    /// A call.
    pub fn call(&self, ty: Type<'c>, callee: Value<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|argument| argument.raw).collect();
        Value::from_raw(llvm! {
            LLVMBuildCall2(self.raw, ty.raw, callee.raw, arguments.as_mut_ptr(), arguments.len() as u32, NO_NAME)
        })
    }

    /// A call of a function.
    pub fn call_function(&self, function: Value<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        self.call(function.global_type(), function, arguments)
    }

    /// An empty phi.
    pub fn phi(&self, ty: Type<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildPhi(self.raw, ty.raw, NO_NAME) })
    }

    /// A jump.
    pub fn jump(&self, target: Block<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildBr(self.raw, target.raw) })
    }

    /// A conditional branch.
    pub fn branch(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildCondBr(self.raw, condition.raw, yes.raw, no.raw) })
    }

    /// A switch without cases yet.
    pub fn switch(
        &self,
        value: Value<'c>,
        default: Block<'c>,
        cases: &[(Value<'c>, Block<'c>)],
    ) -> Value<'c> {
        llvm! {
            let switch = LLVMBuildSwitch(self.raw, value.raw, default.raw, cases.len() as u32);
            for (value, block) in cases {
                LLVMAddCase(switch, value.raw, block.raw);
            }
            Value::from_raw(switch)
        }
    }

    /// A return with or without a value.
    pub fn ret(&self, value: Option<Value<'c>>) -> Value<'c> {
        Value::from_raw(llvm! {
            match value {
                Some(value) => LLVMBuildRet(self.raw, value.raw),
                None => LLVMBuildRetVoid(self.raw),
            }
        })
    }

    /// A place that is never reached.
    pub fn unreachable(&self) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildUnreachable(self.raw) })
    }

    /// A part of a struct, array or vector value.
    pub fn extract(&self, aggregate: Value<'c>, index: u32) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildExtractValue(self.raw, aggregate.raw, index, NO_NAME) })
    }

    /// A struct or array value with one part replaced.
    pub fn insert(&self, aggregate: Value<'c>, part: Value<'c>, index: u32) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildInsertValue(self.raw, aggregate.raw, part.raw, index, NO_NAME) })
    }

    /// An element of a vector.
    pub fn extract_element(&self, vector: Value<'c>, index: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildExtractElement(self.raw, vector.raw, index.raw, NO_NAME) })
    }

    /// A vector with one element replaced.
    pub fn insert_element(&self, vector: Value<'c>, element: Value<'c>, index: Value<'c>) -> Value<'c> {
        Value::from_raw(
            llvm! { LLVMBuildInsertElement(self.raw, vector.raw, element.raw, index.raw, NO_NAME) },
        )
    }

    /// A vector made of elements of two.
    pub fn shuffle(&self, a: Value<'c>, b: Value<'c>, mask: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildShuffleVector(self.raw, a.raw, b.raw, mask.raw, NO_NAME) })
    }

    /// Negation of a float.
    pub fn fneg(&self, value: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm! { LLVMBuildFNeg(self.raw, value.raw, NO_NAME) })
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new`, disposed once.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

impl<'c> Type<'c> {
    /// The integer constant of this type.
    #[must_use]
    pub fn constant(self, value: u64) -> Value<'c> {
        Value::from_raw(llvm! { LLVMConstInt(self.raw, value, 0) })
    }

    /// The integer constant of this type, up to 128 bits.
    #[must_use]
    pub fn constant_wide(self, value: u128) -> Value<'c> {
        let words = [value as u64, (value >> 64) as u64];
        Value::from_raw(llvm! { LLVMConstIntOfArbitraryPrecision(self.raw, 2, words.as_ptr()) })
    }

    /// The zero value of this type.
    #[must_use]
    pub fn zero(self) -> Value<'c> {
        Value::from_raw(llvm! { LLVMConstNull(self.raw) })
    }

    /// A value of this type that is not defined.
    #[must_use]
    pub fn poison(self) -> Value<'c> {
        Value::from_raw(llvm! { LLVMGetPoison(self.raw) })
    }

    /// The constant array of elements of this type.
    #[must_use]
    pub fn constant_array(self, elements: &[Value<'c>]) -> Value<'c> {
        let mut elements: Vec<LLVMValueRef> = elements.iter().map(|element| element.raw).collect();
        Value::from_raw(llvm! { LLVMConstArray2(self.raw, elements.as_mut_ptr(), elements.len() as u64) })
    }

    /// The constant of this struct type.
    #[must_use]
    pub fn constant_struct(self, parts: &[Value<'c>]) -> Value<'c> {
        let mut parts: Vec<LLVMValueRef> = parts.iter().map(|part| part.raw).collect();
        Value::from_raw(llvm! { LLVMConstNamedStruct(self.raw, parts.as_mut_ptr(), parts.len() as u32) })
    }

    /// The constant pointer (this must be the pointer type) to a fixed address.
    #[must_use]
    pub fn address(self, address: u64) -> Value<'c> {
        llvm! {
            let int = LLVMInt64TypeInContext(LLVMGetTypeContext(self.raw));
            Value::from_raw(LLVMConstIntToPtr(LLVMConstInt(int, address, 0), self.raw))
        }
    }
}
