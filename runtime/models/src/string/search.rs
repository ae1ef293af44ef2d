//! Lengths of texts, and places of bytes, sets of bytes and texts in them.

use super::compare::fold;
use core::ptr::null;

/// `strlen`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strlen(text: *const u8) -> usize {
    let mut length = 0;
    while *text.add(length) != 0 {
        length += 1;
    }
    length
}

/// `strnlen`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strnlen(text: *const u8, limit: usize) -> usize {
    let mut length = 0;
    while length < limit && *text.add(length) != 0 {
        length += 1;
    }
    length
}

/// `strchrnul`: the end of the text if the byte is not in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strchrnul(text: *const u8, wanted: i32) -> *const u8 {
    let wanted = wanted as u8;
    let mut place = text;
    loop {
        let byte = *place;
        if byte == wanted || byte == 0 {
            return place;
        }
        place = place.add(1);
    }
}

/// `strchr`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strchr(text: *const u8, wanted: i32) -> *const u8 {
    let wanted = wanted as u8;
    let mut place = text;
    loop {
        let byte = *place;
        if byte == wanted {
            return place;
        }
        if byte == 0 {
            return null();
        }
        place = place.add(1);
    }
}

/// `index`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_index(text: *const u8, wanted: i32) -> *const u8 {
    tw_model_strchr(text, wanted)
}

/// `strrchr`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strrchr(text: *const u8, wanted: i32) -> *const u8 {
    let wanted = wanted as u8;
    let mut last = null();
    let mut place = text;
    loop {
        let byte = *place;
        if byte == wanted {
            last = place;
        }
        if byte == 0 {
            return last;
        }
        place = place.add(1);
    }
}

/// `rindex`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_rindex(text: *const u8, wanted: i32) -> *const u8 {
    tw_model_strrchr(text, wanted)
}

/// `strspn`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strspn(text: *const u8, set: *const u8) -> usize {
    let mut length = 0;
    loop {
        let byte = *text.add(length);
        if byte == 0 || !contains(set, byte) {
            return length;
        }
        length += 1;
    }
}

/// `strcspn`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strcspn(text: *const u8, set: *const u8) -> usize {
    let mut length = 0;
    loop {
        let byte = *text.add(length);
        if byte == 0 || contains(set, byte) {
            return length;
        }
        length += 1;
    }
}

/// `strpbrk`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strpbrk(text: *const u8, set: *const u8) -> *const u8 {
    let place = text.add(tw_model_strcspn(text, set));
    if *place == 0 { null() } else { place }
}

/// Whether a byte other than zero is in the set.
unsafe fn contains(set: *const u8, byte: u8) -> bool {
    let mut place = set;
    while *place != 0 {
        if *place == byte {
            return true;
        }
        place = place.add(1);
    }
    false
}

/// `strstr`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strstr(text: *const u8, needle: *const u8) -> *const u8 {
    let mut place = text;
    loop {
        let mut i = 0;
        while *needle.add(i) != 0 && *place.add(i) == *needle.add(i) {
            i += 1;
        }
        if *needle.add(i) == 0 {
            return place;
        }
        // The text ended before the needle did: what is left is too short everywhere.
        if *place.add(i) == 0 {
            return null();
        }
        place = place.add(1);
    }
}

/// `strcasestr`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strcasestr(text: *const u8, needle: *const u8) -> *const u8 {
    let mut place = text;
    loop {
        let mut i = 0;
        while *needle.add(i) != 0 && fold(*place.add(i)) == fold(*needle.add(i)) {
            i += 1;
        }
        if *needle.add(i) == 0 {
            return place;
        }
        if *place.add(i) == 0 {
            return null();
        }
        place = place.add(1);
    }
}
