//! What the result of a call points to: a text, a number or a struct.

use crate::image::Image;
use testwright_base::case::{Case, Value};
use testwright_base::ids::TypeId;
use testwright_base::layout::is_character;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

/// How many bytes are looked at, after eight that say how many there are.
pub const ROOM: u32 = 8 + 1024;

/// The type of what the result of a case's call points to, if that can be looked at.
pub fn pointee(subject: &Subject, case: &Case) -> Option<TypeId> {
    let (function, _) = case.call()?;
    let result = subject.function(function).signature.as_ref()?.result;
    let Shape::Pointer(target) = subject.types.get(result).shape else { return None };
    let is_known = match subject.types.get(target).shape {
        Shape::Bool | Shape::Int { .. } | Shape::Enum { .. } | Shape::Float { .. } | Shape::Record { .. } => {
            subject.types.get(target).size > 0
        }
        _ => false,
    };
    (is_known && !subject.types.is_stream(target)).then_some(target)
}

/// The text or the element that was found; nothing if there is less than that.
pub fn value(types: &Types, image: &Image, pointee: TypeId, bytes: &[u8]) -> Option<Value> {
    let (count, bytes) = bytes.split_at_checked(size_of::<u64>())?;
    let count = usize::try_from(u64::from_le_bytes(count.try_into().ok()?)).ok()?;
    let bytes = &bytes[..count.min(bytes.len())];
    let size = usize::try_from(types.get(pointee).size).ok()?;
    if !is_character(types, pointee) {
        return bytes.get(..size).map(|bytes| image.read_value(types, pointee, bytes));
    }
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let characters =
        bytes[..=end].iter().map(|byte| image.read_value(types, pointee, std::slice::from_ref(byte)));
    (size == 1).then(|| Value::Array(characters.collect()))
}
