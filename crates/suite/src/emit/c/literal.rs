//! Literals as a person would write them, each exactly the value it stands for.
//!
//! | value | written |
//! |---|---|
//! | integers | decimal; `INT_MAX`, `SIZE_MAX`, `INT_MIN + 3` at the ends of the range; `5000000000L`, `3000000000u` where `int` is too small |
//! | enumerations | their constants; `READ \| WRITE` where these are flags; others as numbers with a cast |
//! | characters | `'a'`, `'\n'`, `'\0'`; others as numbers |
//! | floats | the shortest decimal; hexadecimal when that has more than 12 digits; `DBL_MAX`, `NAN`, `-INFINITY` |
//! | strings | `"text"`, escapes in octal, which a digit cannot lengthen |

use std::collections::BTreeSet;
use testwright_base::ids::TypeId;
use testwright_base::layout::{integer, is_character};
use testwright_base::limits::{Limits, limits};
use testwright_base::types::{Shape, Types};

/// The headers that literals need.
pub type Headers = BTreeSet<&'static str>;

/// An integer, character, boolean or enumeration.
#[must_use]
pub fn int(types: &Types, ty: TypeId, value: i128, headers: &mut Headers) -> String {
    let definition = types.get(ty);
    match &definition.shape {
        Shape::Bool => {
            headers.insert("stdbool.h");
            (if value == 0 { "false" } else { "true" }).to_owned()
        }
        Shape::Enum { constants, bits, signed } => {
            let constant = constants.iter().find(|(_, constant)| *constant == value);
            if let Some((name, _)) = constant {
                return name.clone();
            }
            if let Some(names) = flags(constants, value) {
                return names;
            }
            let number = number(value, (*bits, *signed), limits(types, ty), headers);
            let is_plain = number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let spelt = types.spell(ty);
            if is_plain { format!("({spelt}){number}") } else { format!("({spelt})({number})") }
        }
        _ => {
            let (bits, signed) = integer(types, ty).unwrap_or((64, true));
            match u8::try_from(value) {
                Ok(byte) if is_text(types, ty) && has_character(byte) => character(byte),
                _ => number(value, (bits, signed), limits(types, ty), headers),
            }
        }
    }
}

/// Whether values of the type are characters to people: `char`, but not the types that are used for small numbers.
#[must_use]
pub fn is_text(types: &Types, ty: TypeId) -> bool {
    let name = types.get(ty).name.as_deref().unwrap_or("char");
    is_character(types, ty) && !matches!(name, "int8_t" | "uint8_t" | "unsigned char" | "signed char")
}

/// Whether the byte has a character constant that people recognise.
#[must_use]
pub fn has_character(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r' | 0)
}

/// A character constant.
#[must_use]
pub fn character(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        0 => "'\\0'".to_owned(),
        _ => format!("'{}'", escaped(byte)),
    }
}

/// A string literal of these bytes; the NUL that C adds is not among them.
#[must_use]
pub fn string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    let mut before = 0;
    for byte in bytes {
        // Two question marks may begin a trigraph.
        if *byte == b'?' && before == b'?' {
            text.push_str("\\?");
        } else {
            text.push_str(&escaped(*byte));
        }
        before = *byte;
    }
    text + "\""
}

