//! Where values lie in memory: the argument block of a call, and the scalars inside a value.

use crate::case::Value;
use crate::ids::TypeId;
use crate::subject::Signature;
use crate::types::{Field, Shape, Types};
use std::fmt::{self, Write};

/// Size in bytes of a pointer; x86-64 only.
pub const POINTER_BYTES: u64 = 8;
/// Bytes of an x87 extended number that mean something; the rest of a `long double` is padding.
pub const EXTENDED_BYTES: u64 = 10;

/// The block of memory from which the driver of a function loads the arguments.
///
/// Parameters lie in order, each at the next multiple of its alignment, at least 8; so host and driver agree
/// without a table. The size is a multiple of the block's alignment, so the block can end at the end of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentBlock {
    /// Offset of each parameter, in bytes.
    pub offsets: Vec<u64>,
    /// Size in bytes, a multiple of `align`.
    pub size: u64,
    /// Alignment in bytes: 16, or more if a parameter asks for it.
    pub align: u64,
}

impl ArgumentBlock {
    /// The block for these parameters.
    #[must_use]
    pub fn new(types: &Types, signature: &Signature) -> ArgumentBlock {
        let mut block = ArgumentBlock { offsets: Vec::new(), size: 0, align: 16 };
        for param in &signature.params {
            let ty = types.get(param.ty);
            let offset = block.size.next_multiple_of(ty.align.max(8));
            block.offsets.push(offset);
            block.size = offset + ty.size;
            block.align = block.align.max(ty.align);
        }
        block.size = block.size.next_multiple_of(block.align);
        block
    }
}

/// A scalar inside a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalarLeaf {
    /// Offset from the start of the value, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Its type; for a byte of bit-fields that of the first field in it.
    pub ty: TypeId,
    /// What the bytes are.
    pub kind: LeafKind,
    /// Whether it is an element of an array, or part of one.
    pub element: bool,
}

/// What the bytes of a leaf are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// The whole scalar.
    Scalar,
    /// An element of an array of characters.
    Character {
        /// Whether it is the last one.
        last: bool,
    },
    /// A byte that holds bits of one or more bit-fields.
    Bits,
}

/// The scalars of a type, in the order of their offsets where unions allow it. Pointers are scalars; of a union the
/// largest member counts, the first of them if there are several. What we cannot build has no leaves.
#[must_use]
pub fn leaves(types: &Types, ty: TypeId) -> Vec<ScalarLeaf> {
    let mut leaves = Vec::new();
    Walk { types, path: None, element: false, found: &mut |leaf, _| leaves.push(leaf) }.value(
        ty,
        0,
        None,
        LeafKind::Scalar,
    );
    leaves
}

/// Visits what [`leaves`] lists, but of a union the member that `value` has.
pub fn each_leaf(types: &Types, ty: TypeId, value: &Value, visit: &mut dyn FnMut(ScalarLeaf)) {
    Walk { types, path: None, element: false, found: &mut |leaf, _| visit(leaf) }.value(
        ty,
        0,
        Some(value),
        LeafKind::Scalar,
    );
}

/// As [`leaves`], each with the name that C has for it, seen from the whole value: empty, `.x`, `[3].y`. For a byte of bit-fields
/// these are the names of the fields in it and its offset in the value: `.a+b@4`. Of a union the member that `value` has counts,
/// if there is a value.
#[must_use]
pub fn named_leaves(types: &Types, ty: TypeId, value: Option<&Value>) -> Vec<(ScalarLeaf, String)> {
    let mut named = Vec::new();
    let found = &mut |leaf, path: &str| named.push((leaf, path.to_owned()));
    Walk { types, path: Some(String::new()), element: false, found }.value(ty, 0, value, LeafKind::Scalar);
    named
}

/// The member of a union that stands for it when nobody says which: the largest, the first of those.
#[must_use]
pub fn largest_member(types: &Types, fields: &[Field]) -> Option<usize> {
    let size = |field: &Field| types.get(field.ty).size;
    let largest = fields.iter().map(size).max()?;
    fields.iter().position(|field| size(field) == largest)
}

/// Width and signedness of the integers that a type holds; none if it holds none.
#[must_use]
pub fn integer(types: &Types, ty: TypeId) -> Option<(u32, bool)> {
    match types.get(ty).shape {
        Shape::Bool => Some((1, false)),
        Shape::Int { bits, signed, .. } | Shape::Enum { bits, signed, .. } => Some((bits, signed)),
        _ => None,
    }
}

