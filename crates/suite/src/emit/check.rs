//! Assertions as statements of a test.

use super::declare::declare;
use super::literal;
use super::value::{Unwritable, Writer};
use crate::assert::{Assertion, PartKind, Root, Step, is_nan, spell_path};
use testwright_base::case::Value;
use testwright_base::ids::TypeId;
use testwright_base::layout::integer;

/// An assertion as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it looks at; a test that fails says this.
    pub what: String,
    /// The statements; the last one is the check itself.
    pub lines: Vec<String>,
}

/// Writes an assertion. `result` is the variable with the returned value. None for what no check can tell.
///
/// # Errors
/// If the expected value cannot be written as C.
pub fn check(
    writer: &mut Writer<'_>,
    result: &str,
    assertion: &Assertion,
) -> Result<Option<Check>, Unwritable> {
    let (base, array, path) = match assertion.root {
        Root::Result => (result.to_owned(), false, &assertion.part.path[..]),
        Root::Statement(index) => {
            // Nothing that the test can name refers to an object without a variable.
            let Some(variable) = writer.scope.variable(index).cloned() else { return Ok(None) };
            let path = match assertion.part.path.as_slice() {
                [Step::Index(0), rest @ ..] if !variable.array => rest,
                path => path,
            };
            (variable.name, variable.array, path)
        }
    };
    let what = format!("{base}{}", spell_path(path));
    match (assertion.part.kind, &assertion.part.value) {
        (PartKind::Elements(element), Value::Array(values)) => match values.as_slice() {
            [only] if path.is_empty() && !array => scalar(writer, what, element, only),
            _ => elements(writer, what, element, values).map(Some),
        },
        (PartKind::Scalar(ty) | PartKind::Elements(ty), value) => scalar(writer, what, ty, value),
    }
}

fn elements(
    writer: &mut Writer<'_>,
    what: String,
    element: TypeId,
    values: &[Value],
) -> Result<Check, Unwritable> {
    if let Some(bytes) = writer.text(element, values) {
        let line = format!("CHECK_STR({what}, {});", literal::string(&bytes));
        return Ok(Check { what, lines: vec![line] });
    }
    let initialiser = writer.array(element, values)?;
    let length = initialiser.length.map(|length| length.to_string()).unwrap_or_default();
    let name = writer.scope.fresh("expected");
    let declared = declare(writer.types, element, &format!("{name}[{length}]"))
        .ok_or("an array of a type that has no name")?;
    let lines =
        vec![format!("const {declared} = {};", initialiser.text), format!("CHECK_ARRAY({what}, {name});")];
    Ok(Check { what, lines })
}

fn scalar(
    writer: &mut Writer<'_>,
    what: String,
    ty: TypeId,
    value: &Value,
) -> Result<Option<Check>, Unwritable> {
    let line = match value {
        _ if is_nan(value) => format!("CHECK_NAN({what});"),
        Value::Int(_) if integer(writer.types, ty).is_some_and(|(bits, _)| bits == 128) => {
            let condition = format!("{what} == {}", writer.value(ty, value)?);
            return Ok(Some(Check { what: condition.clone(), lines: vec![format!("CHECK({condition});")] }));
        }
        Value::Int(_) => format!("CHECK_EQ({what}, {});", writer.value(ty, value)?),
        Value::Single(_) => format!("CHECK_FLOAT({what}, {});", writer.value(ty, value)?),
        Value::Double(_) => format!("CHECK_DOUBLE({what}, {});", writer.value(ty, value)?),
        Value::Bytes(bytes) => match literal::extended(bytes) {
            Some(text) => format!("CHECK_LONG_DOUBLE({what}, {text});"),
            None => return Ok(None),
        },
        Value::Null => format!("CHECK_PTR({what}, {});", writer.value(ty, value)?),
        Value::Pointer { object, .. } if writer.scope.variable(*object).is_none() => return Ok(None),
        Value::Pointer { object, offset } => {
            format!("CHECK_PTR({what}, {});", writer.pointer(*object, *offset, None)?)
        }
        Value::Address(_) => {
            let line = format!("CHECK_NOT_NULL({what});");
            return Ok(Some(Check { what: format!("{what} != NULL"), lines: vec![line] }));
        }
        Value::Stub | Value::Array(_) | Value::Record(_) | Value::Member(..) => return Ok(None),
    };
    Ok(Some(Check { what, lines: vec![line] }))
}
