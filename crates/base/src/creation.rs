//! Handles: pointers that only functions of the code under test make.
//!
//! The value of a handle says who makes it and with what arguments; to everything that varies inputs it is a struct like others:
//!
//! ```text
//! {how: stack_new, stack_new: {capacity: 3}, stack_of: {text: NULL}}      push(stack_new(3), ..)
//! ```

use crate::case::Value;
use crate::ids::TypeId;
use crate::types::{Field, Shape, Types};

/// How a handle comes about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Creation<'a> {
    /// It is null.
    Null,
    /// A function returns it.
    By {
        /// The name of the function.
        creator: &'a str,
        /// Its parameters.
        params: &'a [Field],
        /// Its arguments.
        arguments: &'a [Value],
        /// Which of the fields of the value these are.
        field: usize,
    },
}

/// How the value of a handle comes about; none if the type is not that of a handle.
#[must_use]
pub fn creation<'a>(types: &'a Types, ty: TypeId, value: &'a Value) -> Option<Creation<'a>> {
    types.declared_as(ty)?;
    let (Shape::Record { fields, .. }, Value::Record(values)) = (&types.get(ty).shape, value) else {
        return None;
    };
    let Some(Value::Int(how)) = values.first() else { return None };
    let chosen = usize::try_from(*how).ok().filter(|how| *how > 0 && *how < fields.len());
    let Some(field) = chosen else { return Some(Creation::Null) };
    let Shape::Record { fields: params, .. } = &types.get(fields[field].ty).shape else { return None };
    let Value::Record(arguments) = values.get(field)? else { return None };
    Some(Creation::By { creator: fields[field].name.as_deref()?, params, arguments, field })
}
