//! Decimal numbers: `12.5e-3`.

use super::big::Big;
use super::read_exponent;
use super::round::{Format, Rounded, Scaled};

/// The digits of a decimal number, where they stand, and its power of ten.
pub(super) struct Decimal {
    /// The first digit that is not zero.
    first: *const u8,
    /// How many digits there are from there, not counting a point between them.
    count: i64,
    /// The value of the first [`LEADING`] of them.
    leading: u64,
    /// The power of ten to multiply the integer made of all digits with.
    exponent: i64,
}

/// So many decimal digits fit into 64 bits.
const LEADING: i64 = 19;
/// Two neighbouring doubles and the point half way between them differ in the first 768 digits.
const DECISIVE: i64 = 800;

impl Decimal {
    /// Reads digits with a point among them, and an exponent; `None` if there is no digit.
    pub(super) unsafe fn read(text: *const u8) -> Option<(Decimal, *const u8)> {
        let mut number = Decimal { first: text, count: 0, leading: 0, exponent: 0 };
        let mut place = text;
        let mut has_digits = false;
        let mut after_point = false;
        loop {
            let byte = *place;
            if byte == b'.' && !after_point {
                after_point = true;
            } else if byte.is_ascii_digit() {
                has_digits = true;
                number.push(place, byte - b'0');
                number.exponent -= i64::from(after_point);
            } else {
                break;
            }
            place = place.add(1);
        }
        if !has_digits {
            return None;
        }
        let (exponent, end) = read_exponent(place, b'e', b'E');
        number.exponent += exponent;
        Some((number, end))
    }

    fn push(&mut self, place: *const u8, digit: u8) {
        if self.count == 0 {
            if digit == 0 {
                return;
            }
            self.first = place;
        }
        if self.count < LEADING {
            self.leading = self.leading.wrapping_mul(10).wrapping_add(u64::from(digit));
        }
        self.count += 1;
    }

    /// Whether the leading digits are the value, whatever the format.
    fn is_integer(&self) -> bool {
        self.count == 0 || self.exponent == 0 && self.count <= LEADING
    }

    /// The value, where digits and power of ten are doubles and one operation combines them.
    ///
    /// That 15 digits are a double is known without a look at them: no branch for a solver to think about.
    pub(super) fn exact_double(&self) -> Option<f64> {
        if self.is_integer() {
            return Some(self.leading as f64);
        }
        if self.count > 15 || self.exponent > 22 || self.exponent < -22 {
            return None;
        }
        let digits = self.leading as f64;
        let mut power = 1.0;
        let mut i = self.exponent.wrapping_abs();
        while i > 0 {
            power *= 10.0;
            i -= 1;
        }
        Some(if self.exponent < 0 { digits / power } else { digits * power })
    }

    /// As [`Decimal::exact_double`], for single precision.
    pub(super) fn exact_single(&self) -> Option<f32> {
        if self.is_integer() {
            return Some(self.leading as f32);
        }
        if self.count > 7 || self.exponent > 10 || self.exponent < -10 {
            return None;
        }
        let digits = self.leading as f32;
        let mut power = 1.0;
        let mut i = self.exponent.wrapping_abs();
        while i > 0 {
            power *= 10.0;
            i -= 1;
        }
        Some(if self.exponent < 0 { digits / power } else { digits * power })
    }

    /// The value, whatever it takes; it is not zero.
    pub(super) unsafe fn round(&self, format: &Format) -> Rounded {
        // The value is at least 10^(magnitude - 1) and less than 10^magnitude.
        let magnitude = self.count + self.exponent;
        if magnitude > 310 {
            return Rounded::overflow(format);
        }
        if magnitude < -326 {
            return Rounded::UNDERFLOW;
        }
        self.scale().round(format)
    }

    /// The value as `numerator / denominator * 2^exponent`, divided to 64 bits.
    unsafe fn scale(&self) -> Scaled {
        let mut numerator = Big::ZERO;
        let mut denominator = Big::ZERO;
        denominator.multiply_add(1, 1);
        let exponent = self.read_digits(&mut numerator);
        // 10^e is 5^e * 2^e, and the second factor only moves the point.
        if exponent < 0 {
            denominator.multiply_by_power_of_five(-exponent);
        } else {
            numerator.multiply_by_power_of_five(exponent);
        }
        let (significand, shift, sticky) = numerator.divide(&mut denominator);
        Scaled { significand, exponent: shift + exponent, sticky }
    }

    /// Reads the decisive digits; returns the power of ten of the last one.
    unsafe fn read_digits(&self, number: &mut Big) -> i64 {
        let mut place = self.first;
        let mut i = 0;
        while i < self.count {
            let byte = *place;
            place = place.add(1);
            if byte == b'.' {
                continue;
            }
            if i < DECISIVE {
                number.multiply_add(10, u32::from(byte - b'0'));
            } else if byte != b'0' {
                // Digits so far behind only say that the value is a little greater.
                number.multiply_add(10, 1);
                return self.exponent + self.count - DECISIVE - 1;
            }
            i += 1;
        }
        self.exponent + if self.count > DECISIVE { self.count - DECISIVE } else { 0 }
    }
}
