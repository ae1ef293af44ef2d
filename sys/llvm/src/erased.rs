//! Erased instructions: unlinked at once, freed with their context.
//!
//! A [`Value`] is a copy of a reference, and nobody knows how many copies there are. If erasing freed the instruction, safe code
//! could read freed memory through another copy. So it is only taken out of its block and lets go of its operands; it is
//! freed when the context is, which no value outlives. A copy then refers to an instruction without a block, and asking that for its
//! place fails loudly ([`Value::is_linked`]).

use crate::{Context, Value};
use llvm_sys::core::{
    LLVMDeleteInstruction, LLVMGetNumOperands, LLVMGetOperand, LLVMGetPoison, LLVMGetTypeContext,
    LLVMInstructionRemoveFromParent, LLVMSetOperand, LLVMTypeOf,
};
use llvm_sys::prelude::{LLVMContextRef, LLVMValueRef};
use std::cell::RefCell;
use std::collections::HashMap;

thread_local! {
    /// By context; contexts stay on their thread.
    static ERASED: RefCell<HashMap<LLVMContextRef, Vec<LLVMValueRef>>> = RefCell::default();
}

/// Takes an instruction of a block, no terminator, out of it.
pub(crate) fn bury(instruction: Value<'_>) {
    assert!(instruction.users().is_empty(), "an instruction that is used is not erased");
    // SAFETY: the instruction is alive and linked. Without operands that belong to a module it can outlive that; poison belongs to
    // the context.
    let context = unsafe {
        LLVMInstructionRemoveFromParent(instruction.raw);
        for index in 0..LLVMGetNumOperands(instruction.raw) as u32 {
            let operand = LLVMGetOperand(instruction.raw, index);
            LLVMSetOperand(instruction.raw, index, LLVMGetPoison(LLVMTypeOf(operand)));
        }
        LLVMGetTypeContext(LLVMTypeOf(instruction.raw))
    };
    ERASED.with_borrow_mut(|erased| erased.entry(context).or_default().push(instruction.raw));
}

/// Frees what was erased in a context that is about to go.
pub(crate) fn free(context: &Context) {
    let erased = ERASED.with_borrow_mut(|erased| erased.remove(&context.raw)).unwrap_or_default();
    for instruction in erased {
        // SAFETY: unlinked, unused, and in the list once; all values borrowed the context, so none is left.
        unsafe { LLVMDeleteInstruction(instruction) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Builder, Context};

    #[test]
    fn copies_of_an_erased_instruction_can_still_be_looked_at() {
        let context = Context::new();
        let module = context
            .parse_text("define i32 @f(i32 %a) { %b = add i32 %a, 1 %c = mul i32 %a, 3 ret i32 %c }")
            .expect("a module");
        let function = module.function("f").expect("a function");
        let sum = function.blocks()[0].instructions()[0];
        let copy = sum;
        sum.erase();
        assert!(!copy.is_linked());
        assert_eq!(copy.ty(), context.int(32));
        assert_eq!(function.blocks()[0].instructions().len(), 2);
        assert_eq!(function.params()[0].users().len(), 1);
        module.verify().expect("a module without the sum");
        drop(module);
        assert!(copy.users().is_empty());
    }

    #[test]
    #[should_panic(expected = "an erased instruction is nowhere")]
    fn nothing_is_built_before_an_erased_instruction() {
        let context = Context::new();
        let module =
            context.parse_text("define void @f(i32 %a) { %b = add i32 %a, 1 ret void }").expect("a module");
        let sum = module.function("f").expect("a function").blocks()[0].instructions()[0];
        sum.erase();
        Builder::new(&context).before(sum);
    }
}