/// Whether the type is one of the char types.
#[must_use]
pub fn is_character(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty).shape, Shape::Int { character: true, bits: 8, .. })
}

struct Walk<'a> {
    types: &'a Types,
    /// How C names what is being looked at, if that is asked for.
    path: Option<String>,
    /// Whether that lies in an array.
    element: bool,
    found: &'a mut dyn FnMut(ScalarLeaf, &str),
}

impl Walk<'_> {
    fn value(&mut self, ty: TypeId, offset: u64, value: Option<&Value>, kind: LeafKind) {
        let definition = self.types.get(ty);
        match &definition.shape {
            Shape::Bool
            | Shape::Int { .. }
            | Shape::Float { .. }
            | Shape::Enum { .. }
            | Shape::Pointer(_) => {
                // What an earlier call returned is no input.
                if matches!(value, Some(Value::Returned { .. })) {
                    return;
                }
                let leaf = ScalarLeaf { offset, bytes: definition.size, ty, kind, element: self.element };
                (self.found)(leaf, self.path.as_deref().unwrap_or_default());
            }
            Shape::Array { element, count } => {
                let size = self.types.get(*element).size;
                let character = is_character(self.types, *element);
                let count = match value {
                    // Answers of a stub may be fewer than there is room for.
                    Some(Value::Array(values)) => count.unwrap_or(0).min(values.len() as u64),
                    _ => count.unwrap_or(0),
                };
                let was_element = std::mem::replace(&mut self.element, true);
                for index in 0..count {
                    let last = index + 1 == count;
                    let kind = if character { LeafKind::Character { last } } else { LeafKind::Scalar };
                    let inner = match value {
                        Some(Value::Array(values)) => values.get(index as usize),
                        _ => None,
                    };
                    self.within(format_args!("[{index}]"), |walk| {
                        walk.value(*element, offset + index * size, inner, kind);
                    });
                }
                self.element = was_element;
            }
            Shape::Record { union: true, fields, .. } => {
                let (member, inner) = match value {
                    Some(Value::Member(member, inner)) => (Some(*member), Some(&**inner)),
                    _ => (largest_member(self.types, fields), None),
                };
                if let Some(field) = member.and_then(|member| fields.get(member)) {
                    self.fields(std::slice::from_ref(field), offset, &[inner]);
                }
            }
            Shape::Record { union: false, fields, .. } => {
                let values: Vec<Option<&Value>> = match value {
                    Some(Value::Record(values)) => values.iter().map(Some).collect(),
                    _ => Vec::new(),
                };
                self.fields(fields, offset, &values);
            }
            Shape::Void | Shape::Function { .. } | Shape::Other(_) => {}
        }
    }

    fn fields(&mut self, fields: &[Field], offset: u64, values: &[Option<&Value>]) {
        let mut bits_until = 0;
        for (index, field) in fields.iter().enumerate() {
            if field.bit_width.is_some() {
                self.bytes_of_bits(fields, index, offset, &mut bits_until);
                continue;
            }
            let inner = values.get(index).copied().flatten();
            let (dot, name) = field.name.as_ref().map_or(("", ""), |name| (".", name));
            self.within(format_args!("{dot}{name}"), |walk| {
                walk.value(field.ty, offset + field.offset_bits / 8, inner, LeafKind::Scalar);
            });
        }
    }

    /// The bytes of the bit-field at `index` that no earlier bit-field has touched.
    fn bytes_of_bits(&mut self, fields: &[Field], index: usize, offset: u64, until: &mut u64) {
        let (first, last) = bytes_of(&fields[index]);
        for byte in first.max(*until)..=last {
            let path = self.path.as_ref().map(|path| {
                let shares = |field: &&Field| {
                    field.bit_width.is_some() && (bytes_of(field).0..=bytes_of(field).1).contains(&byte)
                };
                let names: Vec<&str> =
                    fields.iter().filter(shares).filter_map(|field| field.name.as_deref()).collect();
                format!("{path}.{}@{}", names.join("+"), offset + byte)
            });
            let leaf = ScalarLeaf {
                offset: offset + byte,
                bytes: 1,
                ty: fields[index].ty,
                kind: LeafKind::Bits,
                element: self.element,
            };
            (self.found)(leaf, path.as_deref().unwrap_or_default());
        }
        *until = (last + 1).max(*until);
    }

    /// Calls `inner` with `part` added to the path, if there is one, and takes it off again.
    fn within(&mut self, part: fmt::Arguments<'_>, inner: impl FnOnce(&mut Self)) {
        let length = self.path.as_ref().map_or(0, String::len);
        if let Some(path) = &mut self.path {
            // A struct may have thousands of parts, so their names are written in place. Writing to a string cannot fail.
            let _ = path.write_fmt(part);
        }
        inner(self);
        if let Some(path) = &mut self.path {
            path.truncate(length);
        }
    }
}

