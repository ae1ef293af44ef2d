//! Formats and the arguments that they ask for: what functions that print a list are tried with.
//!
//! The slots of such a list are unions. A search alone would hardly find a format and a list that fit each other.

use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use testwright_base::subject::{Param, Subject};
use testwright_base::types::{Shape, Types};

/// The member of a slot that is an `int`.
pub(super) const INT: &str = "int";
/// The member of a slot that is a `long`.
pub(super) const LONG: &str = "long";
/// The member of a slot that is a `double`.
pub(super) const DOUBLE: &str = "double";
/// The member of a slot that is a text.
pub(super) const TEXT: &str = "text";

/// Room for everything that the formats print.
const ROOM: usize = 32;

/// Gives functions that print their list examples: formats, each with a list that fits.
pub fn give_examples(subject: &mut Subject) {
    for function in subject.functions.iter_mut().filter(|function| !function.model) {
        if let Some(signature) = &function.signature {
            function.examples = examples(&subject.types, &signature.params);
        }
    }
}

fn examples(types: &Types, params: &[Param]) -> Vec<BTreeMap<usize, Json>> {
    let Some(list) = params.iter().position(|param| prints(types, param)) else { return Vec::new() };
    let Some(format) = params[..list].iter().rposition(|param| is_text(types, param)) else {
        return Vec::new();
    };
    let is_written = |param: &Param| is_text(types, param) && !types.behind(param.ty).constant;
    let written = params[..format].iter().enumerate().filter(|(_, param)| is_written(param));
    let given: BTreeMap<usize, Json> = written.map(|(index, _)| (index, json!(vec![0; ROOM]))).collect();
    let formats = [
        ("%d: %s", vec![slot(INT, &json!(42)), slot(TEXT, &json!("abc"))]),
        ("%ld", vec![slot(LONG, &json!(-70_000))]),
        ("%.2f", vec![slot(DOUBLE, &json!(1_234.5))]),
    ];
    let example = |(text, arguments): (&str, Vec<Json>)| {
        let mut given = given.clone();
        given.insert(format, json!(text));
        given.insert(list, Json::from(arguments));
        given
    };
    formats.into_iter().map(example).collect()
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
