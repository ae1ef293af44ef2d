//! Hexadecimal numbers: `0x1.8p3`.

use super::super::scan::digit;
use super::read_exponent;
use super::round::{Format, Rounded, Scaled};

/// The number `significand * 2^exponent`, or a little more if `sticky`.
pub(super) struct Hexadecimal {
    significand: u64,
    exponent: i64,
    sticky: bool,
}

impl Hexadecimal {
    /// Reads what follows `0x`; `None` if there is no digit.
    pub(super) unsafe fn read(text: *const u8) -> Option<(Hexadecimal, *const u8)> {
        let mut number = Hexadecimal { significand: 0, exponent: 0, sticky: false };
        let mut place = text;
        let mut has_digits = false;
        let mut after_point = false;
        loop {
            let byte = *place;
            if byte == b'.' && !after_point {
                after_point = true;
            } else if digit(byte) < 16 {
                has_digits = true;
                number.push(digit(byte));
                number.exponent -= if after_point { 4 } else { 0 };
            } else {
                break;
            }
            place = place.add(1);
        }
        if !has_digits {
            return None;
        }
        let (exponent, end) = read_exponent(place, b'p', b'P');
        number.exponent += exponent;
        Some((number, end))
    }

    fn push(&mut self, digit: u8) {
        if self.significand >> 60 == 0 {
            self.significand = self.significand << 4 | u64::from(digit);
        } else {
            self.exponent += 4;
            self.sticky |= digit != 0;
        }
    }

    pub(super) fn round(&self, format: &Format) -> Rounded {
        if self.significand == 0 {
            return Rounded::ZERO;
        }
        let zeros = self.significand.leading_zeros();
        let scaled = Scaled {
            significand: self.significand.wrapping_shl(zeros),
            exponent: self.exponent + 63 - i64::from(zeros),
            sticky: self.sticky,
        };
        scaled.round(format)
    }
}
