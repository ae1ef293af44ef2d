//! Floating-point numbers from texts: `strtod`, `strtof`, `atof`.
//!
//! ```text
//! text -> sign, then infinity | NaN | hexadecimal | decimal
//! decimal     -> few digits: one exact division or product       (stays a small expression)
//!             -> else: quotient of two big integers -> Scaled -> bits
//! hexadecimal -> Scaled -> bits
//! ```
//!
//! Results are exactly rounded to the nearest, ties to even; glibc 2.36 is wrong about a few hexadecimal subnormal
//! numbers. Limits: a rounding mode set by the code under test counts only where few digits are converted, and the
//! flags of underflow and overflow are not raised.

mod big;
mod decimal;
mod hexadecimal;
mod round;
mod special;

use super::scan::{skip_sign, skip_space, store_end};
use crate::libc::{ERANGE, set_errno};
use core::ptr::null_mut;
use decimal::Decimal;
use hexadecimal::Hexadecimal;
use round::{DOUBLE, Format, Rounded, SINGLE};

/// `strtod`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strtod(text: *const u8, end: *mut *const u8) -> f64 {
    let number = read(text, &DOUBLE);
    store_end(end, number.end);
    let magnitude = match number.decimal.as_ref().and_then(Decimal::exact_double) {
        Some(value) => value,
        None => f64::from_bits(number.bits(&DOUBLE)),
    };
    if number.negative { -magnitude } else { magnitude }
}

/// `strtof`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_strtof(text: *const u8, end: *mut *const u8) -> f32 {
    let number = read(text, &SINGLE);
    store_end(end, number.end);
    let magnitude = match number.decimal.as_ref().and_then(Decimal::exact_single) {
        Some(value) => value,
        None => f32::from_bits(number.bits(&SINGLE) as u32),
    };
    if number.negative { -magnitude } else { magnitude }
}

/// `atof`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_atof(text: *const u8) -> f64 {
    tw_model_strtod(text, null_mut())
}

/// What was read: a decimal number still to be converted, or the bits of anything else.
struct Number {
    negative: bool,
    end: *const u8,
    decimal: Option<Decimal>,
    bits: u64,
}

impl Number {
    unsafe fn bits(&self, format: &Format) -> u64 {
        match &self.decimal {
            Some(decimal) => report_range(&decimal.round(format)),
            None => self.bits,
        }
    }
}

fn report_range(rounded: &Rounded) -> u64 {
    if rounded.out_of_range {
        set_errno(ERANGE);
    }
    rounded.bits
}

unsafe fn read(text: *const u8, format: &Format) -> Number {
    let (negative, place) = skip_sign(skip_space(text));
    if let Some((bits, end)) = special::read(place, format) {
        return Number { negative, end, decimal: None, bits };
    }
    if *place == b'0' && (*place.add(1) == b'x' || *place.add(1) == b'X') {
        return match Hexadecimal::read(place.add(2)) {
            Some((hexadecimal, end)) => {
                let bits = report_range(&hexadecimal.round(format));
                Number { negative, end, decimal: None, bits }
            }
            // Only the zero is a number.
            None => Number { negative, end: place.add(1), decimal: None, bits: 0 },
        };
    }
    match Decimal::read(place) {
        Some((decimal, end)) => Number { negative, end, decimal: Some(decimal), bits: 0 },
        // Nothing was read, so not even the sign counts.
        None => Number { negative: false, end: text, decimal: None, bits: 0 },
    }
}

/// The exponent at `place`: a letter (given in both cases), a sign, digits. 0 and `place` where there is none.
///
/// Huge exponents are cut off, far beyond what the digits before them could make up for.
unsafe fn read_exponent(place: *const u8, small: u8, capital: u8) -> (i64, *const u8) {
    const HUGE: i64 = 1 << 56;
    if *place != small && *place != capital {
        return (0, place);
    }
    let (negative, mut digits) = skip_sign(place.add(1));
    if !(*digits).is_ascii_digit() {
        return (0, place);
    }
    let mut exponent: i64 = 0;
    loop {
        let byte = *digits;
        if !byte.is_ascii_digit() {
            return (if negative { -exponent } else { exponent }, digits);
        }
        if exponent < HUGE {
            exponent = exponent * 10 + i64::from(byte - b'0');
        }
        digits = digits.add(1);
    }
}
