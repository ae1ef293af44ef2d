//! The scalars of a case with their types and where they are, in order.

use super::LOOKED_AT;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::layout::integer;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

/// A scalar.
#[derive(Debug, Clone)]
pub(super) struct Scalar {
    /// The statement that it belongs to.
    pub statement: usize,
    /// Which element or field leads to it, step by step.
    path: Vec<u32>,
    /// Its type.
    pub ty: TypeId,
    /// The width of a bit-field.
    pub width: Option<u32>,
    /// Its value.
    pub value: Value,
}

impl Scalar {
    /// Where a case holds it.
    pub(super) fn held_in<'a>(&self, case: &'a mut Case) -> Option<&'a mut Value> {
        self.held_in_statement(case.statements.get_mut(self.statement)?)
    }

    /// Where its statement holds it.
    pub(super) fn held_in_statement<'a>(&self, statement: &'a mut Statement) -> Option<&'a mut Value> {
        let (mut held, path) = match statement {
            Statement::Set { value, .. } => (value, self.path.as_slice()),
            Statement::Object { values, .. } | Statement::Call { arguments: values, .. } => {
                let (first, path) = self.path.split_first()?;
                (values.get_mut(*first as usize)?, path)
            }
        };
        for step in path {
            held = match held {
                Value::Array(values) | Value::Record(values) => values.get_mut(*step as usize)?,
                Value::Member(_, value) => value,
                _ => return None,
            };
        }
        Some(held)
    }
}

/// The scalars of a case; of one that has many only those that are not as plain as can be.
pub(super) fn scalars(subject: &Subject, case: &Case) -> Vec<Scalar> {
    let mut walk = Walk { types: &subject.types, statement: 0, path: Vec::new(), scalars: Vec::new() };
    for (index, statement) in case.statements.iter().enumerate() {
        walk.statement = index;
        walk.statement(subject, statement);
    }
    let mut scalars = walk.scalars;
    if scalars.len() > LOOKED_AT {
        scalars.retain(|scalar| !is_plainest(&scalar.value));
    }
    scalars
}

fn is_plainest(value: &Value) -> bool {
    matches!(value, Value::Int(0) | Value::Single(0) | Value::Double(0) | Value::Null)
}

/// Whether the type of a scalar has this value.
pub(super) fn fits(types: &Types, scalar: &Scalar, value: i128) -> bool {
    match integer(types, scalar.ty).map(|(bits, signed)| (scalar.width.unwrap_or(bits), signed)) {
        Some((bits, true)) if bits < 128 => (-(1i128 << (bits - 1))..1i128 << (bits - 1)).contains(&value),
        Some((bits, false)) if bits < 127 => (0..1i128 << bits).contains(&value),
        Some(_) => true,
        None => false,
    }
}

struct Walk<'a> {
    types: &'a Types,
    statement: usize,
    path: Vec<u32>,
    scalars: Vec<Scalar>,
}

impl Walk<'_> {
    fn statement(&mut self, subject: &Subject, statement: &Statement) {
        match statement {
            Statement::Object { element, values } => self.elements(*element, values),
            Statement::Set { global, value } => {
                if let Some(ty) = subject.globals[global.index()].ty {
                    self.value(ty, value);
                }
            }
            Statement::Call { function, arguments } => {
                let signature = subject.function(*function).signature.as_ref();
                let params = signature.map(|signature| signature.params.as_slice()).unwrap_or_default();
                for (index, (param, value)) in params.iter().zip(arguments).enumerate() {
                    self.within(index, |walk| walk.value(param.ty, value));
                }
            }
        }
    }

    fn elements(&mut self, element: TypeId, values: &[Value]) {
        for (index, value) in values.iter().enumerate() {
            self.within(index, |walk| walk.value(element, value));
        }
    }

    fn value(&mut self, ty: TypeId, value: &Value) {
        match (&self.types.get(ty).shape, value) {
            (Shape::Array { element, .. }, Value::Array(values)) => self.elements(*element, values),
            (Shape::Record { fields, .. }, Value::Record(values)) => {
                for (index, (field, value)) in fields.iter().zip(values).enumerate() {
                    self.within(index, |walk| match field.bit_width {
                        None => walk.value(field.ty, value),
                        width => walk.push(field.ty, width, value),
                    });
                }
            }
            (Shape::Record { fields, .. }, Value::Member(member, value)) => {
                if let Some(field) = fields.get(*member) {
                    self.within(*member, |walk| walk.value(field.ty, value));
                }
            }
            (Shape::Array { .. } | Shape::Record { .. }, _) => {}
            _ => self.push(ty, None, value),
        }
    }

    fn push(&mut self, ty: TypeId, width: Option<u32>, value: &Value) {
        let (statement, path) = (self.statement, self.path.clone());
        self.scalars.push(Scalar { statement, path, ty, width, value: value.clone() });
    }

    fn within(&mut self, step: usize, inner: impl FnOnce(&mut Self)) {
        self.path.push(step as u32);
        inner(self);
        self.path.pop();
    }
}
