//! The tables that glibc's `ctype.h` macros read, as constants: a symbolic index selects from them.

use super::class::{bits, lower, upper};

/// Index of character 0; the tables cover -128 to 255.
const ORIGIN: usize = 128;
const LENGTH: usize = ORIGIN + 256;

static CLASSES: [u16; LENGTH] = {
    let mut table = [0; LENGTH];
    let mut i = 0;
    while i < LENGTH {
        // In the C locale no character above 127 has a class, negative or not.
        table[i] = bits(i as i32 - ORIGIN as i32);
        i += 1;
    }
    table
};

static LOWER: [i32; LENGTH] = {
    let mut table = [0; LENGTH];
    let mut i = 0;
    while i < LENGTH {
        table[i] = lower(i as i32 - ORIGIN as i32);
        i += 1;
    }
    table
};

static UPPER: [i32; LENGTH] = {
    let mut table = [0; LENGTH];
    let mut i = 0;
    while i < LENGTH {
        table[i] = upper(i as i32 - ORIGIN as i32);
        i += 1;
    }
    table
};

/// The address of the entry for character 0.
#[repr(transparent)]
pub struct Origin<T>(*const T);

// SAFETY: it points into a table that nobody writes.
unsafe impl<T: Sync> Sync for Origin<T> {}

static CLASSES_ORIGIN: Origin<u16> = Origin((&raw const CLASSES).cast::<u16>().wrapping_add(ORIGIN));
static LOWER_ORIGIN: Origin<i32> = Origin((&raw const LOWER).cast::<i32>().wrapping_add(ORIGIN));
static UPPER_ORIGIN: Origin<i32> = Origin((&raw const UPPER).cast::<i32>().wrapping_add(ORIGIN));

/// `__ctype_b_loc`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model___ctype_b_loc() -> *const *const u16 {
    (&raw const CLASSES_ORIGIN).cast()
}

/// `__ctype_tolower_loc`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model___ctype_tolower_loc() -> *const *const i32 {
    (&raw const LOWER_ORIGIN).cast()
}

/// `__ctype_toupper_loc`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model___ctype_toupper_loc() -> *const *const i32 {
    (&raw const UPPER_ORIGIN).cast()
}
