//! Blocks of memory: the `mem` functions of `string.h`, `bcmp` and `bzero`.

use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

/// Copies one byte that need not be initialised: padding is copied too.
#[inline]
pub(crate) unsafe fn copy_byte(target: *mut u8, source: *const u8) {
    *target.cast::<MaybeUninit<u8>>() = *source.cast::<MaybeUninit<u8>>();
}

/// `memcpy`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memcpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8 {
    let mut i = 0;
    while i < count {
        copy_byte(target.add(i), source.add(i));
        i += 1;
    }
    target
}

/// `mempcpy`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_mempcpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8 {
    tw_model_memcpy(target, source, count).add(count)
}

/// `memmove`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memmove(target: *mut u8, source: *const u8, count: usize) -> *mut u8 {
    if target.cast_const() <= source {
        return tw_model_memcpy(target, source, count);
    }
    let mut i = count;
    while i != 0 {
        i -= 1;
        copy_byte(target.add(i), source.add(i));
    }
    target
}

/// `memccpy`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memccpy(
    target: *mut u8,
    source: *const u8,
    stop: i32,
    count: usize,
) -> *mut u8 {
    let stop = stop as u8;
    let mut i = 0;
    while i < count {
        let byte = *source.add(i);
        *target.add(i) = byte;
        i += 1;
        if byte == stop {
            return target.add(i);
        }
    }
    null_mut()
}

/// `memset`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memset(target: *mut u8, value: i32, count: usize) -> *mut u8 {
    let mut i = 0;
    while i < count {
        *target.add(i) = value as u8;
        i += 1;
    }
    target
}

/// `bzero`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_bzero(target: *mut u8, count: usize) {
    tw_model_memset(target, 0, count);
}

/// `memcmp`: the difference of the first bytes that differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    let mut i = 0;
    while i < count {
        let (a, b) = (*left.add(i), *right.add(i));
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        i += 1;
    }
    0
}

/// `bcmp`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_bcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    tw_model_memcmp(left, right, count)
}

/// `memchr`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memchr(block: *const u8, wanted: i32, count: usize) -> *const u8 {
    let wanted = wanted as u8;
    let mut i = 0;
    while i < count {
        if *block.add(i) == wanted {
            return block.add(i);
        }
        i += 1;
    }
    null()
}

/// `memrchr`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memrchr(block: *const u8, wanted: i32, count: usize) -> *const u8 {
    let wanted = wanted as u8;
    let mut i = count;
    while i != 0 {
        i -= 1;
        if *block.add(i) == wanted {
            return block.add(i);
        }
    }
    null()
}

/// `memmem`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_memmem(
    block: *const u8,
    block_length: usize,
    needle: *const u8,
    needle_length: usize,
) -> *const u8 {
    if needle_length > block_length {
        return null();
    }
    let mut start = 0;
    while start <= block_length - needle_length {
        let mut i = 0;
        while i < needle_length && *block.add(start + i) == *needle.add(i) {
            i += 1;
        }
        if i == needle_length {
            return block.add(start);
        }
        start += 1;
    }
    null()
}
