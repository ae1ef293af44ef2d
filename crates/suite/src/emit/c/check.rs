//! Assertions as claims: what a test looks at, and what it must be. Each format has its own words for them.

use super::literal;
use super::spelt;
use super::stub;
use super::value::{Unwritable, Writer};
use crate::assert::{Assertion, Part, PartKind, Root, Step, is_nan, spell_path};
use crate::constant::Owner;
use testwright_base::case::Value;
use testwright_base::ids::TypeId;
use testwright_base::layout::integer;
use testwright_base::query::Query;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};
use testwright_c::declare;

/// An assertion, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it looks at, an expression.
    pub what: String,
    /// Statements that it needs before it.
    pub setup: Vec<String>,
    /// What is claimed.
    pub claim: Claim,
}

/// What is claimed of an expression. Expected values are written as C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// An integer is this.
    Equal {
        /// The value.
        expected: String,
        /// Whether its type is an unsigned one that is no narrower than `int`.
        unsigned: bool,
    },
    /// The expression is a condition that holds.
    Holds,
    /// A number has exactly the bits of this one.
    Bits {
        /// The value.
        expected: String,
        /// The width of its type: 32, 64, 80.
        bits: u32,
    },
    /// A number differs from this one by no more than the margin.
    Near {
        /// The value.
        expected: String,
        /// How far it may be off.
        margin: String,
    },
    /// A number is NaN, whichever.
    IsNan,
    /// A pointer is null.
    Null,
    /// A pointer is this one.
    Pointer(String),
    /// A pointer is not null.
    NotNull,
    /// A string is this one.
    Text {
        /// The value.
        expected: String,
        /// Whether its characters are of type `char`, not one of its relatives.
        of_char: bool,
    },
    /// An array begins with the elements of the array of this name.
    Elements(String),
    /// A stream holds this text.
    Content(String),
    /// This was printed since the test began to capture it.
    Printed(String),
    /// A variable is as it was when the test kept a copy of it.
    Kept,
}

impl Check {
    /// What a test of format plain says when it fails.
    #[must_use]
    pub fn said(&self) -> String {
        match self.claim {
            Claim::NotNull => format!("{} != NULL", self.what),
            _ => self.what.clone(),
        }
    }
}

