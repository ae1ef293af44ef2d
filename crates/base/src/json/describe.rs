//! Values as a C programmer would write them.

use crate::case::{Case, Statement, Value};
use crate::creation::{Creation, creation};
use crate::ids::TypeId;
use crate::layout::{EXTENDED_BYTES, integer, is_character};
use crate::limits::limits;
use crate::stream;
use crate::subject::Subject;
use crate::types::{Shape, Types};

/// The value in C: `'a'`, `{.x = 1, .y = 2.5}`, `NULL`. A pointer into the case is `object 3` or `object 3 + 8`.
#[must_use]
pub fn describe(subject: &Subject, value: &Value, ty: TypeId) -> String {
    Writer { types: &subject.types, case: None, open: Vec::new(), brief: false }.value(value, ty)
}

/// As [`describe`], but a pointer into the case is what it points to: `"text"`, `(int [3]){1, 2, 3}`.
#[must_use]
pub fn describe_in(subject: &Subject, case: &Case, value: &Value, ty: TypeId) -> String {
    Writer { types: &subject.types, case: Some(case), open: Vec::new(), brief: false }.value(value, ty)
}

/// As [`describe_in`], without what is zero, and with the names of the least and greatest numbers: what a reader wants to know first.
#[must_use]
pub fn describe_briefly(subject: &Subject, case: &Case, value: &Value, ty: TypeId) -> String {
    Writer { types: &subject.types, case: Some(case), open: Vec::new(), brief: true }.value(value, ty)
}

/// Of a struct with more fields than this those that are zero are left out, as C lets them be.
const MANY: usize = 8;

/// What texts call the result of the call of this number: `r0`.
#[must_use]
pub fn returned_name(call: usize) -> String {
    format!("r{call}")
}

struct Writer<'a> {
    types: &'a Types,
    case: Option<&'a Case>,
    /// The objects being written, because they may point to each other.
    open: Vec<usize>,
    /// Whether zeros are left out and extremes named.
    brief: bool,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, ty: TypeId) -> String {
        let shape = &self.types.get(ty).shape;
        match (value, shape) {
            (Value::Int(value), _) => self.int(*value, ty),
            (Value::Single(bits), _) => {
                let text = float(f64::from(f32::from_bits(*bits)), &format!("{:?}", f32::from_bits(*bits)));
                if f32::from_bits(*bits).is_finite() { text + "f" } else { text }
            }
            (Value::Double(bits), _) => float(f64::from_bits(*bits), &format!("{:?}", f64::from_bits(*bits))),
            (Value::Null, _) => "NULL".to_owned(),
            (Value::Pointer { object, offset }, _) => self.pointer(*object, *offset),
            (Value::Returned { call }, _) => {
                returned_name(self.case.map_or(*call, |case| case.number_of_call(*call)))
            }
            (Value::Stub(_), _) => "stub".to_owned(),
            (Value::Address(address), _) => format!("(void *){address:#x}"),
            (Value::Array(values), Shape::Array { element, .. }) => {
                let (types, element) = (self.types, *element);
                text(types, element, values).unwrap_or_else(|| self.list(element, values))
            }
            (Value::Record(_), Shape::Record { .. }) if self.types.declared_as(ty).is_some() => {
                self.handle(value, ty)
            }
            (Value::Record(_), Shape::Record { .. }) if self.types.is_stream(ty) => {
                let content = stream::content(value).or_else(|| stream::text(value));
                format!("text_stream({})", quoted(&content.unwrap_or_default()))
            }
            (Value::Record(_) | Value::Member(..), Shape::Record { .. }) => {
                let mut members = Vec::new();
                self.members(value, ty, &mut members);
                if self.brief || members.len() > MANY {
                    members.retain(|(is_zero, _)| !is_zero);
                }
                let texts: Vec<String> = members.into_iter().map(|(_, text)| text).collect();
                if texts.is_empty() { "{0}".to_owned() } else { format!("{{{}}}", texts.join(", ")) }
            }
            (Value::Bytes(bytes), Shape::Float { bits: 80 }) => extended(bytes),
            (Value::Bytes(bytes), _) => {
                let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
                format!("{{{}}}", bytes.join(", "))
            }
            // The value is not of this type; what it is can still be said.
            (Value::Array(_) | Value::Record(_) | Value::Member(..), _) => format!("{value:?}"),
        }
    }

    /// The call that makes a handle: `stack_new(3)`.
    fn handle(&mut self, value: &Value, ty: TypeId) -> String {
        let types = self.types;
        let Some(Creation::By { creator, params, arguments, .. }) = creation(types, ty, value) else {
            return "NULL".to_owned();
        };
        let given = params.iter().zip(arguments);
        let given: Vec<String> = given.map(|(param, argument)| self.value(argument, param.ty)).collect();
        format!("{creator}({})", given.join(", "))
    }

    fn int(&self, value: i128, ty: TypeId) -> String {
        let definition = self.types.get(ty);
        // These names are used for small numbers, not for characters.
        let is_number = matches!(definition.name.as_deref(), Some("int8_t" | "uint8_t"));
        match &definition.shape {
            Shape::Bool if value == 0 => "false".to_owned(),
            Shape::Bool if value == 1 => "true".to_owned(),
            Shape::Enum { constants, .. } => {
                let constant = constants.iter().find(|(_, constant)| *constant == value);
                constant.map_or_else(|| value.to_string(), |(name, _)| name.clone())
            }
            _ if is_character(self.types, ty) && !is_number => {
                let byte = u8::try_from(value)
                    .ok()
                    .filter(|byte| byte.is_ascii_graphic() || b" \n\t\r\0".contains(byte));
                byte.map_or_else(|| value.to_string(), |byte| format!("'{}'", escaped(byte, '\'', false)))
            }
            _ if integer(self.types, ty) == Some((128, false)) => (value as u128).to_string(),
            _ if self.brief => {
                let name = limits(self.types, ty).and_then(|limits| limits.name(value));
                name.unwrap_or_else(|| value.to_string())
            }
            _ => value.to_string(),
        }
    }

    fn pointer(&mut self, object: usize, offset: u64) -> String {
        let statement = self.case.and_then(|case| case.statements.get(object));
        let (Some(Statement::Object { element, values }), 0) = (statement, offset) else {
            return if offset == 0 {
                format!("object {object}")
            } else {
                format!("object {object} + {offset}")
            };
        };
        if self.open.contains(&object) {
            return format!("object {object}");
        }
        if let ([stream], true) = (values.as_slice(), self.types.is_stream(*element)) {
            return self.value(stream, *element);
        }
        if let Some((Value::Int(0), before)) = values.split_last()
            && !before.contains(&Value::Int(0))
            && let Some(text) = text(self.types, *element, values)
        {
            return text;
        }
        self.open.push(object);
        let written = match values.as_slice() {
            [only @ (Value::Record(_) | Value::Member(..))] => {
                format!("&({}){}", self.types.spell(*element), self.value(only, *element))
            }
            _ => {
                let array = self.types.spell_array(*element, values.len());
                format!("({array}){}", self.list(*element, values))
            }
        };
        self.open.pop();
        written
    }

    fn list(&mut self, element: TypeId, values: &[Value]) -> String {
        let values: Vec<String> = values.iter().map(|value| self.value(value, element)).collect();
        format!("{{{}}}", values.join(", "))
    }

    /// The fields of a record, and whether they are zero; C lets those of a record without a name inside it be named alike.
    fn members(&mut self, value: &Value, ty: TypeId, members: &mut Vec<(bool, String)>) {
        let types = self.types;
        let Shape::Record { fields, .. } = &types.get(ty).shape else { return };
        let given: Vec<_> = match value {
            Value::Record(values) => fields.iter().zip(values).collect(),
            Value::Member(member, value) => {
                fields.get(*member).map(|field| (field, &**value)).into_iter().collect()
            }
            _ => Vec::new(),
        };
        for (field, value) in given {
            match &field.name {
                Some(name) => {
                    members.push((value.is_zero(), format!(".{name} = {}", self.value(value, field.ty))));
                }
                None => self.members(value, field.ty, members),
            }
        }
    }
}

