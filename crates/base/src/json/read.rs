//! Reading values by their type.

mod pointers;
mod records;

use super::numbers::{Format, Integer, range};
use super::{CaseError, STUB, suggestion};
use crate::case::{Statement, Value};
use crate::ids::TypeId;
use crate::layout::{EXTENDED_BYTES, integer, is_character};
use crate::stream;
use crate::subject::Subject;
use crate::types::{Shape, Types};
use crate::zero::zero;
use serde_json::Value as Json;
use std::fmt;

/// The largest object or value that a case can have, in bytes. Larger ones are slips of the pen.
const MAX_BYTES: u64 = 1 << 22;

/// A place in a case: an argument or global, and the way into it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    before: String,
    path: String,
    after: &'static str,
}

impl Place {
    pub(super) fn argument(index: usize, name: &str) -> Place {
        Place { before: format!("argument {} (`", index + 1), path: name.to_owned(), after: "`)" }
    }

    pub(super) fn global(name: &str) -> Place {
        Place { before: "global `".to_owned(), path: name.to_owned(), after: "`" }
    }

    fn object(index: usize) -> Place {
        Place { before: "object `".to_owned(), path: index.to_string(), after: "`" }
    }

    fn within<T>(&mut self, part: &str, inner: impl FnOnce(&mut Place) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(part);
        let result = inner(self);
        self.path.truncate(length);
        result
    }

    fn error<T>(&self, problem: impl Into<String>) -> Result<T, CaseError> {
        Err(CaseError { place: self.to_string(), problem: problem.into() })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}{}", self.before, self.path, self.after)
    }
}

