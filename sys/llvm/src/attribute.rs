//! Attributes of functions and their results.

use crate::context::Context;
use crate::value::Value;
use llvm_sys::core::{
    LLVMAddAttributeAtIndex, LLVMCreateEnumAttribute, LLVMCreateStringAttribute, LLVMGetEnumAttributeAtIndex,
    LLVMGetStringAttributeAtIndex, LLVMGetTypeContext, LLVMTypeOf,
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

    /// Marks a function with a word of ours, which it keeps when modules are linked.
    pub fn mark(self, word: &str) {
        if !self.is_function() {
            return;
        }
        let (text, length) = (word.as_ptr().cast(), word.len() as u32);
        // SAFETY: the attribute is made in the context of the function, from a text of this length and one of none.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let attribute = LLVMCreateStringAttribute(context, text, length, text, 0);
            LLVMAddAttributeAtIndex(self.raw, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Whether a function is marked with a word.
    #[must_use]
    pub fn is_marked(self, word: &str) -> bool {
        let (text, length) = (word.as_ptr().cast(), word.len() as u32);
        // SAFETY: only functions have attributes to look up, and this is one.
        self.is_function()
            && unsafe {
                !LLVMGetStringAttributeAtIndex(self.raw, llvm_sys::LLVMAttributeFunctionIndex, text, length)
                    .is_null()
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
