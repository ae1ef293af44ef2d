//! Infinity and NaN.

use super::super::integer::tw_model_strtoull;
use super::round::Format;
use crate::string::fold;
use core::ptr::null;

/// The bits of an infinity or NaN at `place`, and what follows it.
pub(super) unsafe fn read(place: *const u8, format: &Format) -> Option<(u64, *const u8)> {
    if starts_with(place, b"inf") {
        let length = if starts_with(place, b"infinity") { 8 } else { 3 };
        return Some((format.infinity(), place.add(length)));
    }
    if starts_with(place, b"nan") {
        let (payload, end) = read_payload(place.add(3));
        return Some((format.nan(payload), end));
    }
    None
}

/// Whether the text starts with `word`, in capitals or not.
unsafe fn starts_with(text: *const u8, word: &[u8]) -> bool {
    let mut i = 0;
    while i < word.len() {
        if fold(*text.add(i)) != *word.as_ptr().add(i) {
            return false;
        }
        i += 1;
    }
    true
}

/// `(letters and digits)` after `nan`: a number in it becomes the payload.
unsafe fn read_payload(place: *const u8) -> (u64, *const u8) {
    if *place != b'(' {
        return (0, place);
    }
    let first = place.add(1);
    let mut last = first;
    while is_word(*last) {
        last = last.add(1);
    }
    if *last != b')' {
        return (0, place);
    }
    let mut end = null();
    let payload = tw_model_strtoull(first, &raw mut end, 0);
    (if end == last { payload } else { 0 }, last.add(1))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte.is_ascii_uppercase() || byte == b'_'
}
