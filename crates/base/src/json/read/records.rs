//! Reading structs and unions.

use super::{Place, Reader, kind};
use crate::case::Value;
use crate::ids::TypeId;
use crate::json::numbers::range;
use crate::json::{CaseError, suggestion};
use crate::layout::integer;
use crate::types::{Field, Shape, Types};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Members that are given, by name.
type Members<'a> = BTreeMap<&'a str, &'a Json>;

impl Reader<'_> {
    pub(super) fn record(
        &mut self,
        ty: TypeId,
        fields: &[Field],
        union: bool,
        json: &Json,
        place: &mut Place,
    ) -> Result<Value, CaseError> {
        let name = self.types.spell(ty);
        match json {
            Json::Object(map) => {
                if let Some(key) = map.keys().find(|key| !has_field(self.types, fields, key)) {
                    let hint = suggestion(key, field_names(self.types, fields));
                    return place.error(format!("`{name}` has no field `{key}`{hint}"));
                }
                if union && map.is_empty() {
                    return place.error(format!("`{name}` is a union: exactly one member is given"));
                }
                self.members(ty, &map.iter().map(|(key, json)| (key.as_str(), json)).collect(), place)
            }
            Json::Array(list) if !union && list.len() <= fields.len() => {
                let mut values = Vec::new();
                for (field, json) in fields.iter().zip(list) {
                    values.push(self.field(field, json, place)?);
                }
                values.extend(fields[values.len()..].iter().map(|field| self.zero(field.ty)));
                Ok(Value::Record(values))
            }
            Json::Array(list) if !union => {
                place.error(format!("`{name}` has {} fields, {} given", fields.len(), list.len()))
            }
            _ => place
                .error(format!("{} is no `{name}`, which is written {{\"field\": value, ..}}", kind(json))),
        }
    }

    /// A record from the members given; those of a record without a name are given with those around it.
    fn members(&mut self, ty: TypeId, given: &Members<'_>, place: &mut Place) -> Result<Value, CaseError> {
        let Shape::Record { fields, union, .. } = &self.types.get(ty).shape else { return Ok(self.zero(ty)) };
        let mut values = Vec::new();
        let mut chosen = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let own: Members<'_> = match &field.name {
                Some(name) => {
                    given.get_key_value(name.as_str()).into_iter().map(|(key, json)| (*key, *json)).collect()
                }
                None => {
                    let inside = |key: &str| has_field(self.types, std::slice::from_ref(field), key);
                    given.iter().filter(|(key, _)| inside(key)).map(|(key, json)| (*key, *json)).collect()
                }
            };
            if own.is_empty() {
                values.push(self.zero(field.ty));
                continue;
            }
            chosen.push(index);
            values.push(match &field.name {
                Some(name) => self.field(field, own[name.as_str()], place)?,
                None => self.members(field.ty, &own, place)?,
            });
        }
        if !*union {
            return Ok(Value::Record(values));
        }
        match chosen.as_slice() {
            [] => Ok(self.zero(ty)),
            [member] => Ok(Value::Member(*member, Box::new(values.swap_remove(*member)))),
            _ => place.error(format!("`{}` is a union: exactly one member is given", self.types.spell(ty))),
        }
    }

    fn field(&mut self, field: &Field, json: &Json, place: &mut Place) -> Result<Value, CaseError> {
        let part = field.name.as_ref().map(|name| format!(".{name}")).unwrap_or_default();
        place.within(&part, |place| {
            let value = self.value(field.ty, json, place)?;
            let (Some(bits), Some((_, signed)), Value::Int(number)) =
                (field.bit_width, integer(self.types, field.ty), &value)
            else {
                return Ok(value);
            };
            // What is left above the bits of the field is all sign, or all zero.
            let above = if signed { bits.saturating_sub(1) } else { bits };
            let rest = number.checked_shr(above).unwrap_or(0);
            if rest == 0 || signed && rest == -1 {
                return Ok(value);
            }
            let (range, plural) = (range(bits, signed), if bits == 1 { "" } else { "s" });
            place.error(format!("{number} does not fit a bit-field of {bits} bit{plural} ({range})"))
        })
    }
}

/// The names that `fields` can be given by, also those inside records without a name.
fn field_names<'a>(types: &'a Types, fields: &'a [Field]) -> Vec<&'a str> {
    let names = fields.iter().flat_map(|field| match (&field.name, &types.get(field.ty).shape) {
        (Some(name), _) => vec![name.as_str()],
        (None, Shape::Record { fields, .. }) => field_names(types, fields),
        (None, _) => Vec::new(),
    });
    names.collect()
}

fn has_field(types: &Types, fields: &[Field], key: &str) -> bool {
    field_names(types, fields).contains(&key)
}
