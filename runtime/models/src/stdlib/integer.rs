//! Integers from texts: `strtol` and its relatives, `atoi` and its own.

use super::scan::{digit, skip_sign, skip_space, store_end};
use crate::libc::{EINVAL, ERANGE, set_errno};
use core::num::NonZero;
use core::ptr::null_mut;

/// Which prefixes a conversion knows besides `0` and `0x`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefixes {
    /// None.
    C17,
    /// `0b` for base 2.
    C23,
}

/// What stands in a text: sign and magnitude, or that the magnitude is too large for 64 bits.
struct Number {
    negative: bool,
    magnitude: Option<u64>,
}

/// Reads the number at `text` and stores where it ends; 0 where there is none, as C wants it.
unsafe fn read(text: *const u8, end: *mut *const u8, base: i32, prefixes: Prefixes) -> Number {
    if base < 0 || base == 1 || base > 36 {
        set_errno(EINVAL);
        return Number { negative: false, magnitude: Some(0) };
    }
    let (negative, place) = skip_sign(skip_space(text));
    let (base, digits) = skip_prefix(place, base as u8, prefixes);
    let (magnitude, after) = read_digits(digits, base);
    if after != digits {
        store_end(end, after);
    } else if digits != place {
        // The prefix without digits is the number 0, followed by a letter.
        store_end(end, place.add(1));
    } else {
        store_end(end, text);
    }
    Number { negative, magnitude }
}

/// The base that prefix and `base` (0: by prefix) mean, and the first digit.
unsafe fn skip_prefix(place: *const u8, base: u8, prefixes: Prefixes) -> (NonZero<u8>, *const u8) {
    if *place == b'0' {
        let letter = *place.add(1);
        if (base == 0 || base == 16) && (letter == b'x' || letter == b'X') {
            return (SIXTEEN, place.add(2));
        }
        if (base == 0 || base == 2) && prefixes == Prefixes::C23 && (letter == b'b' || letter == b'B') {
            return (TWO, place.add(2));
        }
        return (NonZero::new(base).unwrap_or(EIGHT), place);
    }
    (NonZero::new(base).unwrap_or(TEN), place)
}

const TWO: NonZero<u8> = NonZero::new(2).unwrap();
const EIGHT: NonZero<u8> = NonZero::new(8).unwrap();
const TEN: NonZero<u8> = NonZero::new(10).unwrap();
const SIXTEEN: NonZero<u8> = NonZero::new(16).unwrap();

/// So many digits fit into 64 bits in any base.
const SHORT: u32 = 12;

/// The value of the digits at `place`, if it fits, and what follows them.
unsafe fn read_digits(place: *const u8, base: NonZero<u8>) -> (Option<u64>, *const u8) {
    let mut place = place;
    let mut value: u64 = 0;
    // Where the value must fit there is no branch that asks: nobody has to prove that it goes one way only.
    let mut left = SHORT;
    while left > 0 {
        let digit = digit(*place);
        if digit >= base.get() {
            return (Some(value), place);
        }
        value = value.wrapping_mul(u64::from(base.get())).wrapping_add(u64::from(digit));
        place = place.add(1);
        left -= 1;
    }
    let limit = largest_before_digit(base);
    loop {
        let digit = digit(*place);
        if digit >= base.get() {
            return (Some(value), place);
        }
        let scaled = value.wrapping_mul(u64::from(base.get()));
        let sum = scaled.wrapping_add(u64::from(digit));
        if value > limit || sum < scaled {
            return (None, skip_digits(place, base));
        }
        value = sum;
        place = place.add(1);
    }
}

unsafe fn skip_digits(place: *const u8, base: NonZero<u8>) -> *const u8 {
    let mut place = place;
    while digit(*place) < base.get() {
        place = place.add(1);
    }
    place
}

/// The largest value that can be multiplied with `base`.
///
/// Not inlined, since LLVM would make a multiplication with overflow check of the comparison with it: harder
/// to solve than a comparison with a constant.
#[inline(never)]
fn largest_before_digit(base: NonZero<u8>) -> u64 {
    u64::MAX / NonZero::<u64>::from(base)
}

impl Number {
    fn signed(&self) -> i64 {
        let limit = if self.negative { 1 << 63 } else { i64::MAX as u64 };
        match self.magnitude {
            Some(magnitude) if magnitude <= limit => {
                if self.negative {
                    magnitude.wrapping_neg() as i64
                } else {
                    magnitude as i64
                }
            }
            _ => {
                set_errno(ERANGE);
                limit as i64
            }
        }
    }

    fn unsigned(&self) -> u64 {
        match self.magnitude {
            Some(magnitude) if self.negative => magnitude.wrapping_neg(),
            Some(magnitude) => magnitude,
            None => {
                set_errno(ERANGE);
                u64::MAX
            }
        }
    }
}

macro_rules! conversions {
    ($($name:literal, $model:ident, $prefixes:ident, $kind:ident -> $type:ty;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $model(text: *const u8, end: *mut *const u8, base: i32) -> $type {
                read(text, end, base, Prefixes::$prefixes).$kind()
            }
        )*
    };
}

conversions! {
    "strtol", tw_model_strtol, C17, signed -> i64;
    "strtoll", tw_model_strtoll, C17, signed -> i64;
    "strtoimax", tw_model_strtoimax, C17, signed -> i64;
    "strtoul", tw_model_strtoul, C17, unsigned -> u64;
    "strtoull", tw_model_strtoull, C17, unsigned -> u64;
    "strtoumax", tw_model_strtoumax, C17, unsigned -> u64;
    "__isoc23_strtol", tw_model___isoc23_strtol, C23, signed -> i64;
    "__isoc23_strtoll", tw_model___isoc23_strtoll, C23, signed -> i64;
    "__isoc23_strtoimax", tw_model___isoc23_strtoimax, C23, signed -> i64;
    "__isoc23_strtoul", tw_model___isoc23_strtoul, C23, unsigned -> u64;
    "__isoc23_strtoull", tw_model___isoc23_strtoull, C23, unsigned -> u64;
    "__isoc23_strtoumax", tw_model___isoc23_strtoumax, C23, unsigned -> u64;
}

/// `atoi`: the low half of what `strtol` returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_atoi(text: *const u8) -> i32 {
    tw_model_strtol(text, null_mut(), 10) as i32
}

/// `atol`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_atol(text: *const u8) -> i64 {
    tw_model_strtol(text, null_mut(), 10)
}

/// `atoll`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_atoll(text: *const u8) -> i64 {
    tw_model_strtol(text, null_mut(), 10)
}
