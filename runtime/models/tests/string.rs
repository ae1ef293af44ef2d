//! Texts that end with a zero byte, against libc.

use proptest::prelude::*;
use std::ffi::CString;
use std::ptr::null_mut;
use testwright_models::string::*;

mod native {
    unsafe extern "C" {
        pub fn strlen(text: *const u8) -> usize;
        pub fn strnlen(text: *const u8, limit: usize) -> usize;
        pub fn strcpy(target: *mut u8, source: *const u8) -> *mut u8;
        pub fn strncpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8;
        pub fn stpcpy(target: *mut u8, source: *const u8) -> *mut u8;
        pub fn stpncpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8;
        pub fn strcat(target: *mut u8, source: *const u8) -> *mut u8;
        pub fn strncat(target: *mut u8, source: *const u8, count: usize) -> *mut u8;
        pub fn strcmp(left: *const u8, right: *const u8) -> i32;
        pub fn strcoll(left: *const u8, right: *const u8) -> i32;
        pub fn strncmp(left: *const u8, right: *const u8, count: usize) -> i32;
        pub fn strcasecmp(left: *const u8, right: *const u8) -> i32;
        pub fn strncasecmp(left: *const u8, right: *const u8, count: usize) -> i32;
        pub fn strchr(text: *const u8, wanted: i32) -> *const u8;
        pub fn strrchr(text: *const u8, wanted: i32) -> *const u8;
        pub fn strchrnul(text: *const u8, wanted: i32) -> *const u8;
        pub fn index(text: *const u8, wanted: i32) -> *const u8;
        pub fn rindex(text: *const u8, wanted: i32) -> *const u8;
        pub fn strstr(text: *const u8, needle: *const u8) -> *const u8;
        pub fn strcasestr(text: *const u8, needle: *const u8) -> *const u8;
        pub fn strspn(text: *const u8, set: *const u8) -> usize;
        pub fn strcspn(text: *const u8, set: *const u8) -> usize;
        pub fn strpbrk(text: *const u8, set: *const u8) -> *const u8;
        pub fn strsep(rest: *mut *mut u8, separators: *const u8) -> *mut u8;
        pub fn strtok(text: *mut u8, separators: *const u8) -> *mut u8;
        pub fn strtok_r(text: *mut u8, separators: *const u8, rest: *mut *mut u8) -> *mut u8;
        pub fn free(block: *mut u8);
    }
}

/// A text of few different bytes, so that parts of it often agree with another; may be empty.
fn text(longest: usize) -> impl Strategy<Value = CString> {
    let byte =
        prop::sample::select(vec![1, b'a', b'A', b'b', b'B', b'z', b'[', b'@', b'`', 0x80, 0xc4, 0xff]);
    prop::collection::vec(byte, 0..=longest).prop_map(|bytes| CString::new(bytes).unwrap())
}

fn byte_argument() -> impl Strategy<Value = i32> {
    prop_oneof![prop::sample::select(vec![0, 97, 65, 128, 255, -1, 256, 0x161]), any::<i32>()]
}

