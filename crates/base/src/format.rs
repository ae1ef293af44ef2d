//! Formats and the arguments that they ask for: what functions that print a list are tried with.
//!
//! The slots of such a list are unions. A search alone would hardly find a format and a list that fit each other.

use crate::case::Case;
use crate::ids::FunctionId;
use crate::pairs::pairs;
use crate::start::plainest_with;
use crate::subject::{Param, Subject};
use crate::types::{Shape, Types};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The member of a slot that is an `int`.
pub const INT: &str = "int";
/// The member of a slot that is a `long`.
pub const LONG: &str = "long";
/// The member of a slot that is a `double`.
pub const DOUBLE: &str = "double";
/// The member of a slot that is a text.
pub const TEXT: &str = "text";

/// Room for everything that the formats print.
const ROOM: usize = 32;

/// Cases of a function that prints its list: formats, each with a list that fits. None for other functions.
#[must_use]
pub fn formatted_cases(subject: &Subject, function: FunctionId) -> Vec<Case> {
    let types = &subject.types;
    let signature = subject.function(function).signature.as_ref();
    let params = signature.map(|signature| signature.params.as_slice()).unwrap_or_default();
    let Some(list) = params.iter().position(|param| prints(types, param)) else { return Vec::new() };
    let Some(format) = params[..list].iter().rposition(|param| is_text(types, param)) else {
        return Vec::new();
    };
    let mut given = BTreeMap::new();
    for (index, _) in params[..format].iter().enumerate().filter(|(_, param)| is_text(types, param)) {
        if !types.behind(params[index].ty).constant {
            given.insert(index, json!(vec![0; ROOM]));
        }
    }
    for pair in pairs(subject, function) {
        if given.contains_key(&pair.pointer) {
            given.insert(pair.length, json!(ROOM));
        }
    }
    let formats = [
        ("%d: %s", vec![slot(INT, &json!(42)), slot(TEXT, &json!("abc"))]),
        ("%ld", vec![slot(LONG, &json!(-70_000))]),
        ("%.2f", vec![slot(DOUBLE, &json!(1_234.5))]),
    ];
    let case = |(text, arguments): (&str, Vec<Json>)| {
        given.insert(format, json!(text));
        given.insert(list, Json::from(arguments));
        plainest_with(subject, function, &given).ok()
    };
    let cases = formats.into_iter().filter_map(case);
    cases.filter(|case| subject.is_within_contracts(case)).collect()
}

fn slot(member: &str, value: &Json) -> Json {
    json!({ member: { "value": value } })
}

/// Whether a parameter is a list whose arguments are what a format asks for.
fn prints(types: &Types, param: &Param) -> bool {
    let Shape::Pointer(slot) = types.get(param.ty).shape else { return false };
    types.is_list(param.ty) && matches!(types.get(slot).shape, Shape::Record { union: true, .. })
}

fn is_text(types: &Types, param: &Param) -> bool {
    let Shape::Pointer(target) = types.get(param.ty).shape else { return false };
    matches!(types.get(target).shape, Shape::Int { character: true, .. })
}
