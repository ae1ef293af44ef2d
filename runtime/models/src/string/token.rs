//! Texts cut into tokens, in place.

use super::search::{tw_model_strcspn, tw_model_strspn};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

/// Where `strtok` goes on; a global of the subject like any other, and reset with them.
struct Rest(UnsafeCell<*mut u8>);

// SAFETY: code under test that calls `strtok` from two threads has that race with libc's own function too.
unsafe impl Sync for Rest {}

static REST: Rest = Rest(UnsafeCell::new(null_mut()));

/// `strtok`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strtok(text: *mut u8, separators: *const u8) -> *mut u8 {
    tw_model_strtok_r(text, separators, REST.0.get())
}

/// `strtok_r`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strtok_r(
    text: *mut u8,
    separators: *const u8,
    rest: *mut *mut u8,
) -> *mut u8 {
    let text = if text.is_null() { *rest } else { text };
    let token = text.add(tw_model_strspn(text, separators));
    if *token == 0 {
        *rest = token;
        return null_mut();
    }
    let end = token.add(tw_model_strcspn(token, separators));
    if *end == 0 {
        *rest = end;
    } else {
        *end = 0;
        *rest = end.add(1);
    }
    token
}

/// `strsep`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strsep(rest: *mut *mut u8, separators: *const u8) -> *mut u8 {
    let token = *rest;
    if token.is_null() {
        return null_mut();
    }
    let end = token.add(tw_model_strcspn(token, separators));
    if *end == 0 {
        *rest = null_mut();
    } else {
        *end = 0;
        *rest = end.add(1);
    }
    token
}
