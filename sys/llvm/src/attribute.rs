//! Attributes of functions and their results.

use crate::context::Context;
use crate::value::Value;
use llvm_sys::core::{
    LLVMAddAttributeAtIndex, LLVMCreateEnumAttribute, LLVMGetEnumAttributeAtIndex, LLVMGetTypeContext,
    LLVMTypeOf,
};

impl Value<'_> {
    /// Whether a function has an attribute itself.
    #[must_use]
    pub fn has_attribute(self, attribute: &str) -> bool {
        let kind = Context::attribute_kind(attribute);
        // SAFETY: only functions have attributes to look up, and this is one.
        self.is_function()
            && unsafe {
                !LLVMGetEnumAttributeAtIndex(self.raw, llvm_sys::LLVMAttributeFunctionIndex, kind).is_null()
            }
    }

    /// Adds an attribute without value to the result of a function.
    pub fn add_result_attribute(self, attribute: &str) {
        let kind = Context::attribute_kind(attribute);
        if !self.is_function() {
            return;
        }
        // SAFETY: the attribute is made in the context of the function.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let attribute = LLVMCreateEnumAttribute(context, kind, 0);
            LLVMAddAttributeAtIndex(self.raw, llvm_sys::LLVMAttributeReturnIndex, attribute);
        }
    }
}
