//! A context: owner of types, constants and modules.

use crate::{Error, Kind, Module, Type};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};

/// Owner of types, constants and modules.
#[derive(Debug)]
pub struct Context {
    pub(crate) raw: LLVMContextRef,
    /// What LLVM reported; boxed because LLVM keeps its address.
    messages: Box<RefCell<Vec<String>>>,
}

extern "C" fn remember(info: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic and the pointer given at registration, which the context keeps alive.
    unsafe {
        let text = LLVMGetDiagInfoDescription(info);
        let severity = LLVMGetDiagInfoSeverity(info);
        if matches!(severity, llvm_sys::LLVMDiagnosticSeverity::LLVMDSError) {
            let messages = &*messages.cast::<RefCell<Vec<String>>>();
            messages.borrow_mut().push(CStr::from_ptr(text).to_string_lossy().into_owned());
        }
        LLVMDisposeMessage(text);
    }
}

impl Context {
    /// A new, empty context.
    #[must_use]
    pub fn new() -> Context {
        let messages = Box::new(RefCell::new(Vec::new()));
        // SAFETY: a fresh context; the handler's data lives as long as the context, see `Drop`.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let data: *const RefCell<Vec<String>> = &raw const *messages;
            LLVMContextSetDiagnosticHandler(raw, Some(remember), data.cast_mut().cast());
            raw
        };
        Context { raw, messages }
    }

    /// The errors LLVM reported since the last call, as one error.
    pub(crate) fn take_error(&self, otherwise: &str) -> Error {
        let messages = self.messages.take();
        Error(if messages.is_empty() { otherwise.to_owned() } else { messages.join("; ") })
    }

    /// Reads a module from bitcode.
    ///
    /// # Errors
    /// If the bytes are no bitcode that this LLVM reads.
    pub fn parse_bitcode(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, Error> {
        let name = c_string(name);
        // SAFETY: the buffer copies the bytes; on success the module is ours.
        unsafe {
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr());
            let mut module = std::ptr::null_mut();
            let failed = llvm_sys::bit_reader::LLVMParseBitcodeInContext2(self.raw, buffer, &raw mut module);
            LLVMDisposeMemoryBuffer(buffer);
            if failed != 0 {
                return Err(self.take_error("this is not bitcode"));
            }
            Ok(Module::from_raw(module, self))
        }
    }

    /// Reads a module from LLVM's text form.
    ///
    /// # Errors
    /// If the text does not parse.
    pub fn parse_text(&self, text: &str) -> Result<Module<'_>, Error> {
        // SAFETY: the buffer copies the text and is disposed here; on failure the message is ours to dispose.
        unsafe {
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(text.as_ptr().cast(), text.len(), c"text".as_ptr());
            let mut module = std::ptr::null_mut();
            let mut message: *mut c_char = std::ptr::null_mut();
            let failed = llvm_sys::ir_reader::LLVMParseIRInContext2(
                self.raw,
                buffer,
                &raw mut module,
                &raw mut message,
            );
            LLVMDisposeMemoryBuffer(buffer);
            if failed != 0 {
                return Err(Error(take_message(message)));
            }
            Ok(Module::from_raw(module, self))
        }
    }

    /// The integer type of this width.
    #[must_use]
    pub fn int(&self, bits: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { LLVMIntTypeInContext(self.raw, bits) })
    }

    /// A type without parts: void, float, double, pointer.
    ///
    /// # Panics
    /// If the kind has parts.
    #[must_use]
    pub fn simple(&self, kind: Kind) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe {
            match kind {
                Kind::Void => LLVMVoidTypeInContext(self.raw),
                Kind::Float => LLVMFloatTypeInContext(self.raw),
                Kind::Double => LLVMDoubleTypeInContext(self.raw),
                Kind::Pointer => LLVMPointerTypeInContext(self.raw, 0),
                other => panic!("{other:?} is not a simple kind"),
            }
        })
    }

    /// The pointer type.
    #[must_use]
    pub fn pointer(&self) -> Type<'_> {
        self.simple(Kind::Pointer)
    }

    /// The pointer type of another address space.
    #[must_use]
    pub fn pointer_in(&self, space: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { LLVMPointerTypeInContext(self.raw, space) })
    }

    /// The void type.
    #[must_use]
    pub fn void(&self) -> Type<'_> {
        self.simple(Kind::Void)
    }

    /// The struct type of these parts.
    #[must_use]
    pub fn structure(&self, parts: &[Type<'_>]) -> Type<'_> {
        let mut parts: Vec<LLVMTypeRef> = parts.iter().map(|part| part.raw).collect();
        // SAFETY: the parts belong to this context.
        Type::from_raw(unsafe {
            LLVMStructTypeInContext(self.raw, parts.as_mut_ptr(), parts.len() as u32, 0)
        })
    }

    /// Number of a metadata kind.
    #[must_use]
    pub fn metadata_kind(&self, name: &str) -> u32 {
        // SAFETY: the name is copied.
        unsafe { LLVMGetMDKindIDInContext(self.raw, name.as_ptr().cast(), name.len() as u32) }
    }

    /// Number of an attribute kind such as `byval`.
    #[must_use]
    pub(crate) fn attribute_kind(name: &str) -> u32 {
        // SAFETY: the name is only read.
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        crate::erased::free(self);
        // SAFETY: every module borrowed this context and is gone.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// A C string; inner NULs cut it short.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// Takes over a message of LLVM's.
///
/// # Safety
/// `message` is null or a message that LLVM handed out.
pub(crate) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return "unknown error".to_owned();
    }
    // SAFETY: not null, and by the caller's promise a C string of LLVM's.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