fn escaped(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b'"' => "\\\"".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// `READ | WRITE`, if the constants are flags. Those of a plain list are consecutive.
fn flags(constants: &[(String, i128)], value: i128) -> Option<String> {
    let mut values: Vec<i128> = constants.iter().map(|(_, constant)| *constant).collect();
    values.sort_unstable();
    values.dedup();
    let is_list = values.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let is_flag = |constant: i128| constant > 0 && constant.count_ones() == 1;
    let all: i128 = values.iter().filter(|constant| is_flag(**constant)).sum();
    if is_list || value <= 0 || value & !all != 0 || values.iter().any(|constant| constant & !all != 0) {
        return None;
    }
    let mut rest = value;
    let mut names = Vec::new();
    for (name, constant) in constants.iter().filter(|(_, constant)| is_flag(*constant)) {
        if rest & constant != 0 {
            names.push(name.as_str());
            rest &= !constant;
        }
    }
    Some(names.join(" | "))
}

/// A number of a type with this width.
fn number(value: i128, (bits, signed): (u32, bool), limits: Option<Limits>, headers: &mut Headers) -> String {
    if bits == 128 {
        return wide(value, signed);
    }
    if let Some((limits, text)) = limits.and_then(|limits| Some((limits, near_limit(value, limits)?))) {
        headers.extend(limits.header);
        return text;
    }
    if value > i128::from(i64::MAX) || !signed && value > i128::from(i32::MAX) {
        format!("{value}u")
    } else if i32::try_from(value).is_err() {
        format!("{value}L")
    } else {
        value.to_string()
    }
}

/// `INT_MAX`, `LONG_MIN + 1`: values at most 9 from an end of the range.
fn near_limit(value: i128, limits: Limits) -> Option<String> {
    let stem = limits.stem;
    match (limits.most - value, value - limits.least) {
        (below @ 1..=9, _) => Some(format!("{stem}_MAX - {below}")),
        (_, above @ 1..=9) if limits.least < 0 => Some(format!("{stem}_MIN + {above}")),
        _ => limits.name(value),
    }
}

/// C has no literals of 128 bits, so these are put together.
fn wide(value: i128, signed: bool) -> String {
    if let Ok(small) = i32::try_from(value) {
        return if small < 0 && !signed { format!("(unsigned __int128){small}") } else { small.to_string() };
    }
    let (high, low) = ((value >> 64) as u64, value as u64);
    let joined = format!("(unsigned __int128){high:#x}u << 64 | {low:#x}u");
    if signed { format!("(__int128)({joined})") } else { format!("({joined})") }
}

/// A `double`.
#[must_use]
pub fn double(bits: u64, headers: &mut Headers) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        return if bits == 0x7ff8 << 48 { "NAN".to_owned() } else { format!("DOUBLE_OF_BITS({bits:#x}u)") };
    }
    let names = [
        (f64::MAX.to_bits(), "DBL_MAX"),
        (f64::MIN_POSITIVE.to_bits(), "DBL_MIN"),
        (f64::EPSILON.to_bits(), "DBL_EPSILON"),
    ];
    let fraction = bits & ((1 << 52) - 1);
    let text = Finite {
        shortest: format!("{:?}", value.abs()),
        exponent: bits >> 52 & 0x7ff,
        fraction,
        bias: 1023,
        width: 52,
    };
    finite_or_infinite(
        value.is_sign_negative(),
        value.is_infinite(),
        bits & !(1 << 63),
        &names,
        &text,
        "",
        headers,
    )
}

/// A `float`.
#[must_use]
pub fn single(bits: u32, headers: &mut Headers) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        return if bits == 0x7fc0 << 16 { "NAN".to_owned() } else { format!("FLOAT_OF_BITS({bits:#x}u)") };
    }
    let names = [
        (u64::from(f32::MAX.to_bits()), "FLT_MAX"),
        (u64::from(f32::MIN_POSITIVE.to_bits()), "FLT_MIN"),
        (u64::from(f32::EPSILON.to_bits()), "FLT_EPSILON"),
    ];
    let fraction = u64::from(bits & 0x7f_ffff);
    let text = Finite {
        shortest: format!("{:?}", value.abs()),
        exponent: u64::from(bits >> 23 & 0xff),
        fraction,
        bias: 127,
        width: 23,
    };
    let magnitude = u64::from(bits & !(1 << 31));
    finite_or_infinite(value.is_sign_negative(), value.is_infinite(), magnitude, &names, &text, "f", headers)
}

fn finite_or_infinite(
    negative: bool,
    infinite: bool,
    magnitude: u64,
    names: &[(u64, &str)],
    finite: &Finite,
    suffix: &str,
    headers: &mut Headers,
) -> String {
    let sign = if negative { "-" } else { "" };
    if infinite {
        return format!("{sign}INFINITY");
    }
    if let Some((_, name)) = names.iter().find(|(bits, _)| *bits == magnitude) {
        headers.insert("float.h");
        return format!("{sign}{name}");
    }
    format!("{sign}{}{suffix}", finite.text())
}

/// A finite number without its sign.
struct Finite {
    /// The shortest decimal that reads as it.
    shortest: String,
    exponent: u64,
    fraction: u64,
    bias: i64,
    /// Bits of the fraction.
    width: u32,
}

impl Finite {
    fn text(&self) -> String {
        let (digits, _) = self.shortest.split_once('e').unwrap_or((&self.shortest, ""));
        let digits = digits.replace('.', "");
        let significant = digits.trim_matches('0').len();
        if significant <= 12 { self.shortest.clone() } else { self.hexadecimal() }
    }

    fn hexadecimal(&self) -> String {
        // Hexadecimal digits are of four bits, so the fraction is moved to fill the last one.
        let digits = self.width.div_ceil(4);
        let fraction = self.fraction << (digits * 4 - self.width);
        let text = format!("{fraction:0width$x}", width = digits as usize);
        let text = text.trim_end_matches('0');
        let point = if text.is_empty() { "" } else { "." };
        let (lead, exponent) =
            if self.exponent == 0 { (0, 1 - self.bias) } else { (1, self.exponent as i64 - self.bias) };
        format!("0x{lead}{point}{text}p{exponent}")
    }
}

