//! Parts of a value: the scalars in it and the arrays of scalars, each with its path from the whole.

use crate::emit::c::value::is_vector;
use testwright_base::case::Value;
use testwright_base::ids::TypeId;
use testwright_base::types::{Shape, Types};

/// A part of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Where it is, from the whole value.
    pub path: Vec<Step>,
    /// What it is.
    pub kind: PartKind,
    /// What it holds; of an array the elements.
    pub value: Value,
}

/// One step from a value to a part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// An element.
    Index(usize),
    /// A field.
    Field(String),
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// A scalar of this type.
    Scalar(TypeId),
    /// An array of scalars of this type.
    Elements(TypeId),
    /// The whole object, which must be as it was before the call.
    Kept,
    /// What a stream holds, byte by byte.
    Content,
    /// How many there were.
    Count,
}

impl Part {
    /// That the whole is as it was before.
    #[must_use]
    pub fn kept() -> Part {
        Part { path: Vec::new(), kind: PartKind::Kept, value: Value::Array(Vec::new()) }
    }

    /// Whether both hold the same at the same place. NaN is the same as any NaN, as tests assert no more; addresses
    /// only tell that they are not null.
    #[must_use]
    pub fn is_same(&self, other: &Part) -> bool {
        self.path == other.path && self.kind == other.kind && same(&self.value, &other.value)
    }

    /// The elements of an array, each as a part; a scalar is its own only element.
    #[must_use]
    pub fn split(&self) -> Vec<Part> {
        let (PartKind::Elements(element), Value::Array(values)) = (self.kind, &self.value) else {
            return vec![self.clone()];
        };
        let part = |(index, value): (usize, &Value)| {
            let path = self.path.iter().cloned().chain([Step::Index(index)]).collect();
            Part { path, kind: PartKind::Scalar(element), value: value.clone() }
        };
        values.iter().enumerate().map(part).collect()
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Address(_), Value::Address(_)) => true,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => one == other || is_nan(one) && is_nan(other),
    }
}

/// Whether the value is a NaN of any kind.
pub(crate) fn is_nan(value: &Value) -> bool {
    match value {
        Value::Single(bits) => f32::from_bits(*bits).is_nan(),
        Value::Double(bits) => f64::from_bits(*bits).is_nan(),
        // The integer bit of an extended number is set in every NaN that processors make.
        Value::Bytes(bytes) if bytes.len() >= 10 => {
            bytes[9] & 0x7f == 0x7f
                && bytes[8] == 0xff
                && (bytes[..7].iter().any(|byte| *byte != 0) || bytes[7] & 0x7f != 0)
        }
        _ => false,
    }
}

/// The parts of a value, in order. What cannot be asserted has none.
#[must_use]
pub fn parts_of(types: &Types, ty: TypeId, value: &Value) -> Vec<Part> {
    let mut walk = Walk { types, path: Vec::new(), parts: Vec::new() };
    walk.value(ty, value);
    walk.parts
}

/// What a stream holds, as its only part; nothing if that is not known.
pub(super) fn of_stream(content: Option<Vec<u8>>) -> Vec<Part> {
    let part = |content: Vec<u8>| {
        let bytes = content.into_iter().map(|byte| Value::Int(byte.into())).collect();
        Part { path: Vec::new(), kind: PartKind::Content, value: Value::Array(bytes) }
    };
    content.into_iter().map(part).collect()
}

/// The parts of several values of one type that lie side by side.
pub(super) fn of_elements(types: &Types, element: TypeId, values: &[Value]) -> Vec<Part> {
    let mut walk = Walk { types, path: Vec::new(), parts: Vec::new() };
    walk.elements(element, values);
    walk.parts
}

/// A path as C writes it: `[2].name`.
#[must_use]
pub fn spell_path(path: &[Step]) -> String {
    let spell = |step: &Step| match step {
        Step::Index(index) => format!("[{index}]"),
        Step::Field(name) => format!(".{name}"),
    };
    path.iter().map(spell).collect()
}

struct Walk<'a> {
    types: &'a Types,
    path: Vec<Step>,
    parts: Vec<Part>,
}

impl Walk<'_> {
    fn value(&mut self, ty: TypeId, value: &Value) {
        match (&self.types.get(ty).shape, value) {
            (Shape::Array { element, .. }, Value::Array(values)) if is_vector(self.types, ty) => {
                for (index, value) in values.iter().enumerate() {
                    self.within(Step::Index(index), |walk| walk.value(*element, value));
                }
            }
            (Shape::Array { element, .. }, Value::Array(values)) => self.elements(*element, values),
            (Shape::Record { fields, .. }, Value::Record(values)) => {
                for (field, value) in fields.iter().zip(values) {
                    self.field(field.name.as_deref(), field.ty, value);
                }
            }
            (Shape::Record { fields, .. }, Value::Member(member, value)) => {
                if let Some(field) = fields.get(*member) {
                    self.field(field.name.as_deref(), field.ty, value);
                }
            }
            (Shape::Array { .. } | Shape::Record { .. } | Shape::Void | Shape::Other(_), _) => {}
            (Shape::Function { .. }, _) => {}
            _ => self.push(PartKind::Scalar(ty), value.clone()),
        }
    }

    /// A field; those of a record without a name are reached without one. Unnamed bit-fields hold nothing.
    fn field(&mut self, name: Option<&str>, ty: TypeId, value: &Value) {
        match name {
            Some(name) => self.within(Step::Field(name.to_owned()), |walk| walk.value(ty, value)),
            None if matches!(self.types.get(ty).shape, Shape::Record { .. }) => self.value(ty, value),
            None => {}
        }
    }

    fn elements(&mut self, element: TypeId, values: &[Value]) {
        let whole = matches!(
            self.types.get(element).shape,
            Shape::Bool | Shape::Int { .. } | Shape::Enum { .. } | Shape::Float { bits: 32 | 64 }
        );
        if whole && !values.is_empty() && !values.iter().any(is_nan) {
            self.push(PartKind::Elements(element), Value::Array(values.to_vec()));
            return;
        }
        for (index, value) in values.iter().enumerate() {
            self.within(Step::Index(index), |walk| walk.value(element, value));
        }
    }

    fn push(&mut self, kind: PartKind, value: Value) {
        self.parts.push(Part { path: self.path.clone(), kind, value });
    }

    fn within(&mut self, step: Step, inner: impl FnOnce(&mut Self)) {
        self.path.push(step);
        inner(self);
        self.path.pop();
    }
}
