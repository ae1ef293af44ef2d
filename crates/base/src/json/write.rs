//! Writing a case as people would have written it.

use super::numbers::Format;
use super::{STUB, case_from_json};
use crate::case::{Case, Statement, Value};
use crate::ids::{FunctionId, TypeId};
use crate::layout::{integer, is_character};
use crate::stream;
use crate::subject::Subject;
use crate::types::{Field, Shape, Types};
use serde_json::{Map, Number, Value as Json, json};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The case as JSON that [`parse_case`](super::parse_case) reads as the same case.
///
/// Objects are written where they are used; only if that would not give the same case back, because one is shared,
/// pointed into or not used, they are listed. `null` for a case without a call.
#[must_use]
pub fn case_to_json(subject: &Subject, case: &Case) -> Json {
    let Some((function, arguments)) = case.call() else { return Json::Null };
    let inline = Writer { types: &subject.types, case, used: Some(RefCell::default()) };
    if let Some(json) = inline.case(subject, function, arguments)
        && case_from_json(subject, function, &json).as_ref() == Ok(case)
    {
        return json;
    }
    let listed = Writer { types: &subject.types, case, used: None };
    listed.case(subject, function, arguments).unwrap_or(Json::Null)
}

struct Writer<'a> {
    types: &'a Types,
    case: &'a Case,
    /// Objects that were written in place already; none if objects are listed instead.
    used: Option<RefCell<BTreeSet<usize>>>,
}

/// `None` when something cannot be written in place.
type Written = Option<Json>;

