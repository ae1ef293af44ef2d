//! The weight of a case: how much there is to read, and how odd it looks.
//!
//! Weights only compare cases that show the same. Zero is lighter than one digit, a digit lighter than three, a letter
//! lighter than another character, a declared constant lighter than another number; every element and every object costs
//! something. Text that ends with a NUL can be written as a string, so it is lighter than text that does not.

use crate::emit::c::literal::is_text;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::stream;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

/// What text costs that cannot be written as a string.
const NO_STRING: u64 = 8;

/// The weight of a case.
#[must_use]
pub fn weight(subject: &Subject, case: &Case) -> u64 {
    case.statements.iter().map(|statement| of_statement(subject, statement)).sum()
}

/// The weight of one statement: those of a case add up.
pub(crate) fn of_statement(subject: &Subject, statement: &Statement) -> u64 {
    let types = &subject.types;
    match statement {
        Statement::Object { element, values } if types.is_stream(*element) => {
            4 + values.iter().map(of_stream).sum::<u64>()
        }
        Statement::Object { element, values } => {
            let ends = !is_text(types, *element) || values.last() == Some(&Value::Int(0));
            4 + elements(types, *element, values) + if ends { 0 } else { NO_STRING }
        }
        Statement::Set { global, value } => {
            8 + subject.globals[global.index()].ty.map_or(0, |ty| of_value(types, ty, value))
        }
        Statement::Call { function, arguments } => {
            let signature = subject.function(*function).signature.as_ref();
            let params = signature.map(|signature| signature.params.as_slice()).unwrap_or_default();
            4 + params
                .iter()
                .zip(arguments)
                .map(|(param, value)| 2 + of_value(types, param.ty, value))
                .sum::<u64>()
        }
    }
}

/// The weight of a stream: that of its text, and more for what is left of a longer one behind it.
fn of_stream(value: &Value) -> u64 {
    let text = stream::text(value).unwrap_or_default();
    let rest = u64::from(stream::of_text(&text).as_ref() != Some(value));
    text.iter().map(|byte| 2 + of_character(i128::from(*byte))).sum::<u64>() + rest
}

fn elements(types: &Types, element: TypeId, values: &[Value]) -> u64 {
    let used = values.iter().rposition(|value| *value != Value::Int(0)).map_or(0, |last| last + 1);
    let is_text = is_text(types, element);
    let of_element = |(index, value): (usize, &Value)| match value {
        // What ends a text is no character of it.
        Value::Int(0) if is_text && index >= used => 2,
        _ => 2 + of_value(types, element, value),
    };
    values.iter().enumerate().map(of_element).sum()
}

/// The weight of a value of this type. Those of the parts of a struct add up, those of the characters of a text do not.
pub(crate) fn of_value(types: &Types, ty: TypeId, value: &Value) -> u64 {
    match (value, &types.get(ty).shape) {
        (Value::Int(value), _) if is_text(types, ty) => of_character(*value),
        (Value::Int(value), Shape::Enum { constants, .. }) => {
            if constants.iter().any(|(_, constant)| constant == value) { 1 } else { 6 + of_int(*value) }
        }
        (Value::Int(value), _) => of_int(*value),
        (Value::Single(bits), _) => {
            of_float(f64::from(f32::from_bits(*bits)), &format!("{:e}", f32::from_bits(*bits)))
        }
        (Value::Double(bits), _) => of_float(f64::from_bits(*bits), &format!("{:e}", f64::from_bits(*bits))),
        (Value::Null | Value::Stub(_), _) => 1,
        (Value::Returned { .. }, _) => 2,
        (Value::Pointer { offset, .. }, _) => 2 + of_int(i128::from(*offset)),
        (Value::Address(_), _) => 40,
        (Value::Array(values), Shape::Array { element, .. }) => 1 + elements(types, *element, values),
        (Value::Record(values), Shape::Record { fields, .. }) => {
            1 + fields
                .iter()
                .zip(values)
                .map(|(field, value)| 2 + of_value(types, field.ty, value))
                .sum::<u64>()
        }
        (Value::Member(member, value), Shape::Record { fields, .. }) => {
            2 + fields.get(*member).map_or(0, |field| of_value(types, field.ty, value))
        }
        (Value::Bytes(bytes), _) => 10 + bytes.iter().map(|byte| u64::from(*byte != 0)).sum::<u64>(),
        (Value::Array(_) | Value::Record(_) | Value::Member(..), _) => 1,
    }
}

