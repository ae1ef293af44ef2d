//! Single characters of a number: spaces before it, its sign, its digits.

/// The first character of `text` that is not white space.
pub(super) unsafe fn skip_space(text: *const u8) -> *const u8 {
    let mut place = text;
    loop {
        let byte = *place;
        if !(byte == b' ' || (b'\t'..=b'\r').contains(&byte)) {
            return place;
        }
        place = place.add(1);
    }
}

/// Whether there is a minus sign, and what follows the sign, if there is one.
pub(super) unsafe fn skip_sign(text: *const u8) -> (bool, *const u8) {
    let byte = *text;
    if byte == b'-' {
        (true, text.add(1))
    } else if byte == b'+' {
        (false, text.add(1))
    } else {
        (false, text)
    }
}

/// The value of a digit or letter, 255 for anything else.
pub(super) fn digit(byte: u8) -> u8 {
    if byte.is_ascii_digit() {
        byte - b'0'
    } else if byte.is_ascii_lowercase() {
        byte - b'a' + 10
    } else if byte.is_ascii_uppercase() {
        byte - b'A' + 10
    } else {
        u8::MAX
    }
}

/// Stores an end pointer where the caller wants one.
pub(super) unsafe fn store_end(target: *mut *const u8, end: *const u8) {
    if !target.is_null() {
        *target = end;
    }
}
