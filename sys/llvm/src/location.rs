//! A place in the source, from debug information.

use crate::Value;
use llvm_sys::core::{
    LLVMGetDebugLocColumn, LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine,
};
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;

/// A place in the source, from debug information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file's name, absolute or relative to the directory.
    pub file: String,
    /// The directory; which one is the compiler's choice.
    pub directory: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Value<'_> {
    /// Where an instruction comes from; none without debug information.
    #[must_use]
    pub fn location(self) -> Option<Location> {
        // SAFETY: the value is alive, and an instruction before its location is asked for; texts are copied at once.
        unsafe {
            if !self.is_instruction() || LLVMInstructionGetDebugLoc(self.raw).is_null() {
                return None;
            }
            let mut length = 0;
            let file = LLVMGetDebugLocFilename(self.raw, &raw mut length);
            let file = copy_text(file, length);
            let directory = LLVMGetDebugLocDirectory(self.raw, &raw mut length);
            let directory = copy_text(directory, length);
            let (line, column) = (LLVMGetDebugLocLine(self.raw), LLVMGetDebugLocColumn(self.raw));
            Some(Location { file, directory, line, column })
        }
    }
}

/// A copy of a text that LLVM gives as start and length; empty if there is none.
///
/// # Safety
/// `text` is null or points to `length` bytes.
unsafe fn copy_text(text: *const std::ffi::c_char, length: u32) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and by the caller's promise that long.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}
