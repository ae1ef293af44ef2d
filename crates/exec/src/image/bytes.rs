//! Values as bytes in memory, and back.

use super::{Image, ImageError, Part};
use testwright_abi::memory::{stub_address, stub_at};
use testwright_base::case::Value;
use testwright_base::ids::StubId;
use testwright_base::ids::TypeId;
use testwright_base::layout::{EXTENDED_BYTES, integer, largest_member};
use testwright_base::site::sign_extend;
use testwright_base::types::{Field, Shape, Types};

/// What bytes hold that C leaves open.
const UNSPECIFIED: u8 = 0xaa;

/// Writes `value` to the start of `out`, which is zero and at least as long as the type.
pub(super) fn encode(
    image: &Image,
    types: &Types,
    ty: TypeId,
    value: &Value,
    out: &mut [u8],
) -> Result<(), ImageError> {
    let definition = types.get(ty);
    let size = definition.size as usize;
    match (value, &definition.shape) {
        (Value::Int(value), Shape::Bool | Shape::Int { .. } | Shape::Enum { .. }) => {
            put(out, size, &value.to_le_bytes());
        }
        (Value::Single(bits), Shape::Float { bits: 32 }) => put(out, size, &bits.to_le_bytes()),
        (Value::Double(bits), Shape::Float { bits: 64 }) => put(out, size, &bits.to_le_bytes()),
        (Value::Null, Shape::Pointer(_)) => {}
        (Value::Stub(stub), Shape::Pointer(_)) => {
            put(out, size, &stub_address(stub.index() as u64).to_le_bytes());
        }
        (Value::Address(address), Shape::Pointer(_)) => put(out, size, &address.to_le_bytes()),
        (Value::Pointer { object, offset }, Shape::Pointer(_)) => {
            let span = image.object(*object).ok_or(ImageError::NoObject(*object))?;
            put(out, size, &span.address.wrapping_add(*offset).to_le_bytes());
        }
        (Value::Returned { call }, shape) => {
            let part = image.part(Part::ResultBefore(*call)).ok_or(ImageError::NoResult(*call))?;
            // Whoever reads the case from these bytes knows the call by the place of its result; a number is kept.
            if matches!(shape, Shape::Pointer(_)) {
                put(out, size, &image.spans[part].address.to_le_bytes());
            }
        }
        (Value::Array(values), Shape::Array { element, count })
            if values.len() as u64 == count.unwrap_or(0) =>
        {
            let size = types.get(*element).size as usize;
            for (index, value) in values.iter().enumerate() {
                encode(image, types, *element, value, &mut out[index * size..])?;
            }
        }
        (Value::Record(values), Shape::Record { union: false, fields, .. })
            if values.len() == fields.len() =>
        {
            for (field, value) in fields.iter().zip(values) {
                encode_field(image, types, field, value, out)?;
            }
        }
        (Value::Member(member, value), Shape::Record { union: true, fields, .. })
            if *member < fields.len() =>
        {
            let field = &fields[*member];
            encode_field(image, types, field, value, out)?;
            // C leaves open what lies behind a smaller member, so whoever reads it there must not find zeros.
            let end = types.get(field.ty).size as usize;
            if field.bit_width.is_none() && end < size {
                out[end..size].fill(UNSPECIFIED);
            }
        }
        (Value::Bytes(bytes), _) if bytes.len() <= size => put(out, bytes.len(), bytes),
        _ => return Err(ImageError::Mismatch(types.spell(ty))),
    }
    Ok(())
}

/// Writes the answers of a stub, which may be fewer than there is room for: the last one fills the rest.
pub(super) fn encode_answers(
    image: &Image,
    types: &Types,
    ty: TypeId,
    value: &Value,
    out: &mut [u8],
) -> Result<(), ImageError> {
    let mismatch = || ImageError::Mismatch(types.spell(ty));
    let (Shape::Array { element, count: Some(count) }, Value::Array(values)) = (&types.get(ty).shape, value)
    else {
        return Err(mismatch());
    };
    if values.len() as u64 > *count {
        return Err(mismatch());
    }
    let size = types.get(*element).size as usize;
    let Some(last) = values.last() else { return Ok(()) };
    for (index, place) in out.chunks_exact_mut(size.max(1)).enumerate() {
        encode(image, types, *element, values.get(index).unwrap_or(last), place)?;
    }
    Ok(())
}

fn put(out: &mut [u8], size: usize, bytes: &[u8]) {
    let count = size.min(bytes.len());
    out[..count].copy_from_slice(&bytes[..count]);
}