impl Writer<'_> {
    fn case(&self, subject: &Subject, function: FunctionId, arguments: &[Value]) -> Written {
        let signature = subject.function(function).signature.as_ref()?;
        let params = &signature.params;
        let values: Vec<Json> = params
            .iter()
            .zip(arguments)
            .map(|(param, value)| self.value(param.ty, value))
            .collect::<Option<_>>()?;
        let names: BTreeSet<&str> = params.iter().map(|param| param.name.as_str()).collect();
        let arguments = if names.len() == params.len() && !params.is_empty() {
            params.iter().map(|param| param.name.clone()).zip(values).collect::<Map<_, _>>().into()
        } else {
            Json::Array(values)
        };
        let mut globals = Map::new();
        let mut objects = Vec::new();
        let mut calls = Vec::new();
        for (_, function, arguments) in self.case.calls_before() {
            let definition = subject.function(function);
            let params = &definition.signature.as_ref()?.params;
            let values = params.iter().zip(arguments).map(|(param, value)| self.value(param.ty, value));
            let values: Vec<Json> = values.collect::<Option<_>>()?;
            calls.push(json!({ "call": definition.name, "args": values }));
        }
        for statement in &self.case.statements {
            match statement {
                Statement::Set { global, value: Value::Array(values) }
                    if subject.answers_of(*global).is_some() =>
                {
                    let global = &subject.globals[global.index()];
                    let Shape::Array { element, .. } = self.types.get(global.ty?).shape else { return None };
                    globals.insert(global.name.clone(), self.list(element, values)?);
                }
                Statement::Set { global, value } => {
                    let global = &subject.globals[global.index()];
                    globals.insert(global.name.clone(), self.value(global.ty?, value)?);
                }
                Statement::Object { element, values } if self.used.is_none() => {
                    objects.push(
                        json!({ "type": self.types.spell(*element), "values": self.list(*element, values)? }),
                    );
                }
                Statement::Object { .. } | Statement::Call { .. } => {}
            }
        }
        let bare = globals.is_empty() && objects.is_empty() && calls.is_empty();
        if bare && !["args", "calls", "globals", "objects"].iter().any(|key| names.contains(key)) {
            return Some(arguments);
        }
        let mut parts = Map::new();
        parts.insert("args".to_owned(), arguments);
        if !calls.is_empty() {
            parts.insert("calls".to_owned(), calls.into());
        }
        if !globals.is_empty() {
            parts.insert("globals".to_owned(), globals.into());
        }
        if !objects.is_empty() {
            parts.insert("objects".to_owned(), objects.into());
        }
        Some(parts.into())
    }

    fn list(&self, element: TypeId, values: &[Value]) -> Written {
        values.iter().map(|value| self.value(element, value)).collect::<Option<Vec<_>>>().map(Json::Array)
    }

    fn value(&self, ty: TypeId, value: &Value) -> Written {
        let shape = &self.types.get(ty).shape;
        Some(match (value, shape) {
            (Value::Returned { call }, _) => json!({ "@call": self.case.number_of_call(*call) }),
            (Value::Int(value), Shape::Bool) if matches!(value, 0 | 1) => Json::Bool(*value == 1),
            (Value::Int(value), Shape::Enum { constants, .. }) => {
                match constants.iter().find(|(_, constant)| constant == value) {
                    Some((name, _)) => Json::String(name.clone()),
                    None => self.int(ty, *value),
                }
            }
            (Value::Int(value), _) => self.int(ty, *value),
            (Value::Single(bits), _) => match Format::SINGLE.special(u64::from(*bits)) {
                Some(text) => Json::String(text),
                None => number(&format!("{:?}", f32::from_bits(*bits))),
            },
            (Value::Double(bits), _) => match Format::DOUBLE.special(*bits) {
                Some(text) => Json::String(text),
                None => number(&format!("{:?}", f64::from_bits(*bits))),
            },
            (Value::Null, _) => Json::Null,
            (Value::Stub(_), _) => Json::String(STUB.to_owned()),
            (Value::Pointer { object, offset }, _) => return self.pointer(*object, *offset),
            (Value::Array(values), Shape::Array { element, .. }) => {
                let text = self.text(*element, values, |bytes| {
                    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                    (end < bytes.len()).then_some(end)
                });
                return text.or_else(|| self.list(*element, values));
            }
            (Value::Record(_) | Value::Member(..), Shape::Record { .. }) => {
                if let Some(text) = self.stream(ty, value) {
                    return Some(Json::String(text));
                }
                let mut members = Map::new();
                self.members(ty, value, &mut members)?;
                Json::Object(members)
            }
            (Value::Bytes(bytes), _) => json!({ "@bytes": bytes }),
            // A pointer that a run produced means nothing in a case, and neither does a value of another type.
            _ => Json::Null,
        })
    }

    fn int(&self, ty: TypeId, value: i128) -> Json {
        match integer(self.types, ty) {
            Some((128, false)) => number(&(value as u128).to_string()),
            _ => number(&value.to_string()),
        }
    }

    fn pointer(&self, object: usize, offset: u64) -> Written {
        let Some(used) = &self.used else {
            // Only objects are listed, so the number among them counts.
            let earlier = &self.case.statements[..object.min(self.case.statements.len())];
            let index =
                earlier.iter().filter(|statement| matches!(statement, Statement::Object { .. })).count();
            return Some(if offset == 0 {
                json!({ "@object": index })
            } else {
                json!({ "@object": index, "@offset": offset })
            });
        };
        let Some(Statement::Object { element, values }) = self.case.statements.get(object) else {
            return None;
        };
        if offset != 0 || !used.borrow_mut().insert(object) {
            return None;
        }
        let text = self.text(*element, values, |bytes| match bytes {
            [.., 0] => Some(bytes.len() - 1),
            _ => None,
        });
        match values.as_slice() {
            _ if text.is_some() => text,
            [only @ (Value::Record(_) | Value::Member(..))] => self.value(*element, only),
            _ => self.list(*element, values),
        }
    }

    /// The text of a stream, if that is all there is to it.
    fn stream(&self, ty: TypeId, value: &Value) -> Option<String> {
        let text = stream::text(value).filter(|_| self.types.is_stream(ty))?;
        let text = String::from_utf8(text).ok()?;
        (stream::of_text(text.as_bytes()).as_ref() == Some(value)).then_some(text)
    }

    /// Characters as a string, if `end` finds where it ends and it has no NUL inside.
    fn text(&self, element: TypeId, values: &[Value], end: impl Fn(&[u8]) -> Option<usize>) -> Written {
        if !is_character(self.types, element) {
            return None;
        }
        let byte = |value: &Value| match value {
            Value::Int(value) => Some(*value as u8),
            _ => None,
        };
        let bytes: Vec<u8> = values.iter().map(byte).collect::<Option<_>>()?;
        let bytes = &bytes[..end(&bytes)?];
        if bytes.contains(&0) {
            return None;
        }
        std::str::from_utf8(bytes).ok().map(|text| Json::String(text.to_owned()))
    }

    /// Adds the fields of a record; those of a record without a name inside it are added alike.
    fn members(&self, ty: TypeId, value: &Value, members: &mut Map<String, Json>) -> Option<()> {
        let Shape::Record { fields, .. } = &self.types.get(ty).shape else { return None };
        let given: Vec<(&Field, &Value)> = match value {
            Value::Record(values) => fields.iter().zip(values).collect(),
            Value::Member(member, value) => vec![(fields.get(*member)?, &**value)],
            _ => return None,
        };
        for (field, value) in given {
            match &field.name {
                Some(name) => {
                    members.insert(name.clone(), self.value(field.ty, value)?);
                }
                // What a stream has besides its text is no input.
                None if self.types.is_stream(ty) => {}
                None => self.members(field.ty, value, members)?,
            }
        }
        Some(())
    }
}

fn number(text: &str) -> Json {
    let number: Number = text.parse().expect("Rust writes finite numbers as JSON does");
    Json::Number(number)
}
