//! Reading: `fgetc`, `fgets`, `fread`, `getline` and `ungetc`.

use super::{EOF, PUSHED, Stream};
use crate::libc::{self, EINVAL, ENOMEM, set_errno};
use core::ptr::null_mut;

/// `fgetc`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fgetc(stream: *mut Stream) -> i32 {
    if Stream::is_own(stream) { Stream::get(stream) } else { libc::fgetc(stream) }
}

/// `getc`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_getc(stream: *mut Stream) -> i32 {
    tw_model_fgetc(stream)
}

/// `_IO_getc`, which `getc` was in older versions of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model__IO_getc(stream: *mut Stream) -> i32 {
    tw_model_fgetc(stream)
}

/// `getc_unlocked`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_getc_unlocked(stream: *mut Stream) -> i32 {
    tw_model_fgetc(stream)
}

/// `fgetc_unlocked`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fgetc_unlocked(stream: *mut Stream) -> i32 {
    tw_model_fgetc(stream)
}

/// `ungetc`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_ungetc(byte: i32, stream: *mut Stream) -> i32 {
    if !Stream::is_own(stream) {
        return libc::ungetc(byte, stream);
    }
    let count = usize::from((*stream).pushed_count);
    if byte == EOF || count == PUSHED {
        return EOF;
    }
    *(&raw mut (*stream).pushed).cast::<u8>().add(count) = byte as u8;
    (*stream).pushed_count = count as u8 + 1;
    (*stream).end = 0;
    i32::from(byte as u8)
}

/// `fgets`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fgets(target: *mut u8, size: i32, stream: *mut Stream) -> *mut u8 {
    if !Stream::is_own(stream) {
        return libc::fgets(target, size, stream);
    }
    if size <= 0 {
        return null_mut();
    }
    let mut count = 0;
    while count + 1 < size as usize {
        let byte = Stream::get(stream);
        if byte == EOF {
            if count == 0 {
                return null_mut();
            }
            break;
        }
        *target.add(count) = byte as u8;
        count += 1;
        if byte == i32::from(b'\n') {
            break;
        }
    }
    *target.add(count) = 0;
    target
}

/// `fread`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fread(
    target: *mut u8,
    size: usize,
    count: usize,
    stream: *mut Stream,
) -> usize {
    if !Stream::is_own(stream) {
        return libc::fread(target, size, count, stream);
    }
    if size == 0 {
        return 0;
    }
    let wanted = size.wrapping_mul(count);
    let mut read = 0;
    while read < wanted {
        let byte = Stream::get(stream);
        if byte == EOF {
            break;
        }
        *target.add(read) = byte as u8;
        read += 1;
    }
    if read == wanted { count } else { read.checked_div(size).unwrap_or(0) }
}

/// `getline`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_getline(
    line: *mut *mut u8,
    size: *mut usize,
    stream: *mut Stream,
) -> isize {
    const FIRST: usize = 120;
    if !Stream::is_own(stream) {
        return libc::getline(line, size, stream);
    }
    if line.is_null() || size.is_null() {
        set_errno(EINVAL);
        return -1;
    }
    let mut count = 0;
    loop {
        // There is room for one more byte and for the end of the text.
        if (*line).is_null() || count + 2 > *size {
            let room = if (*line).is_null() || *size < FIRST { FIRST } else { 2 * *size };
            let block = libc::realloc(*line, room);
            if block.is_null() {
                set_errno(ENOMEM);
                return -1;
            }
            *line = block;
            *size = room;
        }
        let byte = Stream::get(stream);
        if byte == EOF {
            break;
        }
        *(*line).add(count) = byte as u8;
        count += 1;
        if byte == i32::from(b'\n') {
            break;
        }
    }
    if count == 0 {
        return -1;
    }
    *(*line).add(count) = 0;
    count as isize
}