fn encode_field(
    image: &Image,
    types: &Types,
    field: &Field,
    value: &Value,
    out: &mut [u8],
) -> Result<(), ImageError> {
    match (field.bit_width, value) {
        (None, _) => encode(image, types, field.ty, value, &mut out[(field.offset_bits / 8) as usize..]),
        (Some(width), Value::Int(value)) => {
            for bit in 0..u64::from(width) {
                let place = field.offset_bits + bit;
                out[(place / 8) as usize] |= ((value >> bit & 1) as u8) << (place % 8);
            }
            Ok(())
        }
        (Some(_), _) => Err(ImageError::Mismatch(types.spell(field.ty))),
    }
}

/// The value at the start of `bytes`; `before` says which member of a union is meant.
pub(super) fn decode(
    image: &Image,
    types: &Types,
    ty: TypeId,
    bytes: &[u8],
    before: Option<&Value>,
) -> Value {
    let definition = types.get(ty);
    let size = definition.size as usize;
    match &definition.shape {
        Shape::Pointer(_) => {}
        _ if matches!(before, Some(Value::Returned { .. })) => return before.cloned().unwrap_or(Value::Null),
        _ => {}
    }
    match &definition.shape {
        Shape::Bool | Shape::Int { .. } | Shape::Enum { .. } => {
            let (bits, signed) = match integer(types, ty) {
                // Whatever the byte of a `_Bool` holds is worth seeing.
                None | Some((1, _)) => (8, false),
                Some(kind) => kind,
            };
            Value::Int(extend(unsigned(&bytes[..size]), bits, signed))
        }
        Shape::Float { bits: 32 } => Value::Single(unsigned(&bytes[..size]) as u32),
        Shape::Float { bits: 64 } => Value::Double(unsigned(&bytes[..size]) as u64),
        Shape::Float { .. } => Value::Bytes(bytes[..EXTENDED_BYTES as usize].to_vec()),
        Shape::Pointer(_) => {
            let address = unsigned(&bytes[..size]) as u64;
            let stub = stub_at(address).map(|stub| Value::Stub(StubId::of(stub as usize)));
            stub.unwrap_or_else(|| image.pointer(address))
        }
        Shape::Array { element, count } => {
            let size = types.get(*element).size as usize;
            let element_before = |index: usize| match before {
                Some(Value::Array(values)) => values.get(index),
                _ => None,
            };
            let read = |index| decode(image, types, *element, &bytes[index * size..], element_before(index));
            Value::Array((0..count.unwrap_or(0) as usize).map(read).collect())
        }
        Shape::Record { union: true, fields, .. } => {
            let (member, inner) = match before {
                Some(Value::Member(member, inner)) => (Some(*member), Some(&**inner)),
                _ => (largest_member(types, fields), None),
            };
            match member.and_then(|member| Some((member, fields.get(member)?))) {
                Some((member, field)) => {
                    Value::Member(member, Box::new(decode_field(image, types, field, bytes, inner)))
                }
                None => Value::Bytes(bytes[..size].to_vec()),
            }
        }
        Shape::Record { complete: true, fields, .. } => {
            let field_before = |index: usize| match before {
                Some(Value::Record(values)) => values.get(index),
                _ => None,
            };
            let read = |(index, field)| decode_field(image, types, field, bytes, field_before(index));
            Value::Record(fields.iter().enumerate().map(read).collect())
        }
        Shape::Record { .. } | Shape::Void | Shape::Function { .. } | Shape::Other(_) => {
            Value::Bytes(bytes[..size].to_vec())
        }
    }
}

fn decode_field(image: &Image, types: &Types, field: &Field, bytes: &[u8], before: Option<&Value>) -> Value {
    let Some(width) = field.bit_width else {
        return decode(image, types, field.ty, &bytes[(field.offset_bits / 8) as usize..], before);
    };
    let bit = |bit: u64| {
        let place = field.offset_bits + bit;
        u128::from(bytes[(place / 8) as usize] >> (place % 8) & 1) << bit
    };
    let bits = (0..u64::from(width)).map(bit).sum();
    let signed = integer(types, field.ty).is_some_and(|(_, signed)| signed);
    Value::Int(extend(bits, width, signed))
}

/// Little-endian bytes as a number; those beyond the sixteenth are ignored.
fn unsigned(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    let count = bytes.len().min(16);
    all[..count].copy_from_slice(&bytes[..count]);
    u128::from_le_bytes(all)
}

fn extend(bits: u128, width: u32, signed: bool) -> i128 {
    let mask = u128::MAX >> (128 - width.clamp(1, 128));
    if signed { sign_extend(bits & mask, width) } else { (bits & mask) as i128 }
}