/// The buffer after the change, and the offset of its result.
fn change(before: &[u8], change: impl FnOnce(*mut u8) -> *mut u8) -> (Vec<u8>, usize) {
    let mut buffer = before.to_vec();
    let start = buffer.as_mut_ptr();
    let result = change(start);
    (buffer, result as usize - start as usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn lengths_agree(text in text(40), limit in 0usize..50) {
        let text = text.as_ptr().cast();
        // SAFETY: the text ends with a zero byte.
        unsafe {
            prop_assert_eq!(tw_model_strlen(text), native::strlen(text));
            prop_assert_eq!(tw_model_strnlen(text, limit), native::strnlen(text, limit));
            prop_assert_eq!(tw_model_strnlen(text, usize::MAX), native::strlen(text));
        }
    }

    #[test]
    fn copies_agree(source in text(40), count in 0usize..50) {
        let buffer = [0xaa; 64];
        let source = source.as_ptr().cast();
        // SAFETY: the buffer has room for the longest text and the largest count.
        unsafe {
            prop_assert_eq!(
                change(&buffer, |b| tw_model_strcpy(b, source)),
                change(&buffer, |b| native::strcpy(b, source))
            );
            prop_assert_eq!(
                change(&buffer, |b| tw_model_stpcpy(b, source)),
                change(&buffer, |b| native::stpcpy(b, source))
            );
            prop_assert_eq!(
                change(&buffer, |b| tw_model_strncpy(b, source, count)),
                change(&buffer, |b| native::strncpy(b, source, count))
            );
            prop_assert_eq!(
                change(&buffer, |b| tw_model_stpncpy(b, source, count)),
                change(&buffer, |b| native::stpncpy(b, source, count))
            );
        }
    }

    #[test]
    fn appended_texts_agree(first in text(20), second in text(20), count in 0usize..30) {
        let mut buffer = first.as_bytes_with_nul().to_vec();
        buffer.resize(64, 0xaa);
        let second = second.as_ptr().cast();
        // SAFETY: the buffer has room for both texts.
        unsafe {
            prop_assert_eq!(
                change(&buffer, |b| tw_model_strcat(b, second)),
                change(&buffer, |b| native::strcat(b, second))
            );
            prop_assert_eq!(
                change(&buffer, |b| tw_model_strncat(b, second, count)),
                change(&buffer, |b| native::strncat(b, second, count))
            );
        }
    }

    #[test]
    fn comparisons_agree(left in text(8), right in text(8), shared in text(20), count in 0usize..30) {
        let join = |end: &CString| CString::new([shared.as_bytes(), end.as_bytes()].concat()).unwrap();
        let (left, right) = (join(&left), join(&right));
        let (left, right) = (left.as_ptr().cast(), right.as_ptr().cast());
        // SAFETY: both texts end with a zero byte.
        unsafe {
            prop_assert_eq!(tw_model_strcmp(left, right), native::strcmp(left, right));
            prop_assert_eq!(tw_model_strcoll(left, right), native::strcoll(left, right));
            prop_assert_eq!(tw_model_strncmp(left, right, count), native::strncmp(left, right, count));
            prop_assert_eq!(tw_model_strcasecmp(left, right), native::strcasecmp(left, right));
            prop_assert_eq!(tw_model_strncasecmp(left, right, count), native::strncasecmp(left, right, count));
        }
    }

    #[test]
    fn single_bytes_are_found_alike(text in text(40), wanted in byte_argument()) {
        let text = text.as_ptr().cast();
        // SAFETY: the text ends with a zero byte.
        unsafe {
            prop_assert_eq!(tw_model_strchr(text, wanted), native::strchr(text, wanted));
            prop_assert_eq!(tw_model_strrchr(text, wanted), native::strrchr(text, wanted));
            prop_assert_eq!(tw_model_strchrnul(text, wanted), native::strchrnul(text, wanted));
            prop_assert_eq!(tw_model_index(text, wanted), native::index(text, wanted));
            prop_assert_eq!(tw_model_rindex(text, wanted), native::rindex(text, wanted));
        }
    }

    #[test]
    fn texts_and_sets_are_found_alike(text in text(40), other in text(4)) {
        let (text, other) = (text.as_ptr().cast(), other.as_ptr().cast());
        // SAFETY: both texts end with a zero byte.
        unsafe {
            prop_assert_eq!(tw_model_strstr(text, other), native::strstr(text, other));
            prop_assert_eq!(tw_model_strstr(other, text), native::strstr(other, text));
            prop_assert_eq!(tw_model_strcasestr(text, other), native::strcasestr(text, other));
            prop_assert_eq!(tw_model_strspn(text, other), native::strspn(text, other));
            prop_assert_eq!(tw_model_strcspn(text, other), native::strcspn(text, other));
            prop_assert_eq!(tw_model_strpbrk(text, other), native::strpbrk(text, other));
        }
    }

    #[test]
    fn texts_are_cut_alike(text in text(40), separators in text(3)) {
        let separators: *const u8 = separators.as_ptr().cast();
        // SAFETY: all texts end with a zero byte.
        unsafe {
            prop_assert_eq!(
                tokens(&text, |start, rest| tw_model_strtok_r(start, separators, rest)),
                tokens(&text, |start, rest| native::strtok_r(start, separators, rest))
            );
            prop_assert_eq!(
                fields(&text, |rest| tw_model_strsep(rest, separators)),
                fields(&text, |rest| native::strsep(rest, separators))
            );
        }
    }

    #[test]
    fn copies_on_the_heap_hold_the_text(text in text(40), limit in 0usize..50) {
        // SAFETY: the text ends with a zero byte, and so do the copies; they come from `malloc`.
        unsafe {
            let start = text.as_ptr().cast();
            for (copy, length) in [
                (tw_model_strdup(start), text.as_bytes().len()),
                (tw_model_strndup(start, limit), text.as_bytes().len().min(limit)),
            ] {
                prop_assert_eq!(std::ffi::CStr::from_ptr(copy.cast()).to_bytes(), &text.as_bytes()[..length]);
                native::free(copy);
            }
        }
    }
}

/// Offsets of the tokens that `next` cuts from the text, and what it makes of the text.
fn tokens(text: &CString, mut next: impl FnMut(*mut u8, *mut *mut u8) -> *mut u8) -> (Vec<usize>, Vec<u8>) {
    let mut buffer = text.as_bytes_with_nul().to_vec();
    let start = buffer.as_mut_ptr();
    let mut rest = null_mut();
    let mut offsets = Vec::new();
    let mut token = next(start, &raw mut rest);
    while !token.is_null() {
        offsets.push(token as usize - start as usize);
        token = next(null_mut(), &raw mut rest);
    }
    // Once more at the end: there must not be another one.
    assert!(next(null_mut(), &raw mut rest).is_null());
    (offsets, buffer)
}

fn fields(text: &CString, mut next: impl FnMut(*mut *mut u8) -> *mut u8) -> (Vec<usize>, Vec<u8>) {
    let mut buffer = text.as_bytes_with_nul().to_vec();
    let start = buffer.as_mut_ptr();
    let mut rest = start;
    let mut offsets = Vec::new();
    loop {
        let field = next(&raw mut rest);
        if field.is_null() {
            return (offsets, buffer);
        }
        offsets.push(field as usize - start as usize);
    }
}

// The only test that uses `strtok`: its state is one per process.
#[test]
fn strtok_goes_on_where_it_stopped_as_libc_does() {
    let cut = |function: unsafe extern "C" fn(*mut u8, *const u8) -> *mut u8| {
        let mut text = *b"  one,two ;three\0";
        let mut tokens = Vec::new();
        let mut start = text.as_mut_ptr();
        for separators in [c" ", c" ,", c";", c" ;", c" ;"] {
            // SAFETY: text and separators end with a zero byte, and the text outlives the calls.
            let token = unsafe { function(start, separators.as_ptr().cast()) };
            tokens.push(if token.is_null() { None } else { Some(token as usize - text.as_ptr() as usize) });
            start = null_mut();
        }
        (tokens, text)
    };
    assert_eq!(cut(tw_model_strtok), cut(native::strtok));
}
