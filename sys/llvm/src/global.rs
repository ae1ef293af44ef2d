//! Functions and globals as others see them: linkage, visibility, storage.

use crate::Value;
use llvm_sys::core::{
    LLVMGetLinkage, LLVMGetVisibility, LLVMIsGlobalConstant, LLVMIsThreadLocal, LLVMSetGlobalConstant,
    LLVMSetInitializer, LLVMSetLinkage, LLVMSetThreadLocal, LLVMSetVisibility,
};

impl<'c> Value<'c> {
    /// Whether this is a definition that no other one of the same name may stand beside.
    #[must_use]
    pub fn is_strong(self) -> bool {
        use llvm_sys::LLVMLinkage::LLVMExternalLinkage;
        !self.is_declaration() && matches!(llvm! { LLVMGetLinkage(self.raw) }, LLVMExternalLinkage)
    }

    /// Whether a function or global is local to its module.
    #[must_use]
    pub fn is_internal(self) -> bool {
        use llvm_sys::LLVMLinkage::{LLVMInternalLinkage, LLVMPrivateLinkage};
        matches!(llvm! { LLVMGetLinkage(self.raw) }, LLVMInternalLinkage | LLVMPrivateLinkage)
    }

    /// Makes a function or global local to its module, or visible outside.
    pub fn set_internal(self, internal: bool) {
        use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};
        llvm! {
            LLVMSetLinkage(self.raw, if internal { LLVMInternalLinkage } else { LLVMExternalLinkage });
            LLVMSetVisibility(self.raw, llvm_sys::LLVMVisibility::LLVMDefaultVisibility);
        }
    }

    /// Whether a function or global must be defined in the program itself: no library can provide it.
    #[must_use]
    pub fn is_hidden(self) -> bool {
        llvm! { LLVMGetVisibility(self.raw) != llvm_sys::LLVMVisibility::LLVMDefaultVisibility }
    }

    /// Whether a global is never written.
    #[must_use]
    pub fn is_global_constant(self) -> bool {
        llvm! { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// Says that a global is never written.
    pub fn set_global_constant(self) {
        llvm! { LLVMSetGlobalConstant(self.raw, 1) }
    }

    /// Whether a global exists once per thread.
    #[must_use]
    pub fn is_thread_local(self) -> bool {
        llvm! { LLVMIsThreadLocal(self.raw) != 0 }
    }

    /// Makes a global exist once per process.
    pub fn set_thread_local(self, thread_local: bool) {
        llvm! { LLVMSetThreadLocal(self.raw, i32::from(thread_local)) }
    }

    /// Gives a global its initial value.
    pub fn set_initializer(self, value: Value<'c>) {
        llvm! { LLVMSetInitializer(self.raw, value.raw) }
    }

    /// Whether another definition of a function or global may take the place of this one when the program is linked.
    #[must_use]
    pub fn is_weak(self) -> bool {
        use llvm_sys::LLVMLinkage::{
            LLVMExternalWeakLinkage, LLVMLinkOnceAnyLinkage, LLVMLinkOnceODRLinkage, LLVMWeakAnyLinkage,
            LLVMWeakODRLinkage,
        };
        matches!(
            llvm! { LLVMGetLinkage(self.raw) },
            LLVMExternalWeakLinkage
                | LLVMLinkOnceAnyLinkage
                | LLVMLinkOnceODRLinkage
                | LLVMWeakAnyLinkage
                | LLVMWeakODRLinkage
        )
    }

    /// Whether a global is declared so that it need not be defined anywhere.
    #[must_use]
    pub fn is_weak_reference(self) -> bool {
        use llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage;
        matches!(llvm! { LLVMGetLinkage(self.raw) }, LLVMExternalWeakLinkage)
    }
}
