//! The machine that code is generated for: x86-64 Linux.

use crate::Error;
use crate::context::take_message;
use llvm_sys::target_machine::*;
use std::sync::Once;

/// The machine that code is generated for.
#[derive(Debug)]
pub struct Target {
    pub(crate) raw: LLVMTargetMachineRef,
}

// llvm-sys wraps these in macros over a C shim that we do not build; the library exports them directly.
unsafe extern "C" {
    fn LLVMInitializeX86TargetInfo();
    fn LLVMInitializeX86Target();
    fn LLVMInitializeX86TargetMC();
    fn LLVMInitializeX86AsmPrinter();
    fn LLVMInitializeX86AsmParser();
}

static INITIALISE: Once = Once::new();

impl Target {
    /// x86-64 Linux, position-independent code, baseline CPU.
    ///
    /// # Errors
    /// If the LLVM at hand was built without it.
    pub fn x86_64() -> Result<Target, Error> {
        // SAFETY: registers the target with LLVM, once.
        INITIALISE.call_once(|| unsafe {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
            LLVMInitializeX86AsmParser();
        });
        let triple = c"x86_64-unknown-linux-gnu";
        // SAFETY: the strings outlive the calls; the message is taken over.
        unsafe {
            let mut target = std::ptr::null_mut();
            let mut message = std::ptr::null_mut();
            if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut target, &raw mut message) != 0 {
                return Err(Error(take_message(message)));
            }
            let raw = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                c"x86-64".as_ptr(),
                c"".as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            Ok(Target { raw })
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: ours, disposed once.
        unsafe { LLVMDisposeTargetMachine(self.raw) }
    }
}
