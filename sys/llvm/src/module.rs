//! A module: functions and globals, read, linked, changed, optimised, written.

use crate::context::{c_string, take_message};
use crate::{Context, Error, Target, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::transforms::pass_builder::*;
use std::ffi::CStr;

/// Functions and globals.
#[derive(Debug)]
pub struct Module<'c> {
    raw: LLVMModuleRef,
    context: &'c Context,
}

/// Settings of a pass pipeline.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tuning {
    /// Up to which estimated cost a call is replaced by the body of its callee; the pipeline's own if none.
    pub inline_threshold: Option<i32>,
    /// Whether computations stay scalar where vectors would be faster.
    pub keeps_scalars: bool,
}

impl<'c> Module<'c> {
    pub(crate) fn from_raw(raw: LLVMModuleRef, context: &'c Context) -> Module<'c> {
        Module { raw, context }
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// A copy.
    #[must_use]
    pub fn duplicate(&self) -> Module<'c> {
        // SAFETY: the module is live; the copy is ours.
        Module { raw: unsafe { LLVMCloneModule(self.raw) }, context: self.context }
    }

    /// LLVM's text form.
    #[must_use]
    pub fn text(&self) -> String {
        // SAFETY: the message is taken over.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// Bitcode.
    #[must_use]
    pub fn bitcode(&self) -> Vec<u8> {
        // SAFETY: the buffer is read and disposed here.
        unsafe {
            let buffer = llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer(self.raw);
            take_buffer(buffer)
        }
    }

    /// All functions, declared ones included.
    #[must_use]
    pub fn functions(&self) -> Vec<Value<'c>> {
        let mut list = Vec::new();
        // SAFETY: walks the list of a live module.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                list.push(Value::from_raw(function));
                function = LLVMGetNextFunction(function);
            }
        }
        list
    }

    /// All global variables.
    #[must_use]
    pub fn globals(&self) -> Vec<Value<'c>> {
        let mut list = Vec::new();
        // SAFETY: walks the list of a live module.
        unsafe {
            let mut global = LLVMGetFirstGlobal(self.raw);
            while !global.is_null() {
                list.push(Value::from_raw(global));
                global = LLVMGetNextGlobal(global);
            }
        }
        list
    }

    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<Value<'c>> {
        let name = c_string(name);
        // SAFETY: the module is live.
        Value::from_nullable(unsafe { LLVMGetNamedFunction(self.raw, name.as_ptr()) })
    }

    /// The global of this name.
    #[must_use]
    pub fn global(&self, name: &str) -> Option<Value<'c>> {
        let name = c_string(name);
        // SAFETY: the module is live.
        Value::from_nullable(unsafe { LLVMGetNamedGlobal(self.raw, name.as_ptr()) })
    }

    /// Declares a function.
    pub fn add_function(&self, name: &str, ty: Type<'c>) -> Value<'c> {
        let name = c_string(name);
        // SAFETY: a function type of this context.
        Value::from_raw(unsafe { LLVMAddFunction(self.raw, name.as_ptr(), ty.raw) })
    }

    /// Declares a global.
    pub fn add_global(&self, name: &str, ty: Type<'c>) -> Value<'c> {
        let name = c_string(name);
        // SAFETY: a sized type of this context.
        Value::from_raw(unsafe { LLVMAddGlobal(self.raw, ty.raw, name.as_ptr()) })
    }

    /// The intrinsic of this name for these types, declared if need be.
    ///
    /// # Panics
    /// If LLVM has no such intrinsic.
    pub fn intrinsic(&self, name: &str, types: &[Type<'c>]) -> Value<'c> {
        let mut types: Vec<LLVMTypeRef> = types.iter().map(|ty| ty.raw).collect();
        // SAFETY: the id is checked; the types are of this context.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert!(id != 0, "no intrinsic {name}");
            Value::from_raw(LLVMGetIntrinsicDeclaration(self.raw, id, types.as_mut_ptr(), types.len()))
        }
    }

    /// Links another module into this one.
    ///
    /// # Errors
    /// If the two do not fit together.
    pub fn link(&self, other: Module<'c>) -> Result<(), Error> {
        let raw = other.raw;
        std::mem::forget(other);
        // SAFETY: linking takes over the other module, whatever comes of it.
        let failed = unsafe { llvm_sys::linker::LLVMLinkModules2(self.raw, raw) };
        if failed != 0 { Err(self.context.take_error("the modules do not fit together")) } else { Ok(()) }
    }

    /// Drops all debug information.
    pub fn strip_debug(&self) {
        // SAFETY: the module is live.
        unsafe { llvm_sys::debuginfo::LLVMStripModuleDebugInfo(self.raw) };
    }

    /// Checks that the module is well formed.
    ///
    /// # Errors
    /// With what is not.
    pub fn verify(&self) -> Result<(), Error> {
        use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
        let mut message = std::ptr::null_mut();
        // SAFETY: the message is taken over or disposed.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let failed = LLVMVerifyModule(self.raw, action, &raw mut message);
            let text = take_message(message);
            if failed != 0 { Err(Error(text)) } else { Ok(()) }
        }
    }

    /// Runs a pass pipeline such as `default<O2>`.
    ///
    /// # Errors
    /// If there is no such pipeline.
    pub fn run_passes(&self, passes: &str, target: &Target) -> Result<(), Error> {
        self.run_tuned_passes(passes, target, &Tuning::default())
    }

    /// Runs a pass pipeline with settings other than its own.
    ///
    /// # Errors
    /// If there is no such pipeline.
    pub fn run_tuned_passes(&self, passes: &str, target: &Target, tuning: &Tuning) -> Result<(), Error> {
        let passes = c_string(passes);
        // SAFETY: module and target machine are live; the options are ours until disposed; an error is taken over.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            if let Some(threshold) = tuning.inline_threshold {
                LLVMPassBuilderOptionsSetInlinerThreshold(options, threshold);
            }
            if tuning.keeps_scalars {
                LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
                LLVMPassBuilderOptionsSetLoopInterleaving(options, 0);
                LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
            }
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), target.raw, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let text = llvm_sys::error::LLVMGetErrorMessage(error);
            let message = CStr::from_ptr(text).to_string_lossy().into_owned();
            llvm_sys::error::LLVMDisposeErrorMessage(text);
            Err(Error(message))
        }
    }

    /// Sets triple and data layout to the target's.
    pub fn set_target(&self, target: &Target) {
        // SAFETY: strings and layout are copied.
        unsafe {
            let triple = llvm_sys::target_machine::LLVMGetTargetMachineTriple(target.raw);
            LLVMSetTarget(self.raw, triple);
            LLVMDisposeMessage(triple);
            let layout = llvm_sys::target_machine::LLVMCreateTargetDataLayout(target.raw);
            LLVMSetModuleDataLayout(self.raw, layout);
            LLVMDisposeTargetData(layout);
        }
    }

    /// Machine code as an object file.
    ///
    /// # Errors
    /// If the target cannot express something.
    pub fn object(&self, target: &Target) -> Result<Vec<u8>, Error> {
        use llvm_sys::target_machine::{LLVMCodeGenFileType, LLVMTargetMachineEmitToMemoryBuffer};
        let mut message = std::ptr::null_mut();
        let mut buffer = std::ptr::null_mut();
        // SAFETY: buffer and message are taken over.
        unsafe {
            let kind = LLVMCodeGenFileType::LLVMObjectFile;
            if LLVMTargetMachineEmitToMemoryBuffer(
                target.raw,
                self.raw,
                kind,
                &raw mut message,
                &raw mut buffer,
            ) != 0
            {
                return Err(Error(take_message(message)));
            }
            Ok(take_buffer(buffer))
        }
    }

    /// Bytes that a value of this type occupies when stored.
    #[must_use]
    pub fn store_size(&self, ty: Type<'c>) -> u64 {
        // SAFETY: asked of sized types.
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.raw), ty.raw) }
    }

    /// Bytes from one array element of this type to the next.
    #[must_use]
    pub fn alloc_size(&self, ty: Type<'c>) -> u64 {
        // SAFETY: asked of sized types.
        unsafe { LLVMABISizeOfType(LLVMGetModuleDataLayout(self.raw), ty.raw) }
    }

    /// Offset of a part of a struct.
    #[must_use]
    pub fn offset_of(&self, ty: Type<'c>, index: u32) -> u64 {
        // SAFETY: asked of struct types with that many parts.
        unsafe { LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.raw), ty.raw, index) }
    }

    /// A metadata node listing alias scopes of a domain of ours; both kinds of alias metadata take it.
    #[must_use]
    pub fn alias_scopes(&self, names: &[&str]) -> Value<'c> {
        let context = self.context.raw;
        // SAFETY: metadata of this context; strings are copied. Scopes are told apart by their name.
        unsafe {
            let string = |text: &str| LLVMMDStringInContext2(context, text.as_ptr().cast(), text.len());
            let mut domain = [string("testwright")];
            let domain = LLVMMDNodeInContext2(context, domain.as_mut_ptr(), 1);
            let mut list: Vec<LLVMMetadataRef> = names
                .iter()
                .map(|name| {
                    let mut scope = [string(name), domain];
                    LLVMMDNodeInContext2(context, scope.as_mut_ptr(), 2)
                })
                .collect();
            let list = LLVMMDNodeInContext2(context, list.as_mut_ptr(), list.len());
            Value::from_raw(LLVMMetadataAsValue(context, list))
        }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: ours, disposed once; linking forgets it.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

/// Takes over a memory buffer.
///
/// # Safety
/// `buffer` is a live buffer of LLVM's.
unsafe fn take_buffer(buffer: LLVMMemoryBufferRef) -> Vec<u8> {
    // SAFETY: by the caller's promise.
    unsafe {
        let start = LLVMGetBufferStart(buffer).cast::<u8>();
        let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        bytes
    }
}
