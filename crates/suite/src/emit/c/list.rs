//! Arguments behind dots, and calls of functions that take a `va_list`.
//!
//! C makes a `va_list` in a function with dots only, so such functions are called through one: `vlog_with(buffer, 8, "%d", 3)`.

use super::value::{Unwritable, Writer};
use super::{spelt, wrap};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::subject::{Param, Signature, Subject};
use testwright_base::types::{Shape, Types};
use testwright_c::declare;

/// The arguments in a list, as C passes them: each says its type by itself.
pub fn arguments(writer: &mut Writer<'_>, case: &Case, list: &Value) -> Result<Vec<String>, Unwritable> {
    let types = writer.types;
    let mut written = Vec::new();
    for (ty, value) in listed(types, case, list) {
        let text = writer.value(ty, value)?;
        let is_certain = match &types.get(ty).shape {
            Shape::Int { bits, .. } => *bits == 32,
            Shape::Pointer(_) => *value != Value::Null,
            _ => true,
        };
        let spelt = declare(types, ty, "").ok_or("an argument whose type has no name")?;
        written.push(if is_certain { text } else { format!("({spelt}){text}") });
    }
    Ok(written)
}

/// The arguments in a list, with their types.
pub fn listed<'c>(types: &Types, case: &'c Case, list: &Value) -> Vec<(TypeId, &'c Value)> {
    let Value::Pointer { object, .. } = list else { return Vec::new() };
    let Some(Statement::Object { element, values }) = case.statements.get(*object) else { return Vec::new() };
    values.iter().flat_map(|slot| in_slot(types, *element, slot)).collect()
}

fn in_slot<'c>(types: &Types, ty: TypeId, slot: &'c Value) -> Vec<(TypeId, &'c Value)> {
    match (&types.get(ty).shape, slot) {
        (Shape::Record { fields, .. }, Value::Record(values)) => {
            fields.iter().map(|field| field.ty).zip(values).collect()
        }
        (Shape::Record { fields, .. }, Value::Member(member, value)) => {
            fields.get(*member).map(|field| in_slot(types, field.ty, value)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// The function that calls one which takes a list.
pub fn caller(name: &str) -> String {
    format!("{}_with", spelt(name))
}

/// Whether the caller needs a parameter of its own before the dots: one must be there, of a type that is passed as it is.
pub fn needs_anchor(types: &Types, signature: &Signature) -> bool {
    let last = fixed(types, signature).last().map(|param| &types.get(param.ty).shape);
    last.is_none_or(|shape| match shape {
        Shape::Int { bits, .. } => *bits < 32,
        Shape::Float { bits } => *bits == 32,
        Shape::Bool => true,
        _ => false,
    })
}

fn fixed<'s>(types: &'s Types, signature: &'s Signature) -> impl DoubleEndedIterator<Item = &'s Param> {
    signature.params.iter().filter(|param| !types.is_list(param.ty))
}

/// The definition of the function that calls this one; none if it takes no list, or its types cannot be written.
///
/// ```text
/// static int vlog_with(const char *format, ...)
/// {
///     va_list ap;
///     va_start(ap, format);
///     int result = vlog(format, ap);
///     va_end(ap);
///     return result;
/// }
/// ```
pub fn definition(subject: &Subject, function: FunctionId) -> Option<String> {
    const ANCHOR: &str = "before_list";
    let (types, function) = (&subject.types, subject.function(function));
    let signature = function.signature.as_ref().filter(|signature| !signature.variadic)?;
    let list = &signature.params.iter().find(|param| types.is_list(param.ty))?.name;
    let params = fixed(types, signature).map(|param| declare(types, param.ty, &param.name));
    let mut params: Vec<String> = params.collect::<Option<_>>()?;
    let anchored = needs_anchor(types, signature);
    params.extend(anchored.then(|| format!("int {ANCHOR}")));
    let last = fixed(types, signature).last().filter(|_| !anchored).map_or(ANCHOR, |param| &param.name);
    let given: Vec<&str> = signature.params.iter().map(|param| param.name.as_str()).collect();
    let call = format!("{}({})", spelt(&function.name), given.join(", "));
    let head = format!("{}({}, ...)", caller(&function.name), params.join(", "));
    let head = format!("static {}", declare(types, signature.result, &head)?);
    let returns = types.get(signature.result).shape != Shape::Void;
    let result = if returns { declare(types, signature.result, "result")? + " = " } else { String::new() };
    let back = if returns { "    return result;\n" } else { "" };
    Some(format!(
        "{}\n{{\n    va_list {list};\n    va_start({list}, {last});\n{}\n    va_end({list});\n{back}}}\n",
        wrap(&head),
        wrap(&format!("    {result}{call};")),
    ))
}
