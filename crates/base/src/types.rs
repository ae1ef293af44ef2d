//! C types with their layout.
//!
//! A typedef is not a type of its own: its name is kept as the name of the type it stands for.

use crate::ids::TypeId;
use crate::tagged::Tagged;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// All types of a subject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Types {
    list: Vec<Type>,
    /// What the code takes a type for that says little about what lies there.
    meant: BTreeMap<TypeId, TypeId>,
    /// What typedefs stand for.
    #[serde(default)]
    aliases: BTreeMap<TypeId, TypeId>,
    /// What C declares a handle as.
    #[serde(default)]
    handles: BTreeMap<TypeId, TypeId>,
    /// Pointers to arguments that C hands over behind dots or as a `va_list`.
    #[serde(default)]
    lists: BTreeSet<TypeId>,
    /// What pointers promise of what they point to.
    #[serde(default)]
    qualified: BTreeMap<TypeId, Qualifiers>,
    /// What only a library makes objects of.
    #[serde(default)]
    foreign: BTreeSet<TypeId>,
    /// What lies behind a pointer to a stream of a case.
    #[serde(default)]
    stream: Option<TypeId>,
    /// The unions of structs whose members other fields tell.
    #[serde(default)]
    tagged: BTreeMap<TypeId, Vec<Tagged>>,
}

/// What C says of an object besides its type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Qualifiers {
    /// `const`
    pub constant: bool,
    /// `volatile`
    pub volatile: bool,
}

impl Qualifiers {
    /// Those that both have.
    #[must_use]
    pub fn common(self, other: Qualifiers) -> Qualifiers {
        Qualifiers { constant: self.constant && other.constant, volatile: self.volatile && other.volatile }
    }

    /// Those that one of them has.
    #[must_use]
    pub fn joined(self, other: Qualifiers) -> Qualifiers {
        Qualifiers { constant: self.constant || other.constant, volatile: self.volatile || other.volatile }
    }
}

impl fmt::Display for Qualifiers {
    /// Each with a blank after it: `const volatile `.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.constant { "const " } else { "" })?;
        f.write_str(if self.volatile { "volatile " } else { "" })
    }
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Type {
    /// What a C programmer writes, without pointers and arrays: `int`, `struct point`, `size_t`.
    pub name: Option<String>,
    /// Size in bytes; 0 for void, functions and incomplete types.
    pub size: u64,
    /// Alignment in bytes, at least 1.
    pub align: u64,
    /// What it is.
    pub shape: Shape,
}

/// What a type is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer; `character` for the char types.
    Int {
        /// Width in bits.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
        /// Whether it is one of the char types.
        character: bool,
    },
    /// IEEE single or double, or x87 extended (80 bits).
    Float {
        /// 32, 64 or 80.
        bits: u32,
    },
    /// An enumeration.
    Enum {
        /// Width in bits of the underlying integer.
        bits: u32,
        /// Whether that has a sign.
        signed: bool,
        /// Declared constants, in order.
        constants: Vec<(String, i128)>,
    },
    /// A pointer to a type.
    Pointer(TypeId),
    /// An array; no count for `T[]`.
    Array {
        /// Type of the elements.
        element: TypeId,
        /// How many, if known.
        count: Option<u64>,
    },
    /// A struct or union.
    Record {
        /// Whether it is a union.
        union: bool,
        /// Its fields; none if it is incomplete.
        fields: Vec<Field>,
        /// Whether the definition is known.
        complete: bool,
    },
    /// A function type, as pointers to functions have it.
    Function {
        /// The result.
        result: TypeId,
        /// The parameters.
        params: Vec<TypeId>,
        /// Whether more arguments may follow.
        variadic: bool,
    },
    /// Something we cannot build values of, and what it is.
    Other(String),
}

/// A field of a struct or union.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name; none for an anonymous struct or union inside.
    pub name: Option<String>,
    /// Its type.
    pub ty: TypeId,
    /// Offset from the start of the record, in bits.
    pub offset_bits: u64,
    /// Width of a bit-field.
    pub bit_width: Option<u32>,
}

impl Types {
    /// Adds a type.
    pub fn push(&mut self, ty: Type) -> TypeId {
        self.list.push(ty);
        TypeId::of(self.list.len() - 1)
    }

