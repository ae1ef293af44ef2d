//! What the arguments of a list are, for the check of formats in `runtime/models/src/stdio/format.rs`.
//!
//! One letter for each argument lies at the start of the page at whose end the list lies, in reverse: whoever has the address of an argument
//! finds its letter, and the list may grow.
//!
//! ```text
//!  sd..................[ int ][ text ] | guard
//!  ^ page                         page ^
//! ```

use super::ImageError;
use testwright_abi::memory::PAGE;
use testwright_base::case::Value;
use testwright_base::ids::TypeId;
use testwright_base::subject::Signature;
use testwright_base::types::{Shape, Types};

/// The statement that makes the list of a call, if it has one.
pub(super) fn list(types: &Types, signature: &Signature, arguments: &[Value]) -> Option<usize> {
    let mut given = signature.params.iter().zip(arguments);
    match given.find(|(param, _)| types.is_list(param.ty))? {
        (_, Value::Pointer { object, .. }) => Some(*object),
        _ => None,
    }
}

/// Writes the letters of a list into its page.
pub(super) fn write_letters(
    types: &Types,
    element: TypeId,
    values: &[Value],
    pages: &mut [u8],
) -> Result<(), ImageError> {
    let mut letters = Vec::new();
    values.iter().for_each(|value| add_letters(types, element, value, &mut letters));
    let needed = 9 * letters.len() as u64;
    if needed > PAGE {
        return Err(ImageError::TooLarge { needed, available: PAGE });
    }
    for (place, letter) in pages.iter_mut().zip(letters.into_iter().rev()) {
        *place = letter;
    }
    Ok(())
}

fn add_letters(types: &Types, ty: TypeId, value: &Value, letters: &mut Vec<u8>) {
    match (&types.get(ty).shape, value) {
        (Shape::Record { fields, .. }, Value::Record(values)) => {
            for (field, value) in fields.iter().zip(values) {
                add_letters(types, field.ty, value, letters);
            }
        }
        (Shape::Record { fields, .. }, Value::Member(member, value)) if *member < fields.len() => {
            add_letters(types, fields[*member].ty, value, letters);
        }
        (Shape::Int { bits: 32, .. }, _) => letters.push(b'd'),
        (Shape::Int { .. }, _) => letters.push(b'l'),
        (Shape::Float { .. }, _) => letters.push(b'f'),
        (Shape::Pointer(_), _) => letters.push(b's'),
        _ => letters.push(0),
    }
}