/// The first and last byte of its record that a bit-field touches.
fn bytes_of(field: &Field) -> (u64, u64) {
    let width = u64::from(field.bit_width.unwrap_or(1)).max(1);
    (field.offset_bits / 8, (field.offset_bits + width - 1) / 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, Member, record};
    use crate::subject::Param;

    fn paths(types: &Types, ty: TypeId) -> Vec<(String, u64, u64)> {
        let named = named_leaves(types, ty, None).into_iter();
        named.map(|(leaf, path)| (path, leaf.offset, leaf.bytes)).collect()
    }

    fn expect(types: &Types, ty: TypeId, expected: &[(&str, u64, u64)]) {
        let expected: Vec<_> =
            expected.iter().map(|(path, offset, bytes)| ((*path).to_owned(), *offset, *bytes)).collect();
        assert_eq!(paths(types, ty), expected);
    }

    #[test]
    fn arguments_lie_in_order_at_multiples_of_eight_or_sixteen() {
        let mut types = Types::default();
        let char = sample::int(&mut types, "char", 8, true);
        let wide = sample::int(&mut types, "__int128", 128, true);
        let int = sample::int(&mut types, "int", 32, true);
        let params = [char, wide, int, char].map(|ty| Param { name: "x".to_owned(), ty }).to_vec();
        let block = ArgumentBlock::new(&types, &Signature { params, result: int, variadic: false });
        assert_eq!(block, ArgumentBlock { offsets: vec![0, 16, 32, 40], size: 48, align: 16 });
        let none =
            ArgumentBlock::new(&types, &Signature { params: Vec::new(), result: int, variadic: false });
        assert_eq!((none.offsets.len(), none.size), (0, 0));
    }

    #[test]
    fn leaves_are_named_as_c_names_them() {
        let mut types = Types::default();
        let char = sample::int(&mut types, "char", 8, true);
        let int = sample::int(&mut types, "int", 32, true);
        let text = sample::array(&mut types, char, 2);
        let pointer = sample::pointer(&mut types, int);
        let inner = record(&mut types, None, false, &[Member::new("x", int)]);
        let members = [
            Member::new("t", text),
            Member::new("p", pointer),
            Member::anonymous(inner),
            Member::new("n", int),
        ];
        let outer = record(&mut types, Some("struct s"), false, &members);
        let both = sample::array(&mut types, outer, 1);
        expect(
            &types,
            both,
            &[("[0].t[0]", 0, 1), ("[0].t[1]", 1, 1), ("[0].p", 8, 8), ("[0].x", 16, 4), ("[0].n", 20, 4)],
        );
        assert_eq!(leaves(&types, both)[0].kind, LeafKind::Character { last: false });
        assert_eq!(leaves(&types, both)[1].kind, LeafKind::Character { last: true });
        assert_eq!(leaves(&types, char)[0].kind, LeafKind::Scalar);
    }

    #[test]
    fn a_union_is_taken_by_its_largest_member_or_by_the_one_it_has() {
        let mut types = Types::default();
        let char = sample::int(&mut types, "char", 8, true);
        let int = sample::int(&mut types, "int", 32, true);
        let float = sample::float(&mut types, 32);
        let members = [Member::new("c", char), Member::new("i", int), Member::new("f", float)];
        let union = record(&mut types, Some("union u"), true, &members);
        expect(&types, union, &[(".i", 0, 4)]);
        let value = Value::Member(2, Box::new(Value::Single(0)));
        let (leaf, path) = named_leaves(&types, union, Some(&value)).remove(0);
        assert_eq!((path.as_str(), leaf.ty), (".f", float));
    }

    #[test]
    fn bit_fields_are_leaves_by_the_byte() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "unsigned int", 32, false);
        let members = [
            Member::bits("a", int, 3),
            Member::bits("b", int, 7),
            Member::bits("c", int, 10),
            Member::new("n", int),
        ];
        let record = record(&mut types, Some("struct b"), false, &members);
        // a: bits 0 to 2, b: 3 to 9, c: 10 to 19.
        expect(&types, record, &[(".a+b@0", 0, 1), (".b+c@1", 1, 1), (".c@2", 2, 1), (".n", 4, 4)]);
    }
}
