//! The scalars of a case with their types, in order.

use std::collections::BTreeMap;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::layout::integer;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

/// So many scalars of a case are looked at.
const LOOKED_AT: usize = 96;

/// A scalar.
#[derive(Debug, Clone)]
pub(super) struct Scalar {
    /// The statement that it belongs to.
    pub statement: usize,
    /// Its type.
    pub ty: TypeId,
    /// The width of a bit-field.
    pub width: Option<u32>,
    /// Its value.
    pub value: Value,
}

/// The first scalars of a case.
pub(super) fn scalars(subject: &Subject, case: &Case) -> Vec<Scalar> {
    let mut list = Vec::new();
    let mut copy = case.clone();
    walk(subject, &mut copy, &mut |statement, (ty, width), value| {
        if list.len() < LOOKED_AT {
            list.push(Scalar { statement, ty, width, value: value.clone() });
        }
    });
    list
}

/// The case with the scalars at these places replaced.
pub(super) fn put(subject: &Subject, case: &Case, changes: &BTreeMap<usize, Value>) -> Case {
    let (mut case, mut place) = (case.clone(), 0);
    walk(subject, &mut case, &mut |_, _, value| {
        if let Some(other) = changes.get(&place) {
            *value = other.clone();
        }
        place += 1;
    });
    case
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

/// Is shown the statement, the type and width of a bit-field, the value.
type Look<'a> = &'a mut dyn FnMut(usize, (TypeId, Option<u32>), &mut Value);

fn walk(subject: &Subject, case: &mut Case, look: Look<'_>) {
    let types = &subject.types;
    for (index, statement) in case.statements.iter_mut().enumerate() {
        match statement {
            Statement::Object { element, values } => {
                values.iter_mut().for_each(|value| walk_value(types, index, *element, value, look));
            }
            Statement::Set { global, value } => {
                if let Some(ty) = subject.globals[global.index()].ty {
                    walk_value(types, index, ty, value, look);
                }
            }
            Statement::Call { function, arguments } => {
                let signature = subject.function(*function).signature.as_ref();
                let params = signature.map(|signature| signature.params.as_slice()).unwrap_or_default();
                for (param, value) in params.iter().zip(arguments) {
                    walk_value(types, index, param.ty, value, look);
                }
            }
        }
    }
}

fn walk_value(types: &Types, statement: usize, ty: TypeId, value: &mut Value, look: Look<'_>) {
    match (&types.get(ty).shape, &mut *value) {
        (Shape::Array { element, .. }, Value::Array(values)) => {
            values.iter_mut().for_each(|value| walk_value(types, statement, *element, value, look));
        }
        (Shape::Record { fields, .. }, Value::Record(values)) => {
            for (field, value) in fields.iter().zip(values) {
                match field.bit_width {
                    None => walk_value(types, statement, field.ty, value, look),
                    width => look(statement, (field.ty, width), value),
                }
            }
        }
        (Shape::Record { fields, .. }, Value::Member(member, value)) => {
            if let Some(field) = fields.get(*member) {
                walk_value(types, statement, field.ty, value, look);
            }
        }
        (Shape::Array { .. } | Shape::Record { .. }, _) => {}
        _ => look(statement, (ty, None), value),
    }
}
