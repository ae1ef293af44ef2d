//! Numbers as C and JSON write them, read exactly.

/// An integer of any size that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Integer {
    negative: bool,
    /// None if it is 2^128 or more.
    magnitude: Option<u128>,
}

impl Integer {
    /// Reads `5`, `-5`, `0x1f`, `017`, `0b11`, `'a'`, `INT_MAX`.
    pub(super) fn read(text: &str) -> Option<Integer> {
        if let Some((_, value)) = LIMITS.iter().find(|(name, _)| *name == text) {
            return Some(Integer { negative: *value < 0, magnitude: Some(value.unsigned_abs()) });
        }
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            return character(inner).map(|value| Integer { negative: false, magnitude: Some(value) });
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let lower = digits.to_ascii_lowercase();
        let (radix, digits) = match lower.as_bytes() {
            [b'0', b'x', ..] => (16, &lower[2..]),
            [b'0', b'b', ..] => (2, &lower[2..]),
            [b'0', _, ..] => (8, &lower[1..]),
            _ => (10, lower.as_str()),
        };
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            return None;
        }
        Some(Integer { negative, magnitude: u128::from_str_radix(digits, radix).ok() })
    }

    /// The integer as a value of `bits` bits, if it fits. Unsigned values of 128 bits wrap, as values do everywhere.
    pub(super) fn fit(self, bits: u32, signed: bool) -> Option<i128> {
        let magnitude = self.magnitude?;
        let largest = u128::MAX >> (128 - bits);
        let (most, least) = if signed { (largest >> 1, (largest >> 1) + 1) } else { (largest, 0) };
        if magnitude == 0 {
            Some(0)
        } else if self.negative {
            (magnitude <= least).then(|| (magnitude as i128).wrapping_neg())
        } else {
            (magnitude <= most).then_some(magnitude as i128)
        }
    }
}

/// `0 .. 255` and the like.
pub(super) fn range(bits: u32, signed: bool) -> String {
    let largest = u128::MAX >> (128 - bits);
    if signed { format!("-{} .. {}", (largest >> 1) + 1, largest >> 1) } else { format!("0 .. {largest}") }
}

/// The value between the quotes of a character constant; one byte only.
fn character(inner: &str) -> Option<u128> {
    let value = match inner.strip_prefix('\\') {
        None => {
            let mut chars = inner.chars();
            let only = chars.next().filter(|_| chars.next().is_none())?;
            only.is_ascii().then_some(u128::from(u32::from(only)))?
        }
        Some("n") => 10,
        Some("t") => 9,
        Some("r") => 13,
        Some("a") => 7,
        Some("b") => 8,
        Some("v") => 11,
        Some("f") => 12,
        Some(quoted @ ("'" | "\"" | "\\" | "?")) => u128::from(quoted.as_bytes()[0]),
        Some(code) => match code.strip_prefix('x') {
            Some(digits) => u128::from_str_radix(digits, 16).ok()?,
            None => u128::from_str_radix(code, 8).ok()?,
        },
    };
    (value <= 255).then_some(value)
}

/// The limits of `limits.h` and `stdint.h` on x86-64 Linux.
const LIMITS: &[(&str, i128)] = &[
    ("SCHAR_MIN", i8::MIN as i128),
    ("SCHAR_MAX", i8::MAX as i128),
    ("UCHAR_MAX", u8::MAX as i128),
    ("CHAR_MIN", i8::MIN as i128),
    ("CHAR_MAX", i8::MAX as i128),
    ("SHRT_MIN", i16::MIN as i128),
    ("SHRT_MAX", i16::MAX as i128),
    ("USHRT_MAX", u16::MAX as i128),
    ("INT_MIN", i32::MIN as i128),
    ("INT_MAX", i32::MAX as i128),
    ("UINT_MAX", u32::MAX as i128),
    ("LONG_MIN", i64::MIN as i128),
    ("LONG_MAX", i64::MAX as i128),
    ("ULONG_MAX", u64::MAX as i128),
    ("LLONG_MIN", i64::MIN as i128),
    ("LLONG_MAX", i64::MAX as i128),
    ("ULLONG_MAX", u64::MAX as i128),
    ("INT8_MIN", i8::MIN as i128),
    ("INT8_MAX", i8::MAX as i128),
    ("UINT8_MAX", u8::MAX as i128),
    ("INT16_MIN", i16::MIN as i128),
    ("INT16_MAX", i16::MAX as i128),
    ("UINT16_MAX", u16::MAX as i128),
    ("INT32_MIN", i32::MIN as i128),
    ("INT32_MAX", i32::MAX as i128),
    ("UINT32_MAX", u32::MAX as i128),
    ("INT64_MIN", i64::MIN as i128),
    ("INT64_MAX", i64::MAX as i128),
    ("UINT64_MAX", u64::MAX as i128),
    ("INTMAX_MIN", i64::MIN as i128),
    ("INTMAX_MAX", i64::MAX as i128),
    ("UINTMAX_MAX", u64::MAX as i128),
    ("SSIZE_MAX", i64::MAX as i128),
    ("SIZE_MAX", u64::MAX as i128),
    ("PTRDIFF_MIN", i64::MIN as i128),
    ("PTRDIFF_MAX", i64::MAX as i128),
];