/// Makes a check of an assertion. `result` is the variable with the returned value. None for what no check can tell.
///
/// # Errors
/// If the expected value cannot be written as C.
pub fn check(
    subject: &Subject,
    writer: &mut Writer<'_>,
    result: &str,
    assertion: &Assertion,
) -> Result<Option<Check>, Unwritable> {
    let (base, array, path) = match assertion.root {
        Root::Result => (result.to_owned(), false, &assertion.part.path[..]),
        Root::Behind => return behind(writer, result, &assertion.part),
        Root::Query(query) => return queried(subject, writer, query, &assertion.part),
        Root::Global(global) => {
            (spelt(&subject.globals[global.index()].name).to_owned(), true, &assertion.part.path[..])
        }
        Root::Printed => return Ok(Some(printed(&assertion.part.value))),
        Root::Calls(stub) => (stub::calls(&subject.stubs[stub.index()]), false, &[][..]),
        Root::Given(stub, param) => (stub::given(&subject.stubs[stub.index()], param), true, &[][..]),
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
    writer.names.about = match assertion.root {
        Root::Result => Some(Owner::Result(writer.names.function.to_owned())).filter(|_| path.is_empty()),
        Root::Global(_) => Some(Owner::Global(base)),
        Root::Calls(_) | Root::Given(..) | Root::Printed | Root::Behind | Root::Query(_) => None,
        Root::Statement(_) => Some(Owner::Variable(writer.names.function.to_owned(), base)),
    };
    writer.names.about = writer.names.owner(path);
    match (assertion.part.kind, &assertion.part.value) {
        (PartKind::Count, Value::Int(count)) => {
            let claim = Claim::Equal { expected: count.to_string(), unsigned: true };
            Ok(Some(Check { what, setup: Vec::new(), claim }))
        }
        (PartKind::Count, _) => Ok(None),
        (PartKind::Kept, _) => Ok(Some(Check { what, setup: Vec::new(), claim: Claim::Kept })),
        (PartKind::Content, value) => {
            let claim = Claim::Content(literal::string(&bytes(value)));
            Ok(Some(Check { what, setup: Vec::new(), claim }))
        }
        (PartKind::Elements(element), Value::Array(values)) => match values.as_slice() {
            [only] if path.is_empty() && !array => scalar(writer, what, element, only),
            [only] if writer.text(element, values).is_none() => {
                scalar(writer, format!("{what}[0]"), element, only)
            }
            _ => elements(writer, what, element, values).map(Some),
        },
        (PartKind::Scalar(ty) | PartKind::Elements(ty), value) => scalar(writer, what, ty, value),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    let Value::Array(values) = value else { return Vec::new() };
    values.iter().map(|value| if let Value::Int(byte) = value { *byte as u8 } else { 0 }).collect()
}

/// What the returned pointer leads to: `*result`, `result->count`, or the text itself.
fn behind(writer: &mut Writer<'_>, result: &str, part: &Part) -> Result<Option<Check>, Unwritable> {
    writer.names.about = None;
    let what = match part.path.as_slice() {
        [] if matches!(part.kind, PartKind::Elements(_)) => result.to_owned(),
        [] => format!("*{result}"),
        [Step::Field(field), rest @ ..] => format!("{result}->{field}{}", spell_path(rest)),
        path => format!("(*{result}){}", spell_path(path)),
    };
    match (part.kind, &part.value) {
        (PartKind::Elements(element), Value::Array(values)) => {
            elements(writer, what, element, values).map(Some)
        }
        (PartKind::Scalar(ty), value) => scalar(writer, what, ty, value),
        _ => Ok(None),
    }
}

/// What the code says about an object: `ring_count(ring)`.
fn queried(
    subject: &Subject,
    writer: &mut Writer<'_>,
    query: Query,
    part: &Part,
) -> Result<Option<Check>, Unwritable> {
    let function = subject.function(query.function);
    let signature = function.signature.as_ref().ok_or("a function whose parameters are not known")?;
    let name = spelt(&function.name);
    let mut arguments = Vec::new();
    for (param, value) in signature.params.iter().zip(query.arguments(subject)) {
        // An object that has no variable cannot be asked about.
        let is_named = |call| writer.scope.result(call).is_some();
        if matches!(value, Value::Returned { call } if !is_named(call)) {
            return Ok(None);
        }
        writer.names.about = Some(Owner::Variable(name.to_owned(), param.name.clone()));
        arguments.push(writer.value(param.ty, &value)?);
    }
    let what = format!("{name}({})", arguments.join(", "));
    writer.names.about = Some(Owner::Result(name.to_owned()));
    match (part.kind, &part.value) {
        (PartKind::Elements(element), Value::Array(values)) if writer.text(element, values).is_some() => {
            elements(writer, what, element, values).map(Some)
        }
        (PartKind::Scalar(ty), value) => scalar(writer, what, ty, value),
        _ => Ok(None),
    }
}

fn printed(text: &Value) -> Check {
    let claim = Claim::Printed(literal::string(&bytes(text)));
    Check { what: "what is printed".to_owned(), setup: Vec::new(), claim }
}

/// The statement before the call that a check needs.
#[must_use]
pub fn before(check: &Check) -> Option<String> {
    match check.claim {
        Claim::Kept => Some(format!("KEEP({});", check.what)),
        Claim::Printed(_) => Some("CAPTURE();".to_owned()),
        _ => None,
    }
}

fn elements(
    writer: &mut Writer<'_>,
    what: String,
    element: TypeId,
    values: &[Value],
) -> Result<Check, Unwritable> {
    if let Some(bytes) = writer.text(element, values) {
        let of_char = writer.types.spell(element) == "char";
        let claim = Claim::Text { expected: literal::string(&bytes), of_char };
        return Ok(Check { what, setup: Vec::new(), claim });
    }
    let initialiser = writer.array(element, values)?;
    let length = initialiser.length.map(|length| length.to_string()).unwrap_or_default();
    let name = writer.scope.fresh("expected");
    let declared = declare(writer.types, element, &format!("{name}[{length}]"))
        .ok_or("an array of a type that has no name")?;
    let setup = vec![format!("const {declared} = {};", initialiser.text)];
    Ok(Check { what, setup, claim: Claim::Elements(name) })
}

fn scalar(
    writer: &mut Writer<'_>,
    what: String,
    ty: TypeId,
    value: &Value,
) -> Result<Option<Check>, Unwritable> {
    let kind = integer(writer.types, ty);
    let claim = match value {
        _ if is_nan(value) => Claim::IsNan,
        Value::Int(_) if kind.is_some_and(|(bits, _)| bits == 128) => {
            let what = format!("{what} == {}", writer.value(ty, value)?);
            return Ok(Some(Check { what, setup: Vec::new(), claim: Claim::Holds }));
        }
        Value::Int(_) => Claim::Equal {
            expected: writer.value(ty, value)?,
            unsigned: kind.is_some_and(|(bits, signed)| bits >= 32 && !signed),
        },
        Value::Single(bits) => number(writer, ty, value, f64::from(f32::from_bits(*bits)), 32)?,
        Value::Double(bits) => number(writer, ty, value, f64::from_bits(*bits), 64)?,
        Value::Bytes(bytes) => match literal::extended(bytes) {
            Some(expected) => Claim::Bits { expected, bits: 80 },
            None => return Ok(None),
        },
        Value::Null => {
            writer.headers.insert("stddef.h");
            if is_function_pointer(writer.types, ty) {
                let what = format!("{what} == NULL");
                return Ok(Some(Check { what, setup: Vec::new(), claim: Claim::Holds }));
            }
            Claim::Null
        }
        Value::Returned { .. } => return Ok(None),
        // What was freed is nowhere.
        Value::Pointer { object, .. }
            if writer.scope.variable(*object).is_none_or(|variable| variable.heap) =>
        {
            return Ok(None);
        }
        Value::Pointer { object, offset } => Claim::Pointer(writer.pointer(*object, *offset, None)?),
        Value::Address(_) => Claim::NotNull,
        Value::Stub(_) | Value::Array(_) | Value::Record(_) | Value::Member(..) => return Ok(None),
    };
    Ok(Some(Check { what, setup: Vec::new(), claim }))
}

/// Whether C forbids to convert a pointer of this type to `void *`.
fn is_function_pointer(types: &Types, ty: TypeId) -> bool {
    match types.get(ty).shape {
        Shape::Pointer(target) => matches!(types.get(target).shape, Shape::Function { .. }),
        _ => false,
    }
}

/// A claim about a number: exact, unless a tolerance was stated. That is relative to the number, or absolute if the
/// number is below 1; infinities are always exact.
fn number(
    writer: &mut Writer<'_>,
    ty: TypeId,
    value: &Value,
    about: f64,
    bits: u32,
) -> Result<Claim, Unwritable> {
    let expected = writer.value(ty, value)?;
    Ok(match writer.tolerance.filter(|_| about.is_finite()) {
        None => Claim::Bits { expected, bits },
        Some(tolerance) => {
            Claim::Near { expected, margin: format!("{:?}", tolerance * about.abs().max(1.0)) }
        }
    })
}