    /// The type of this id.
    ///
    /// # Panics
    /// If the id is of another subject.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.index()]
    }

    /// Replaces a type, for records that mention themselves.
    pub fn set(&mut self, id: TypeId, ty: Type) {
        self.list[id.index()] = ty;
    }

    /// From now on a type is a typedef of another one.
    pub fn alias(&mut self, ty: TypeId, original: TypeId) {
        self.aliases.insert(ty, self.unaliased(original));
    }

    /// What a typedef stands for; the type itself if it is none.
    #[must_use]
    pub fn unaliased(&self, ty: TypeId) -> TypeId {
        self.aliases.get(&ty).copied().unwrap_or(ty)
    }

    /// A pointer type of its own that is declared like `pointer` and leads to elements of this type in truth.
    pub fn mean(&mut self, pointer: TypeId, element: TypeId) -> TypeId {
        let Shape::Pointer(target) = self.get(pointer).shape else { return pointer };
        let target = self.push(self.get(target).clone());
        self.meant.insert(target, element);
        let meaning = self.push(Type { shape: Shape::Pointer(target), ..self.get(pointer).clone() });
        self.qualify(meaning, self.behind(pointer));
        meaning
    }

    /// From now on only a library makes objects of these types.
    pub fn set_foreign(&mut self, types: impl IntoIterator<Item = TypeId>) {
        self.foreign.extend(types);
    }

    /// Whether only a library makes objects of this type. Some are streams of a case in truth.
    #[must_use]
    pub fn is_foreign(&self, ty: TypeId) -> bool {
        self.foreign.contains(&ty)
    }

    /// From now on pointers to these types lead to streams, which are of type `stream`.
    pub(crate) fn lead_to_streams(&mut self, files: &[TypeId], stream: TypeId) {
        self.meant.extend(files.iter().map(|file| (*file, stream)));
        self.stream = Some(stream);
    }

    /// Whether objects of this type are streams of a case.
    #[must_use]
    pub fn is_stream(&self, ty: TypeId) -> bool {
        self.stream == Some(ty)
    }

    /// From now on what a pointer of this type points to is qualified like this.
    pub fn qualify(&mut self, pointer: TypeId, qualifiers: Qualifiers) {
        self.qualified.insert(pointer, qualifiers);
    }

    /// How C qualifies what a pointer of this type points to.
    #[must_use]
    pub fn behind(&self, pointer: TypeId) -> Qualifiers {
        self.qualified.get(&pointer).copied().unwrap_or_default()
    }

    /// What the code takes a type for, if it is declared as something that says less.
    #[must_use]
    pub fn meant(&self, target: TypeId) -> Option<TypeId> {
        self.meant.get(&target).copied()
    }

    /// From now on C declares a type as another one.
    pub fn declare_as(&mut self, ty: TypeId, declared: TypeId) {
        self.handles.insert(ty, declared);
    }

    /// What C declares a handle as; none if the type is no handle.
    #[must_use]
    pub fn declared_as(&self, ty: TypeId) -> Option<TypeId> {
        self.handles.get(&ty).copied()
    }

    /// A type for lists of arguments that are such slots: C calls it `va_list`, a case has an object with one slot after the other.
    pub fn list_of(&mut self, slot: TypeId) -> TypeId {
        let name = Some("va_list".to_owned());
        let list = self.push(Type { name, size: 8, align: 8, shape: Shape::Pointer(slot) });
        self.lists.insert(list);
        list
    }

    /// Whether values of this type are lists of arguments.
    #[must_use]
    pub fn is_list(&self, ty: TypeId) -> bool {
        self.lists.contains(&ty)
    }

    /// From now on these unions of a struct have tags.
    pub fn set_tagged(&mut self, record: TypeId, tagged: Vec<Tagged>) {
        self.tagged.insert(record, tagged);
    }

    /// The unions of a struct that have tags.
    #[must_use]
    pub fn tagged(&self, record: TypeId) -> &[Tagged] {
        self.tagged.get(&record).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether any union has a tag.
    #[must_use]
    pub fn has_tagged(&self) -> bool {
        !self.tagged.is_empty()
    }

    /// Whether values of this type are the slots of a list of arguments.
    #[must_use]
    pub fn is_slot(&self, ty: TypeId) -> bool {
        self.lists.iter().any(|list| self.get(*list).shape == Shape::Pointer(ty))
    }

    /// How many types there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a place of type `place` can hold what a function returned whose result has type `result`: any pointer goes into
    /// any pointer, and otherwise both are scalars of one kind and size.
    #[must_use]
    pub fn can_hold(&self, place: TypeId, result: TypeId) -> bool {
        let (place, result) = (self.get(place), self.get(result));
        let is_integer =
            |shape: &Shape| matches!(shape, Shape::Bool | Shape::Int { .. } | Shape::Enum { .. });
        match (&place.shape, &result.shape) {
            (Shape::Pointer(_), Shape::Pointer(_)) => true,
            (Shape::Float { bits: 32 | 64 }, Shape::Float { .. }) => place.size == result.size,
            (own, other) => is_integer(own) && is_integer(other) && place.size == result.size,
        }
    }

    /// The type as C writes it: `const` left out, `char *`, `int [3]`, `struct point`.
    #[must_use]
    pub fn spell(&self, id: TypeId) -> String {
        let id = self.declared_as(id).unwrap_or(id);
        let ty = self.get(id);
        if let Some(name) = &ty.name {
            return name.clone();
        }
        match &ty.shape {
            Shape::Pointer(target) => match &self.get(*target).shape {
                Shape::Function { result, params, .. } if self.get(*target).name.is_none() => {
                    format!("{} (*)({})", self.spell(*result), self.spell_list(params))
                }
                Shape::Array { .. } if self.get(*target).name.is_none() => {
                    let (element, lengths) = self.dimensions(*target);
                    format!("{} (*){lengths}", self.spell(element))
                }
                _ => {
                    let target = self.spell(*target);
                    format!("{target}{}*", if target.ends_with('*') { "" } else { " " })
                }
            },
            Shape::Array { .. } => {
                let (element, lengths) = self.dimensions(id);
                format!("{} {lengths}", self.spell(element))
            }
            Shape::Function { result, params, .. } => {
                format!("{} ({})", self.spell(*result), self.spell_list(params))
            }
            Shape::Record { union, .. } => (if *union { "union {..}" } else { "struct {..}" }).to_owned(),
            Shape::Enum { .. } => "enum {..}".to_owned(),
            Shape::Void => "void".to_owned(),
            Shape::Bool => "_Bool".to_owned(),
            Shape::Int { bits, signed, .. } => format!("{}int{bits}_t", if *signed { "" } else { "u" }),
            Shape::Float { bits } => match bits {
                32 => "float".to_owned(),
                64 => "double".to_owned(),
                _ => "long double".to_owned(),
            },
            Shape::Other(what) => what.clone(),
        }
    }

    /// `count` elements of a type, as C writes the type of such an array.
    #[must_use]
    pub fn spell_array(&self, element: TypeId, count: usize) -> String {
        let (innermost, lengths) = self.dimensions(element);
        format!("{} [{count}]{lengths}", self.spell(innermost))
    }

    /// The element of an array of arrays, and all lengths from the outside in.
    fn dimensions(&self, id: TypeId) -> (TypeId, String) {
        let (mut element, mut lengths) = (id, String::new());
        while let Type { name: None, shape: Shape::Array { element: inner, count }, .. } = self.get(element) {
            lengths += &format!("[{}]", count.map(|count| count.to_string()).unwrap_or_default());
            element = *inner;
        }
        (element, lengths)
    }

    fn spell_list(&self, ids: &[TypeId]) -> String {
        if ids.is_empty() {
            return "void".to_owned();
        }
        ids.iter().map(|id| self.spell(*id)).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn types_are_spelt_as_c_spells_them() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let row = sample::array(&mut types, int, 3);
        let rows = sample::array(&mut types, row, 2);
        let to_row = sample::pointer(&mut types, row);
        let to_int = sample::pointer(&mut types, int);
        let twice = sample::pointer(&mut types, to_int);
        let shape = Shape::Function { result: int, params: vec![to_int], variadic: false };
        let function = types.push(Type { name: None, size: 0, align: 1, shape });
        let callback = sample::pointer(&mut types, function);
        let spelt = [row, rows, to_row, to_int, twice, callback].map(|id| types.spell(id));
        assert_eq!(spelt, ["int [3]", "int [2][3]", "int (*)[3]", "int *", "int **", "int (*)(int *)"]);
        assert_eq!(types.spell_array(row, 5), "int [5][3]");
    }

    #[test]
    fn a_typedef_of_a_typedef_stands_for_what_that_one_stands_for() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let (once, twice) = (types.push(types.get(int).clone()), types.push(types.get(int).clone()));
        types.alias(once, int);
        types.alias(twice, once);
        assert_eq!([int, once, twice].map(|ty| types.unaliased(ty)), [int; 3]);
    }
}