/// Reads values and collects the objects that their pointers need.
pub(super) struct Reader<'a> {
    pub(super) subject: &'a Subject,
    types: &'a Types,
    /// The objects so far.
    pub(super) statements: Vec<Statement>,
    /// What the calls so far return.
    pub(super) calls: Vec<TypeId>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(subject: &'a Subject) -> Reader<'a> {
        Reader { subject, types: &subject.types, statements: Vec::new(), calls: Vec::new() }
    }

    /// Reads the list of objects; they may point to each other.
    pub(super) fn objects(&mut self, list: &[Json]) -> Result<(), CaseError> {
        let mut elements = Vec::new();
        for (index, json) in list.iter().enumerate() {
            let place = Place::object(index);
            let (Some(ty), Some(values)) =
                (json.get("type").and_then(Json::as_str), json.get("values").and_then(Json::as_array))
            else {
                return place.error("an object is written {\"type\": \"int\", \"values\": [..]}");
            };
            let mut all = (0..self.types.len()).map(TypeId::of);
            let Some(element) = all.find(|id| self.types.spell(*id) == ty) else {
                return place.error(format!("the code has no type `{ty}`"));
            };
            // What is declared as a `FILE` is a stream of ours.
            let element =
                self.types.meant(element).filter(|meant| self.types.is_stream(*meant)).unwrap_or(element);
            elements.push((element, values));
            self.statements.push(Statement::Object { element, values: Vec::new() });
        }
        for (index, (element, list)) in elements.into_iter().enumerate() {
            let values = self.elements(element, list, &mut Place::object(index))?;
            self.statements[index] = Statement::Object { element, values };
        }
        Ok(())
    }

    /// The value of a parameter.
    pub(super) fn argument(
        &mut self,
        ty: TypeId,
        json: &Json,
        place: &mut Place,
    ) -> Result<Value, CaseError> {
        match self.types.get(ty).shape {
            Shape::Float { bits: 80 } | Shape::Other(_) => self.unbuildable(ty, place),
            _ => self.value(ty, json, place),
        }
    }

    pub(super) fn value(&mut self, ty: TypeId, json: &Json, place: &mut Place) -> Result<Value, CaseError> {
        if let Some(value) = self.returned(ty, json, place)? {
            return Ok(value);
        }
        let definition = self.types.get(ty);
        match &definition.shape {
            Shape::Bool => self.boolean(json, place),
            Shape::Int { bits, signed, .. } => self.int(json, *bits, *signed, &self.types.spell(ty), place),
            Shape::Enum { bits, signed, constants } => {
                self.enumeration(ty, json, (*bits, *signed), constants, place)
            }
            Shape::Float { bits: 32 } => {
                Ok(Value::Single(self.float(ty, json, Format::SINGLE, place)? as u32))
            }
            Shape::Float { bits: 64 } => Ok(Value::Double(self.float(ty, json, Format::DOUBLE, place)?)),
            Shape::Pointer(target) => match self.subject.stub_of_type(ty).filter(|_| json == STUB) {
                Some(stub) => Ok(Value::Stub(stub)),
                None => self.pointer(*target, json, place),
            },
            Shape::Array { element, count } => self.array(*element, count.unwrap_or(0), json, place),
            Shape::Record { .. } if self.types.is_stream(ty) && json.is_string() => self.stream(json, place),
            Shape::Record { complete: true, fields, union } => self.record(ty, fields, *union, json, place),
            Shape::Float { .. } => match raw(json) {
                Some(bytes) if bytes.len() as u64 == EXTENDED_BYTES => Ok(Value::Bytes(bytes)),
                _ => self.unbuildable(ty, place),
            },
            Shape::Record { .. } | Shape::Void | Shape::Function { .. } | Shape::Other(_) => {
                match raw(json) {
                    Some(bytes) if bytes.len() as u64 == definition.size => Ok(Value::Bytes(bytes)),
                    _ => self.unbuildable(ty, place),
                }
            }
        }
    }

    /// `{"@call": n}`: what an earlier call returned, by its number.
    fn returned(&self, ty: TypeId, json: &Json, place: &Place) -> Result<Option<Value>, CaseError> {
        let Some(number) = json.get("@call") else { return Ok(None) };
        let call = number.as_u64().and_then(|call| usize::try_from(call).ok());
        let Some((call, result)) = call.and_then(|call| Some((call, *self.calls.get(call)?))) else {
            return place.error(format!("{number} is none of the {} calls before", self.calls.len()));
        };
        if !self.types.can_hold(ty, result) {
            let (ty, result) = (self.types.spell(ty), self.types.spell(result));
            return place.error(format!("call {call} returns `{result}`, and `{ty}` is needed"));
        }
        Ok(Some(Value::Returned { call }))
    }

    /// A stream with this text.
    fn stream(&self, json: &Json, place: &Place) -> Result<Value, CaseError> {
        match stream::of_text(json.as_str().unwrap_or_default().as_bytes()) {
            Some(value) => Ok(value),
            None => place.error(format!("a stream can have {} bytes at most", stream::MAX_TEXT)),
        }
    }

    fn unbuildable<T>(&self, ty: TypeId, place: &Place) -> Result<T, CaseError> {
        place.error(format!("values of type `{}` cannot be given", self.types.spell(ty)))
    }

    fn boolean(&self, json: &Json, place: &Place) -> Result<Value, CaseError> {
        let number = json.as_number().and_then(|number| Integer::read(&number.to_string()));
        match (json.as_bool(), number.and_then(|number| number.fit(1, false))) {
            (Some(value), _) => Ok(Value::Int(value.into())),
            (None, Some(value)) => Ok(Value::Int(value)),
            _ => place.error(format!("{json} is neither true nor false")),
        }
    }

    fn int(
        &self,
        json: &Json,
        bits: u32,
        signed: bool,
        name: &str,
        place: &Place,
    ) -> Result<Value, CaseError> {
        let text = match json {
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
            _ => return place.error(format!("{} is not an integer, which `{name}` needs", kind(json))),
        };
        let Some(integer) = Integer::read(&text) else {
            return place.error(format!("{json} is not an integer, which `{name}` needs"));
        };
        match integer.fit(bits, signed) {
            Some(value) => Ok(Value::Int(value)),
            None => place.error(format!("{text} does not fit {name} ({})", range(bits, signed))),
        }
    }

    fn enumeration(
        &self,
        ty: TypeId,
        json: &Json,
        (bits, signed): (u32, bool),
        constants: &[(String, i128)],
        place: &Place,
    ) -> Result<Value, CaseError> {
        let Json::String(text) = json else {
            return self.int(json, bits, signed, &self.types.spell(ty), place);
        };
        if let Some((_, value)) = constants.iter().find(|(name, _)| name == text) {
            return Ok(Value::Int(*value));
        }
        if Integer::read(text).is_some() {
            return self.int(json, bits, signed, &self.types.spell(ty), place);
        }
        let hint = suggestion(text, constants.iter().map(|(name, _)| name.as_str()));
        place.error(format!("`{}` has no constant `{text}`{hint}", self.types.spell(ty)))
    }

    fn float(&self, ty: TypeId, json: &Json, format: Format, place: &Place) -> Result<u64, CaseError> {
        let name = self.types.spell(ty);
        let text = match json {
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
            _ => return place.error(format!("{} is not a number, which `{name}` needs", kind(json))),
        };
        format.read(&text).or_else(|problem| place.error(format!("{text} {problem} for {name}")))
    }

    fn array(
        &mut self,
        element: TypeId,
        count: u64,
        json: &Json,
        place: &mut Place,
    ) -> Result<Value, CaseError> {
        let mut values = match json {
            Json::Array(list) => {
                self.check_count(list.len() as u64, count, place)?;
                self.elements(element, list, place)?
            }
            Json::String(text) if is_character(self.types, element) => {
                self.check_count(text.len() as u64, count, place)?;
                self.characters(element, text.as_bytes())
            }
            _ => return place.error(format!("{} is not an array, which is written [..]", kind(json))),
        };
        if self.types.get(element).size.saturating_mul(count) > MAX_BYTES {
            return place.error(format!("the array has {count} elements, too many for a case"));
        }
        for _ in values.len() as u64..count {
            values.push(self.zero(element));
        }
        Ok(Value::Array(values))
    }

    /// Answers of a stub: as many as are given, at least one.
    pub(super) fn answers(&mut self, ty: TypeId, json: &Json, place: &mut Place) -> Result<Value, CaseError> {
        match (&self.types.get(ty).shape, json) {
            (Shape::Array { element, count }, Json::Array(list)) if !list.is_empty() => {
                let (count, given) = (count.unwrap_or(0), list.len());
                if given as u64 > count {
                    return place.error(format!("there is room for {count} answers, {given} given"));
                }
                Ok(Value::Array(self.elements(*element, list, place)?))
            }
            _ => place.error("answers are written [..], one per call, at least one"),
        }
    }

    fn check_count(&self, given: u64, count: u64, place: &Place) -> Result<(), CaseError> {
        if given <= count {
            return Ok(());
        }
        place.error(format!("the array has {count} elements, {given} given"))
    }

    fn elements(
        &mut self,
        element: TypeId,
        list: &[Json],
        place: &mut Place,
    ) -> Result<Vec<Value>, CaseError> {
        let read = |(index, json): (usize, &Json)| {
            place.within(&format!("[{index}]"), |place| self.value(element, json, place))
        };
        list.iter().enumerate().map(read).collect()
    }

    fn characters(&self, element: TypeId, bytes: &[u8]) -> Vec<Value> {
        let signed = integer(self.types, element).is_some_and(|(_, signed)| signed);
        let value = |byte: &u8| if signed { i128::from(*byte as i8) } else { i128::from(*byte) };
        bytes.iter().map(|byte| Value::Int(value(byte))).collect()
    }

    /// All bits zero.
    fn zero(&self, ty: TypeId) -> Value {
        zero(self.types, ty)
    }
}

/// `{"@bytes": [..]}`
fn raw(json: &Json) -> Option<Vec<u8>> {
    let list = json.get("@bytes")?.as_array()?;
    list.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect()
}

/// What a piece of JSON is, for messages: short ones are quoted.
fn kind(json: &Json) -> String {
    match json {
        Json::Array(_) => "an array".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        Json::String(text) if text.len() > 40 => "this text".to_owned(),
        _ => json.to_string(),
    }
}
