//! Copies of texts: into the caller's buffer, behind another text, onto the heap.

use super::search::{tw_model_strlen, tw_model_strnlen};
use crate::libc::malloc;
use crate::memory::tw_model_memcpy;
use core::ptr::null_mut;

/// `stpcpy`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_stpcpy(target: *mut u8, source: *const u8) -> *mut u8 {
    let mut i = 0;
    loop {
        let byte = *source.add(i);
        *target.add(i) = byte;
        if byte == 0 {
            return target.add(i);
        }
        i += 1;
    }
}

/// `strcpy`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strcpy(target: *mut u8, source: *const u8) -> *mut u8 {
    tw_model_stpcpy(target, source);
    target
}

/// `stpncpy`: the rest of the target is filled with zero bytes; the result is the first of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_stpncpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8 {
    let mut i = 0;
    while i < count {
        let byte = *source.add(i);
        if byte == 0 {
            break;
        }
        *target.add(i) = byte;
        i += 1;
    }
    let end = target.add(i);
    while i < count {
        *target.add(i) = 0;
        i += 1;
    }
    end
}

/// `strncpy`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strncpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8 {
    tw_model_stpncpy(target, source, count);
    target
}

/// `strcat`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strcat(target: *mut u8, source: *const u8) -> *mut u8 {
    tw_model_stpcpy(target.add(tw_model_strlen(target)), source);
    target
}

/// `strncat`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strncat(target: *mut u8, source: *const u8, count: usize) -> *mut u8 {
    let end = target.add(tw_model_strlen(target));
    let mut i = 0;
    while i < count {
        let byte = *source.add(i);
        if byte == 0 {
            break;
        }
        *end.add(i) = byte;
        i += 1;
    }
    *end.add(i) = 0;
    target
}

/// `strdup`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strdup(text: *const u8) -> *mut u8 {
    duplicate(text, tw_model_strlen(text))
}

/// `strndup`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strndup(text: *const u8, count: usize) -> *mut u8 {
    duplicate(text, tw_model_strnlen(text, count))
}

// Inlined, so that it is known on whose behalf memory is allocated: `strdup` may be told to fail, `qsort` may not.
#[inline(always)]
unsafe fn duplicate(text: *const u8, length: usize) -> *mut u8 {
    let block = malloc(length.wrapping_add(1));
    if block.is_null() {
        return null_mut();
    }
    tw_model_memcpy(block, text, length);
    *block.add(length) = 0;
    block
}