/// The limits of `float.h`.
const FLOAT_LIMITS: &[(&str, f64)] = &[
    ("FLT_MAX", f32::MAX as f64),
    ("FLT_MIN", f32::MIN_POSITIVE as f64),
    ("FLT_EPSILON", f32::EPSILON as f64),
    ("DBL_MAX", f64::MAX),
    ("DBL_MIN", f64::MIN_POSITIVE),
    ("DBL_EPSILON", f64::EPSILON),
];

/// A binary floating-point format: `float` or `double`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// Total width.
    bits: u32,
    /// Bits of the fraction that are stored.
    fraction: u32,
}

impl Format {
    pub(super) const SINGLE: Format = Format { bits: 32, fraction: 23 };
    pub(super) const DOUBLE: Format = Format { bits: 64, fraction: 52 };

    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    fn fraction_mask(self) -> u64 {
        (1 << self.fraction) - 1
    }

    fn infinity(self) -> u64 {
        (self.sign() - 1) & !self.fraction_mask()
    }

    /// Reads a number of this format; the error says what is wrong with it.
    pub(super) fn read(self, text: &str) -> Result<u64, &'static str> {
        let (sign, number) = match text.strip_prefix('-') {
            Some(number) => (self.sign(), number),
            None => (0, text),
        };
        Ok(sign | self.read_magnitude(number)?)
    }

    fn read_magnitude(self, text: &str) -> Result<u64, &'static str> {
        if let Some((_, value)) = FLOAT_LIMITS.iter().find(|(name, _)| *name == text) {
            return self.finite(&format!("{value:e}"));
        }
        let lower = text.to_ascii_lowercase();
        match lower.as_str() {
            "inf" | "infinity" => return Ok(self.infinity()),
            "nan" => return Ok(self.infinity() | 1 << (self.fraction - 1)),
            _ => {}
        }
        if let Some(fraction) = lower.strip_prefix("nan(0x").and_then(|rest| rest.strip_suffix(')')) {
            let fraction = u64::from_str_radix(fraction, 16).unwrap_or(0);
            let fits = fraction != 0 && fraction <= self.fraction_mask();
            return if fits { Ok(self.infinity() | fraction) } else { Err("has no such fraction bits") };
        }
        match lower.strip_prefix("0x") {
            Some(digits) => self.hexadecimal(digits),
            None => self.finite(&lower),
        }
    }

    /// A decimal number, rounded to nearest.
    fn finite(self, text: &str) -> Result<u64, &'static str> {
        if !text.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return Err("is not a number");
        }
        let bits = if self == Format::SINGLE {
            text.parse::<f32>().map(|value| u64::from(value.to_bits()))
        } else {
            text.parse::<f64>().map(f64::to_bits)
        };
        let bits = bits.map_err(|_| "is not a number")?;
        if bits == self.infinity() { Err("is too large") } else { Ok(bits) }
    }

    /// `1.8p3` after `0x`. Such a number is written to be exact, so one that has to be rounded is refused.
    fn hexadecimal(self, text: &str) -> Result<u64, &'static str> {
        const WRONG: &str = "is not a number";
        let (mantissa, exponent) = text.split_once('p').unwrap_or((text, "0"));
        let mut exponent: i64 = exponent.parse::<i32>().map_err(|_| WRONG)?.into();
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{part}");
        let digits = digits.trim_start_matches('0');
        if whole.len() + part.len() == 0 || !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(WRONG);
        }
        if digits.is_empty() {
            return Ok(0);
        }
        exponent -= 4 * i64::try_from(part.len()).map_err(|_| WRONG)?;
        let mantissa = u128::from_str_radix(digits, 16).map_err(|_| "has too many digits")?;
        let zeros = mantissa.trailing_zeros();
        self.exact(mantissa >> zeros, exponent + i64::from(zeros))
    }

    /// `mantissa * 2^exponent`, the mantissa being odd.
    fn exact(self, mantissa: u128, exponent: i64) -> Result<u64, &'static str> {
        let length = i64::from(128 - mantissa.leading_zeros());
        let fraction = i64::from(self.fraction);
        let bias = (1i64 << (self.bits - self.fraction - 2)) - 1;
        let top = exponent + length - 1;
        let lowest = 1 - bias - fraction;
        if top > bias {
            return Err("is too large");
        }
        if length > fraction + 1 || exponent < lowest {
            return Err("has more digits than fit");
        }
        let normal = top > -bias;
        let shift = if normal { fraction + 1 - length } else { exponent - lowest };
        let shifted = (mantissa << shift) as u64;
        let biased = if normal { (top + bias) as u64 } else { 0 };
        Ok(biased << self.fraction | shifted & self.fraction_mask())
    }

    /// What is not finite, as JSON cases write it.
    pub(super) fn special(self, bits: u64) -> Option<String> {
        let sign = if bits & self.sign() == 0 { "" } else { "-" };
        let magnitude = bits & !self.sign();
        if magnitude < self.infinity() {
            return None;
        }
        let fraction = magnitude & self.fraction_mask();
        Some(if fraction == 0 {
            format!("{sign}inf")
        } else if fraction == 1 << (self.fraction - 1) {
            format!("{sign}nan")
        } else {
            format!("{sign}nan({fraction:#x})")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str, bits: u32, signed: bool) -> Option<i128> {
        Integer::read(text).and_then(|integer| integer.fit(bits, signed))
    }

    #[test]
    fn integers_are_read_as_c_writes_them() {
        let cases =
            [("5", 5), ("-5", -5), ("0x1F", 31), ("-0x80", -128), ("017", 15), ("0b101", 5), ("0", 0)];
        for (text, value) in cases {
            assert_eq!(fit(text, 32, true), Some(value), "{text}");
        }
        for (text, value) in
            [("'a'", 97), ("'\\n'", 10), ("'\\''", 39), ("'\\x41'", 65), ("'\\0'", 0), ("'''", 39)]
        {
            assert_eq!(fit(text, 32, true), Some(value), "{text}");
        }
        assert_eq!(fit("INT_MIN", 32, true), Some(i128::from(i32::MIN)));
        assert_eq!(fit("ULONG_MAX", 64, false), Some(i128::from(u64::MAX)));
        for text in ["", "-", "0x", "1e3", "1.0", "x", "'ab'", "''", "'\\q'", "09", "--1", "'\\x100'"] {
            assert_eq!(Integer::read(text), None, "{text}");
        }
    }

    #[test]
    fn integers_fit_exactly_the_range_of_their_type() {
        assert_eq!(fit("255", 8, false), Some(255));
        assert_eq!(fit("256", 8, false), None);
        assert_eq!(fit("-1", 8, false), None);
        assert_eq!(fit("-128", 8, true), Some(-128));
        assert_eq!(fit("-129", 8, true), None);
        assert_eq!(fit("128", 8, true), None);
        assert_eq!(fit("1", 1, true), None);
        assert_eq!(fit("-1", 1, true), Some(-1));
        assert_eq!(fit(&u128::MAX.to_string(), 128, false), Some(-1));
        assert_eq!(fit(&i128::MIN.to_string(), 128, true), Some(i128::MIN));
        assert_eq!(fit(&i128::MIN.unsigned_abs().to_string(), 128, true), None);
        assert_eq!(fit(&format!("{}0", u128::MAX), 128, false), None);
        assert_eq!((range(8, false), range(8, true)), ("0 .. 255".to_owned(), "-128 .. 127".to_owned()));
    }

    #[test]
    fn floats_are_read_exactly() {
        let double = |text: &str| Format::DOUBLE.read(text).map(f64::from_bits);
        assert_eq!(double("0x1.8p3"), Ok(12.0));
        assert_eq!(double("-0x10"), Ok(-16.0));
        assert_eq!(double("0x1p-1074"), Ok(5e-324));
        assert_eq!(double("0x0.8p-1021"), Ok(f64::MIN_POSITIVE));
        assert_eq!(double("0x1.fffffffffffffp1023"), Ok(f64::MAX));
        assert_eq!(double("DBL_MAX"), Ok(f64::MAX));
        assert_eq!(double("-0.0").map(f64::to_bits), Ok(1 << 63));
        assert_eq!(double("-inf"), Ok(f64::NEG_INFINITY));
        assert_eq!(Format::DOUBLE.read("-nan(0x1)"), Ok(0xfff0_0000_0000_0001));
        assert_eq!(Format::SINGLE.read("nan"), Ok(0x7fc0_0000));
        assert_eq!(Format::SINGLE.read("0.1"), Ok(u64::from(0.1f32.to_bits())));
        for text in [
            "1e999",
            "0x1p1024",
            "0x1p-1075",
            "0x1.00000000000001p0",
            "nan(0x0)",
            "",
            "x",
            "0x",
            "1.5.2",
            "0xp3",
        ] {
            assert!(Format::DOUBLE.read(text).is_err(), "{text}");
        }
        assert_eq!(Format::SINGLE.read("DBL_MAX"), Err("is too large"));
    }

    mod random {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn every_single_survives_hexadecimal(bits in any::<u32>()) {
                let value = f32::from_bits(bits & 0x7fff_ffff);
                prop_assume!(value.is_finite());
                // The mantissa as an integer and its exponent, from the fields of the format.
                let (exponent, fraction) = (value.to_bits() >> 23, value.to_bits() & 0x7f_ffff);
                let (mantissa, exponent) = match exponent {
                    0 => (fraction, -149),
                    _ => (fraction | 1 << 23, exponent as i32 - 150),
                };
                prop_assert_eq!(Format::SINGLE.read(&format!("0x{mantissa:x}p{exponent}")), Ok(u64::from(value.to_bits())));
            }
        }
    }
}
