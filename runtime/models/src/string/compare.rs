//! Order of texts, with and without regard to case.

/// The small letter for an ASCII capital, every other byte unchanged.
#[inline]
pub(crate) fn fold(byte: u8) -> u8 {
    if byte.is_ascii_uppercase() { byte.wrapping_add(b'a' - b'A') } else { byte }
}

/// `strcmp`: the difference of the first bytes that differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strcmp(left: *const u8, right: *const u8) -> i32 {
    let mut i = 0;
    loop {
        let (a, b) = (*left.add(i), *right.add(i));
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        if a == 0 {
            return 0;
        }
        i += 1;
    }
}

/// `strcoll`: the C locale orders by bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strcoll(left: *const u8, right: *const u8) -> i32 {
    tw_model_strcmp(left, right)
}

/// `strncmp`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strncmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    let mut i = 0;
    while i < count {
        let (a, b) = (*left.add(i), *right.add(i));
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        if a == 0 {
            return 0;
        }
        i += 1;
    }
    0
}

/// `strcasecmp`: the difference of the first small letters that differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strcasecmp(left: *const u8, right: *const u8) -> i32 {
    let mut i = 0;
    loop {
        let (a, b) = (fold(*left.add(i)), fold(*right.add(i)));
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        if a == 0 {
            return 0;
        }
        i += 1;
    }
}

/// `strncasecmp`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strncasecmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    let mut i = 0;
    while i < count {
        let (a, b) = (fold(*left.add(i)), fold(*right.add(i)));
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        if a == 0 {
            return 0;
        }
        i += 1;
    }
    0
}