/// A `long double` of x87 from its ten bytes; none for bits that no operation yields.
#[must_use]
pub fn extended(bytes: &[u8]) -> Option<String> {
    let low: [u8; 8] = bytes.get(..8)?.try_into().ok()?;
    let high: [u8; 2] = bytes.get(8..10)?.try_into().ok()?;
    let (mantissa, high) = (u64::from_le_bytes(low), u16::from_le_bytes(high));
    let (sign, exponent) = (if high >> 15 == 1 { "-" } else { "" }, high & 0x7fff);
    let explicit = mantissa >> 63 == 1;
    match (exponent, mantissa) {
        (0x7fff, m) if m == 1 << 63 => Some(format!("{sign}INFINITY")),
        (0x7fff, m) if m == 3 << 62 && sign.is_empty() => Some("NAN".to_owned()),
        (0x7fff, _) => None,
        (0, 0) => Some(format!("{sign}0.0L")),
        _ if explicit != (exponent > 0) => None,
        _ => {
            let zeros = mantissa.trailing_zeros();
            let power = i64::from(exponent.max(1)) - 16383 - 63 + i64::from(zeros);
            let odd = mantissa >> zeros;
            // A short number with a small exponent is the same as a double, and that has a decimal.
            if odd < 1 << 40 && (-20..=40).contains(&power) {
                return Some(format!("{sign}{:?}L", odd as f64 * (power as f64).exp2()));
            }
            Some(format!("{sign}{odd:#x}p{power}L"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::sample;

    fn check(ty: impl Fn(&mut Types) -> TypeId, values: &[(i128, &str)]) {
        let mut types = Types::default();
        let ty = ty(&mut types);
        for (value, text) in values {
            assert_eq!(int(&types, ty, *value, &mut Headers::new()), *text);
        }
    }

    #[test]
    fn integers_are_decimal_or_named() {
        let limits = [
            (0, "0"),
            (-7, "-7"),
            (2_147_483_647, "INT_MAX"),
            (2_147_483_645, "INT_MAX - 2"),
            (-2_147_483_648, "INT_MIN"),
            (-2_147_483_639, "INT_MIN + 9"),
            (-2_147_483_638, "-2147483638"),
        ];
        check(|types| sample::int(types, "int", 32, true), &limits);
        check(
            |types| sample::int(types, "unsigned int", 32, false),
            &[(3_000_000_000, "3000000000u"), (4_294_967_295, "UINT_MAX")],
        );
        check(
            |types| sample::int(types, "long", 64, true),
            &[(5_000_000_000, "5000000000L"), (i128::from(i64::MIN), "LONG_MIN")],
        );
        check(
            |types| sample::int(types, "size_t", 64, false),
            &[(i128::from(u64::MAX), "SIZE_MAX"), (1 << 63, "9223372036854775808u")],
        );
        check(|types| sample::int(types, "uint8_t", 8, false), &[(255, "255"), (97, "97")]);
    }

    #[test]
    fn characters_booleans_and_enumerations_have_their_names() {
        check(
            |types| sample::int(types, "char", 8, true),
            &[(97, "'a'"), (39, "'\\''"), (92, "'\\\\'"), (0, "'\\0'"), (-5, "-5"), (7, "7")],
        );
        check(sample::boolean, &[(0, "false"), (1, "true")]);
        check(
            |types| sample::enumeration(types, "enum colour", &[("RED", 0), ("BLUE", 7)]),
            &[(7, "BLUE"), (3, "(enum colour)3"), (-3, "(enum colour)(-3)")],
        );
        check(
            |types| {
                sample::enumeration(types, "enum mode", &[("READ", 1), ("WRITE", 2), ("RUN", 4), ("ALL", 7)])
            },
            &[(7, "ALL"), (3, "READ | WRITE"), (8, "(enum mode)8")],
        );
        check(
            |types| sample::enumeration(types, "enum step", &[("FIRST", 0), ("SECOND", 1), ("THIRD", 2)]),
            &[(3, "(enum step)3")],
        );
    }

    #[test]
    fn floats_are_short_and_exact() {
        let written = |value: f64| double(value.to_bits(), &mut Headers::new());
        let values = [1.5, -0.0, 0.1, 1e300, f64::MAX, -f64::INFINITY, f64::NAN, 1.0 / 3.0, 5e-324];
        assert_eq!(
            values.map(written),
            ["1.5", "-0.0", "0.1", "1e300", "DBL_MAX", "-INFINITY", "NAN", "0x1.5555555555555p-2", "5e-324"]
        );
        assert_eq!(
            double(1 << 63 | 0x7ff8 << 48, &mut Headers::new()),
            "DOUBLE_OF_BITS(0xfff8000000000000u)"
        );
        let written = |value: f32| single(value.to_bits(), &mut Headers::new());
        assert_eq!([0.1f32, -2.0, f32::EPSILON].map(written), ["0.1f", "-2.0f", "FLT_EPSILON"]);
        assert_eq!(extended(&[0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f]).as_deref(), Some("1.5L"));
        assert_eq!(
            extended(&[1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xbf]).as_deref(),
            Some("-0x8000000000000001p-63L")
        );
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(string(b"a\"b\\c\n\x011??="), "\"a\\\"b\\\\c\\n\\0011?\\?=\"");
    }
}
