//! What the models need from outside: the heap, `errno`, and a printer for what they cannot print.
//!
//! The host redirects the heap to the one that is reset between runs. `vsnprintf` must stay the native
//! function: the model of it calls this one for conversions it does not know.

use crate::stdio::VaList;

/// Numerical argument out of domain or otherwise invalid.
pub(crate) const EINVAL: i32 = 22;
/// Numerical result out of range.
pub(crate) const ERANGE: i32 = 34;
/// Value too large for its type.
pub(crate) const EOVERFLOW: i32 = 75;

unsafe extern "C" {
    pub(crate) fn malloc(size: usize) -> *mut u8;
    pub(crate) fn free(block: *mut u8);
    pub(crate) fn vsnprintf(target: *mut u8, size: usize, format: *const u8, list: *mut VaList) -> i32;
    fn __errno_location() -> *mut i32;
}

pub(crate) fn set_errno(number: i32) {
    // SAFETY: the address of the thread's errno is always valid.
    unsafe { *__errno_location() = number };
}
