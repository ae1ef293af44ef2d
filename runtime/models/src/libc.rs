//! What the models need from outside: the heap, `errno`, a printer for what they cannot print, and the streams of the C library.
//!
//! The host redirects the heap to the one that is reset between runs. `vsnprintf` and the functions about streams must stay the
//! native ones: the models call them for what is not theirs.

use crate::stdio::{Stream, VaList};

/// Bad file descriptor.
pub(crate) const EBADF: i32 = 9;
/// Not enough memory.
pub(crate) const ENOMEM: i32 = 12;
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
    pub(crate) fn realloc(block: *mut u8, size: usize) -> *mut u8;
    pub(crate) fn fgetc(stream: *mut Stream) -> i32;
    pub(crate) fn ungetc(byte: i32, stream: *mut Stream) -> i32;
    pub(crate) fn fgets(target: *mut u8, size: i32, stream: *mut Stream) -> *mut u8;
    pub(crate) fn fread(target: *mut u8, size: usize, count: usize, stream: *mut Stream) -> usize;
    pub(crate) fn getline(line: *mut *mut u8, size: *mut usize, stream: *mut Stream) -> isize;
    pub(crate) fn fputc(byte: i32, stream: *mut Stream) -> i32;
    pub(crate) fn fputs(text: *const u8, stream: *mut Stream) -> i32;
    pub(crate) fn fwrite(source: *const u8, size: usize, count: usize, stream: *mut Stream) -> usize;
    pub(crate) fn vfprintf(stream: *mut Stream, format: *const u8, list: *mut VaList) -> i32;
    pub(crate) fn feof(stream: *mut Stream) -> i32;
    pub(crate) fn ferror(stream: *mut Stream) -> i32;
    pub(crate) fn clearerr(stream: *mut Stream);
    pub(crate) fn fseek(stream: *mut Stream, offset: i64, from: i32) -> i32;
    pub(crate) fn ftell(stream: *mut Stream) -> i64;
    pub(crate) fn rewind(stream: *mut Stream);
    pub(crate) fn fflush(stream: *mut Stream) -> i32;
    pub(crate) fn fclose(stream: *mut Stream) -> i32;
    pub(crate) fn fileno(stream: *mut Stream) -> i32;
    pub(crate) fn setvbuf(stream: *mut Stream, buffer: *mut u8, mode: i32, size: usize) -> i32;
    fn __errno_location() -> *mut i32;
}

pub(crate) fn set_errno(number: i32) {
    // SAFETY: the address of the thread's errno is always valid.
    unsafe { *__errno_location() = number };
}