/// Characters as a string literal, if they end with a NUL; those after the first NUL must all be NUL.
fn text(types: &Types, element: TypeId, values: &[Value]) -> Option<String> {
    if !is_character(types, element) {
        return None;
    }
    let byte = |value: &Value| match value {
        Value::Int(value) => Some(*value as u8),
        _ => None,
    };
    let bytes: Vec<u8> = values.iter().map(byte).collect::<Option<_>>()?;
    let length = bytes.iter().position(|byte| *byte == 0)?;
    if bytes[length..].iter().any(|byte| *byte != 0) {
        return None;
    }
    Some(quoted(&bytes[..length]))
}

/// A string literal of these bytes.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        let digit_follows = bytes.get(index + 1).is_some_and(u8::is_ascii_digit);
        text.push_str(&escaped(*byte, '"', digit_follows));
    }
    format!("\"{text}\"")
}

/// A byte within quotes. An octal escape takes up to three digits, so all three are written if a digit follows.
fn escaped(byte: u8, quote: char, digit_follows: bool) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\\' => "\\\\".to_owned(),
        _ if char::from(byte) == quote => format!("\\{quote}"),
        b' '..=b'~' => char::from(byte).to_string(),
        _ if digit_follows => format!("\\{byte:03o}"),
        _ => format!("\\{byte:o}"),
    }
}

/// `shortest` is the shortest text that reads as `value`; C has names for what is not finite.
fn float(value: f64, shortest: &str) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        format!("{sign}NAN")
    } else if value.is_infinite() {
        format!("{sign}INFINITY")
    } else {
        shortest.to_owned()
    }
}

/// An x87 extended number: as a decimal where a double holds it, else in hexadecimal, which is exact.
fn extended(bytes: &[u8]) -> String {
    let mut all = [0; 16];
    let count = bytes.len().min(EXTENDED_BYTES as usize);
    all[..count].copy_from_slice(&bytes[..count]);
    let bits = u128::from_le_bytes(all);
    let (mantissa, exponent) = (bits as u64, (bits >> 64) as u16);
    let (sign, exponent) = (if exponent >> 15 == 1 { "-" } else { "" }, i32::from(exponent & 0x7fff));
    match (exponent, mantissa) {
        (0x7fff, 0x8000_0000_0000_0000) => format!("{sign}INFINITY"),
        (0x7fff, _) => format!("{sign}NAN"),
        (_, 0) => format!("{sign}0.0L"),
        _ => {
            // Subnormal numbers have the exponent of the smallest normal ones.
            let power = exponent.max(1) - 16383 - 63;
            let (odd, power) =
                (mantissa >> mantissa.trailing_zeros(), power + mantissa.trailing_zeros() as i32);
            if odd < 1 << 53 && (-1000..=900).contains(&power) {
                format!("{sign}{:?}L", odd as f64 * f64::from(power).exp2())
            } else {
                format!("{sign}0x{odd:x}p{power}L")
            }
        }
    }
}
