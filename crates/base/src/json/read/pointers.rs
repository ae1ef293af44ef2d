//! Reading pointers: every array behind one is an object of its own.

use super::{MAX_BYTES, Place, Reader, kind};
use crate::case::{Statement, Value};
use crate::ids::TypeId;
use crate::json::CaseError;
use crate::layout::is_character;
use crate::types::Shape;
use crate::zero::byte_type;
use serde_json::{Map, Value as Json};

impl Reader<'_> {
    pub(super) fn pointer(
        &mut self,
        target: TypeId,
        json: &Json,
        place: &mut Place,
    ) -> Result<Value, CaseError> {
        if json.is_null() {
            return Ok(Value::Null);
        }
        if let Some(reference) = self.reference(json, place)? {
            return Ok(reference);
        }
        let target = self.types.meant(target).unwrap_or(target);
        let name = self.types.spell(target);
        let element = match &self.types.get(target).shape {
            Shape::Function { .. } => {
                return place.error("a function can be given as \"stub\", or as null");
            }
            Shape::Void => match byte_type(self.types) {
                Some(byte) => byte,
                None => return place.error("the code has no type of one byte; only null can be given"),
            },
            Shape::Record { complete: false, .. } | Shape::Other(_) | Shape::Float { bits: 80 } => {
                return place.error(format!("only null can be given for a pointer to `{name}`"));
            }
            Shape::Record { .. } if self.types.is_foreign(target) && !self.types.is_stream(target) => {
                return place.error(format!("only null can be given for a pointer to `{name}`"));
            }
            _ => target,
        };
        let values = self.pointed(element, json, place)?;
        if self.types.get(element).size.saturating_mul(values.len() as u64) > MAX_BYTES {
            return place.error(format!("an object can have {MAX_BYTES} bytes at most"));
        }
        self.statements.push(Statement::Object { element, values });
        Ok(Value::Pointer { object: self.statements.len() - 1, offset: 0 })
    }

    /// The elements of the object that a pointer gets.
    fn pointed(&mut self, element: TypeId, json: &Json, place: &mut Place) -> Result<Vec<Value>, CaseError> {
        let shape = &self.types.get(element).shape;
        match json {
            Json::Array(list) => self.elements(element, list, place),
            Json::String(text) if is_character(self.types, element) => {
                let mut values = self.characters(element, text.as_bytes());
                values.push(Value::Int(0));
                Ok(values)
            }
            Json::String(_) if self.types.is_stream(element) => Ok(vec![self.value(element, json, place)?]),
            Json::Object(map) if is_character(self.types, element) => self.buffer(element, map, place),
            Json::Object(_) if matches!(shape, Shape::Record { .. }) => {
                Ok(vec![place.within("[0]", |place| self.value(element, json, place))?])
            }
            _ => {
                let element = self.types.spell(element);
                let text = format!(
                    "{} is no pointer to `{element}`; null or [..] with the elements it points to is",
                    kind(json)
                );
                place.error(text)
            }
        }
    }

    /// `{"buffer": "text" or [bytes], "size": n}`
    fn buffer(
        &mut self,
        element: TypeId,
        map: &Map<String, Json>,
        place: &mut Place,
    ) -> Result<Vec<Value>, CaseError> {
        if let Some(key) = map.keys().find(|key| !matches!(key.as_str(), "buffer" | "size")) {
            return place
                .error(format!("a buffer has no `{key}`; it is written {{\"buffer\": .., \"size\": ..}}"));
        }
        let mut values = match map.get("buffer") {
            None => Vec::new(),
            Some(Json::String(text)) => self.characters(element, text.as_bytes()),
            Some(Json::Array(list)) => self.elements(element, list, place)?,
            Some(_) => return place.error("the contents of a buffer are written \"text\" or [bytes]"),
        };
        match map.get("size").map(Json::as_u64) {
            None => {}
            Some(Some(size)) if size > MAX_BYTES => {
                return place.error(format!("an object can have {MAX_BYTES} bytes at most"));
            }
            Some(Some(size)) if size >= values.len() as u64 => values.resize(size as usize, Value::Int(0)),
            Some(Some(size)) => {
                return place.error(format!("{} bytes do not fit a buffer of {size}", values.len()));
            }
            Some(None) => return place.error("the size of a buffer is a whole number of bytes"),
        }
        Ok(values)
    }

    /// `{"@object": n, "@offset": bytes}`: a pointer into an object that exists already.
    fn reference(&self, json: &Json, place: &Place) -> Result<Option<Value>, CaseError> {
        let Some(object) = json.get("@object") else { return Ok(None) };
        let count = self.statements.len();
        let object = object.as_u64().and_then(|object| usize::try_from(object).ok());
        let offset = json.get("@offset").map_or(Some(0), Json::as_u64);
        match (object.filter(|object| *object < count), offset) {
            (Some(object), Some(offset)) => Ok(Some(Value::Pointer { object, offset })),
            (None, _) => place.error(format!("{} is none of the {count} objects so far", json["@object"])),
            (_, None) => place.error(format!("{} is no offset in bytes", json["@offset"])),
        }
    }
}