fn of_character(value: i128) -> u64 {
    match u8::try_from(value) {
        Ok(byte) if byte.is_ascii_alphanumeric() => 1,
        Ok(byte) if byte == b' ' || byte.is_ascii_graphic() => 2,
        Ok(0) => 3,
        _ => 6,
    }
}

fn of_int(value: i128) -> u64 {
    let magnitude = value.unsigned_abs();
    let sign = u64::from(value < 0);
    let is_limit = |bits: u32| {
        let top = 1u128 << (bits - 1);
        magnitude == top || magnitude == top - 1 || magnitude == 2 * top - 1
    };
    sign + match magnitude {
        0 => 0,
        1..=9 => 1,
        10..=99 if magnitude.is_multiple_of(10) => 2,
        10..=99 => 3,
        _ if [16, 32, 64].into_iter().any(is_limit) => 6,
        _ => {
            let digits = magnitude.to_string();
            let significant = digits.trim_end_matches('0').len() as u64;
            digits.len() as u64 + 2 * significant
        }
    }
}

/// The weight of a number that is `shortest` in scientific notation.
fn of_float(value: f64, shortest: &str) -> u64 {
    let sign = u64::from(value.is_sign_negative());
    if !value.is_finite() {
        return 6 + sign;
    }
    if value == 0.0 {
        return 2 * sign;
    }
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count() as u64;
    let exponent = exponent.parse::<i64>().unwrap_or(0).unsigned_abs();
    sign + 2 * digits + exponent.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::ids::FunctionId;
    use testwright_base::sample;

    /// `f(int number, double ratio, char letter)`
    fn subject() -> (Subject, TypeId) {
        let mut subject = sample::empty_subject();
        let types = &mut subject.types;
        let (int, char) = (sample::int(types, "int", 32, true), sample::int(types, "char", 8, true));
        let double = sample::float(types, 64);
        subject.functions =
            vec![sample::taking("f", &[("number", int), ("ratio", double), ("letter", char)], int)];
        (subject, char)
    }

    fn call(number: i128, ratio: f64, letter: i128) -> u64 {
        let arguments = vec![Value::Int(number), Value::Double(ratio.to_bits()), Value::Int(letter)];
        let case = Case { statements: vec![Statement::Call { function: FunctionId(0), arguments }] };
        weight(&subject().0, &case)
    }

    fn text(bytes: &[u8]) -> u64 {
        let (subject, element) = subject();
        let values = bytes.iter().map(|byte| Value::Int(i128::from(*byte))).collect();
        weight(&subject, &Case { statements: vec![Statement::Object { element, values }] })
    }

    #[test]
    fn what_people_would_pick_is_lighter() {
        let ints = [0, 7, 40, 42, 500, i128::from(i32::MAX), -2_147_483_641];
        let weights = ints.map(|value| call(value, 0.0, 0));
        assert!(weights.is_sorted_by(|lighter, heavier| lighter < heavier), "{weights:?}");
        let weights = [0.0, 1.0, 1.5, f64::INFINITY, 0.1 + 0.2].map(|value| call(0, value, 0));
        assert!(weights.is_sorted_by(|lighter, heavier| lighter < heavier), "{weights:?}");
        let weights = [97, 61, 0, -56].map(|letter| call(0, 0.0, letter));
        assert!(weights.is_sorted_by(|lighter, heavier| lighter < heavier), "{weights:?}");
    }

    #[test]
    fn text_is_lighter_with_its_end_and_without_odd_characters() {
        let weights = [&b"\0"[..], b"a\0", b"a", b"\x01\x01\0", b"a\0b"].map(text);
        assert!(weights.is_sorted_by(|lighter, heavier| lighter < heavier), "{weights:?}");
        assert!(text(b"a\0") < text(b"aa\0"), "short text is lighter than long text");
    }
}
