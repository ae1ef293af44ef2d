//! Fresh values: zeros of every type, and the object that a pointer leads to when it first leads anywhere.

use crate::case::Value;
use crate::ids::TypeId;
use crate::layout::{EXTENDED_BYTES, largest_member};
use crate::types::{Shape, Types};

/// The value of a type with all bits zero; of a union its largest member.
#[must_use]
pub fn zero(types: &Types, ty: TypeId) -> Value {
    let definition = types.get(ty);
    match &definition.shape {
        Shape::Bool | Shape::Int { .. } | Shape::Enum { .. } => Value::Int(0),
        Shape::Float { bits: 32 } => Value::Single(0),
        Shape::Float { bits: 64 } => Value::Double(0),
        Shape::Float { .. } => Value::Bytes(vec![0; EXTENDED_BYTES as usize]),
        Shape::Pointer(_) => Value::Null,
        Shape::Array { element, count } => {
            Value::Array(vec![zero(types, *element); usize::try_from(count.unwrap_or(0)).unwrap_or(0)])
        }
        Shape::Record { union: true, fields, .. } if !fields.is_empty() => {
            let member = largest_member(types, fields).unwrap_or(0);
            Value::Member(member, Box::new(zero(types, fields[member].ty)))
        }
        Shape::Record { union: false, complete: true, fields } => {
            Value::Record(fields.iter().map(|field| zero(types, field.ty)).collect())
        }
        Shape::Record { .. } | Shape::Void | Shape::Function { .. } | Shape::Other(_) => {
            Value::Bytes(vec![0; usize::try_from(definition.size).unwrap_or(0)])
        }
    }
}

/// The type of the elements of an object that a pointer to `target` can lead to; none if no such object can be made.
/// Where the code takes what is there for a struct, it is one. Else bytes lie behind a `void *`, and behind a pointer to what is not defined too, or integers: the code cannot look at it.
#[must_use]
pub fn element_behind(types: &Types, target: TypeId) -> Option<TypeId> {
    if let Some(meant) = types.meant(target) {
        return Some(meant);
    }
    match &types.get(target).shape {
        Shape::Void => byte_type(types),
        Shape::Function { .. } | Shape::Other(_) | Shape::Float { bits: 80 } => None,
        Shape::Record { .. } if types.is_foreign(target) => None,
        Shape::Record { complete: false, .. } => byte_type(types).or_else(|| integer_type(types)),
        _ if types.get(target).size == 0 => None,
        _ => Some(target),
    }
}

/// The type that bytes behind a `void *` have: an unsigned char type if there is one.
#[must_use]
pub fn byte_type(types: &Types) -> Option<TypeId> {
    let of_sign = |wanted: bool| {
        let fits = |id: &TypeId| matches!(types.get(*id).shape, Shape::Int { bits: 8, signed, character: true } if signed == wanted);
        (0..types.len()).map(TypeId::of).find(fits)
    };
    of_sign(false).or_else(|| of_sign(true))
}

/// Any integer type: what nobody looks at can be of any.
fn integer_type(types: &Types) -> Option<TypeId> {
    let is_integer = |id: &TypeId| matches!(types.get(*id).shape, Shape::Int { .. });
    (0..types.len()).map(TypeId::of).find(is_integer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, Member};

    #[test]
    fn a_fresh_record_is_zero_with_null_pointers() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let pair = sample::array(&mut types, int, 2);
        let pointer = sample::pointer(&mut types, int);
        let members = [Member::new("p", pointer), Member::new("a", pair)];
        let record = sample::record(&mut types, Some("struct s"), false, &members);
        let zeros = Value::Array(vec![Value::Int(0), Value::Int(0)]);
        assert_eq!(zero(&types, record), Value::Record(vec![Value::Null, zeros]));
        assert_eq!(element_behind(&types, record), Some(record));
    }

    #[test]
    fn what_the_code_cannot_look_at_is_bytes() {
        let mut types = Types::default();
        let opaque = sample::incomplete(&mut types, "struct handle");
        let stream = sample::incomplete(&mut types, "struct _IO_FILE");
        types.set_foreign([stream]);
        let void = sample::void(&mut types);
        assert_eq!(element_behind(&types, void), None, "there is no type of one byte yet");
        let char = sample::int(&mut types, "char", 8, true);
        assert_eq!(element_behind(&types, void), Some(char));
        assert_eq!(element_behind(&types, opaque), Some(char));
        assert_eq!(element_behind(&types, stream), None, "a library looks at streams");
    }
}
