//! Constants: floats, tables, and how exact an operation on floats has to be.

use crate::{Kind, Value};
use llvm_sys::LLVMValueKind;
use llvm_sys::core::{
    LLVMCanValueUseFastMathFlags, LLVMConstRealGetDouble, LLVMGetAggregateElement, LLVMGetFastMathFlags,
    LLVMGetInitializer, LLVMGetValueKind,
};

impl<'c> Value<'c> {
    /// The value of a constant float or double.
    #[must_use]
    pub fn constant_float(self) -> Option<f64> {
        let is_number = matches!(self.ty().kind(), Kind::Float | Kind::Double)
            && llvm! { LLVMGetValueKind(self.raw) } == LLVMValueKind::LLVMConstantFPValueKind;
        let mut is_inexact = 0;
        is_number.then(|| llvm! { LLVMConstRealGetDouble(self.raw, &raw mut is_inexact) })
    }

    /// What a global holds at first; none if it is only declared.
    #[must_use]
    pub fn initializer(self) -> Option<Value<'c>> {
        if !self.is_global_variable() {
            return None;
        }
        Value::from_nullable(llvm! { LLVMGetInitializer(self.raw) })
    }

    /// A part of a constant struct or array.
    #[must_use]
    pub fn element_of_constant(self, index: u32) -> Option<Value<'c>> {
        if !self.is_constant() {
            return None;
        }
        Value::from_nullable(llvm! { LLVMGetAggregateElement(self.raw, index) })
    }

    /// Whether an operation on floats may be computed in another way than it says: reassociated, by reciprocals or
    /// approximately.
    #[must_use]
    pub fn is_inexact(self) -> bool {
        const REASSOCIATE_RECIPROCAL_APPROXIMATE: u32 = 1 | 16 | 64;
        self.is_instruction()
            && llvm! {
                LLVMCanValueUseFastMathFlags(self.raw) != 0
                    && LLVMGetFastMathFlags(self.raw) & REASSOCIATE_RECIPROCAL_APPROXIMATE != 0
            }
    }
}
