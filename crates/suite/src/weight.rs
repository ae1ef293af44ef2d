//! The weight of a case: how much there is to read, and how odd it looks.
//!
//! Weights only compare cases that show the same. Zero is lighter than one digit, a digit lighter than three, a
//! printable character lighter than another; every element and every object costs something.

use testwright_base::case::{Case, Statement, Value};

/// The weight of a case.
#[must_use]
pub fn weight(case: &Case) -> u64 {
    case.statements.iter().map(of_statement).sum()
}

fn of_statement(statement: &Statement) -> u64 {
    match statement {
        Statement::Object { values, .. } => 4 + list(values),
        Statement::Set { value, .. } => 8 + of_value(value),
        Statement::Call { arguments, .. } => 4 + list(arguments),
    }
}

fn list(values: &[Value]) -> u64 {
    values.iter().map(|value| 2 + of_value(value)).sum()
}

fn of_value(value: &Value) -> u64 {
    match value {
        Value::Int(value) => of_int(*value),
        Value::Single(bits) => {
            of_float(f64::from(f32::from_bits(*bits)), &format!("{:?}", f32::from_bits(*bits)))
        }
        Value::Double(bits) => of_float(f64::from_bits(*bits), &format!("{:?}", f64::from_bits(*bits))),
        Value::Null | Value::Stub => 1,
        Value::Pointer { offset, .. } => 2 + of_int(i128::from(*offset)),
        Value::Address(_) => 40,
        Value::Array(values) | Value::Record(values) => 1 + list(values),
        Value::Member(_, value) => 2 + of_value(value),
        Value::Bytes(bytes) => 10 + bytes.iter().map(|byte| u64::from(*byte != 0)).sum::<u64>(),
    }
}

fn of_int(value: i128) -> u64 {
    let magnitude = value.unsigned_abs();
    let sign = u64::from(value < 0);
    let is_limit = |bits: u32| {
        let top = 1u128 << (bits - 1);
        magnitude == top || magnitude == top - 1 || magnitude == 2 * top - 1
    };
    let printable = u8::try_from(value).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b' ');
    sign + match magnitude {
        0 => 0,
        1..=9 => 1,
        _ if printable => 2,
        10..=99 => 3,
        _ if [16, 32, 64].into_iter().any(is_limit) => 6,
        _ => {
            let digits = magnitude.to_string();
            let significant = digits.trim_end_matches('0').len() as u64;
            digits.len() as u64 + 2 * significant
        }
    }
}

fn of_float(value: f64, shortest: &str) -> u64 {
    let sign = u64::from(value.is_sign_negative());
    if !value.is_finite() {
        return 6 + sign;
    }
    if value == 0.0 {
        return 2 * sign;
    }
    let digits = shortest.trim_end_matches(".0").bytes().filter(u8::is_ascii_digit).count() as u64;
    sign + 2 * digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::ids::{FunctionId, TypeId};

    fn call(arguments: Vec<Value>) -> u64 {
        weight(&Case { statements: vec![Statement::Call { function: FunctionId(0), arguments }] })
    }

    #[test]
    fn what_people_would_pick_is_lighter() {
        let ints = [0, 7, 42, 500, i128::from(i32::MAX), -2_147_483_641];
        let weights = ints.map(|value| call(vec![Value::Int(value)]));
        assert!(weights.is_sorted_by(|lighter, heavier| lighter < heavier), "{weights:?}");
        let floats = [0.0, 1.0, 1.5, f64::INFINITY, 0.1 + 0.2];
        let weights = floats.map(|value: f64| call(vec![Value::Double(value.to_bits())]));
        assert!(weights.is_sorted_by(|lighter, heavier| lighter < heavier), "{weights:?}");
    }

    #[test]
    fn letters_are_lighter_than_other_characters_and_short_buffers_than_long_ones() {
        assert!(call(vec![Value::Int(97)]) < call(vec![Value::Int(-56)]));
        let buffer = |count: usize| {
            let values = vec![Value::Int(0); count];
            weight(&Case { statements: vec![Statement::Object { element: TypeId(0), values }] })
        };
        assert!(buffer(1) < buffer(2));
    }
}
