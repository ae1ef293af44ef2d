//! Writing: `fputc`, `fputs`, `fwrite` and `vfprintf`.

use super::Stream;
use crate::libc;
use crate::stdio::{VaList, tw_model_vsnprintf};
use core::mem::MaybeUninit;

/// `fputc`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fputc(byte: i32, stream: *mut Stream) -> i32 {
    if !Stream::is_own(stream) {
        return libc::fputc(byte, stream);
    }
    Stream::put(stream, byte as u8);
    i32::from(byte as u8)
}

/// `putc`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_putc(byte: i32, stream: *mut Stream) -> i32 {
    tw_model_fputc(byte, stream)
}

/// `_IO_putc`, which `putc` was in older versions of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model__IO_putc(byte: i32, stream: *mut Stream) -> i32 {
    tw_model_fputc(byte, stream)
}

/// `putc_unlocked`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_putc_unlocked(byte: i32, stream: *mut Stream) -> i32 {
    tw_model_fputc(byte, stream)
}

/// `fputc_unlocked`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fputc_unlocked(byte: i32, stream: *mut Stream) -> i32 {
    tw_model_fputc(byte, stream)
}

/// `fputs`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fputs(text: *const u8, stream: *mut Stream) -> i32 {
    if !Stream::is_own(stream) {
        return libc::fputs(text, stream);
    }
    let mut i = 0;
    while *text.add(i) != 0 {
        Stream::put(stream, *text.add(i));
        i += 1;
    }
    1
}

/// `fwrite`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fwrite(
    source: *const u8,
    size: usize,
    count: usize,
    stream: *mut Stream,
) -> usize {
    if !Stream::is_own(stream) {
        return libc::fwrite(source, size, count, stream);
    }
    if size == 0 {
        return 0;
    }
    put_all(stream, source, size.wrapping_mul(count));
    count
}

/// `vfprintf`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_vfprintf(stream: *mut Stream, format: *const u8, list: *mut VaList) -> i32 {
    /// Text that is longer is printed a second time, into memory of its own.
    const SHORT: usize = 512;
    if !Stream::is_own(stream) {
        return libc::vfprintf(stream, format, list);
    }
    let mut buffer = MaybeUninit::<[u8; SHORT]>::uninit();
    let text = buffer.as_mut_ptr().cast::<u8>();
    let mut again = VaList { ..*list };
    let length = tw_model_vsnprintf(text, SHORT, format, list);
    if length < 0 {
        return length;
    }
    let length = length as usize;
    if length < SHORT {
        put_all(stream, text, length);
        return length as i32;
    }
    let block = libc::malloc(length + 1);
    if block.is_null() {
        return -1;
    }
    tw_model_vsnprintf(block, length + 1, format, &raw mut again);
    put_all(stream, block, length);
    libc::free(block);
    length as i32
}

unsafe fn put_all(stream: *mut Stream, source: *const u8, count: usize) {
    let mut i = 0;
    while i < count {
        Stream::put(stream, *source.add(i));
        i += 1;
    }
}
