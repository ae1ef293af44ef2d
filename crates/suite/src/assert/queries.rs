//! What the code says about its objects when it is asked: a number, or a text.

use super::{Assertion, Part, Root, is_written, parts, parts_of};
use crate::input::{Found, Queried};
use testwright_base::case::Value;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;

/// The assertions, in the order of asking.
pub(super) fn assertions(subject: &Subject, found: &Found) -> Vec<Assertion> {
    let each = |queried: &Queried| {
        let root = Root::Query(queried.query);
        parts_told(subject, queried).into_iter().map(move |part| Assertion { root, part })
    };
    found.queries.iter().flat_map(each).collect()
}

fn parts_told(subject: &Subject, queried: &Queried) -> Vec<Part> {
    let types = &subject.types;
    let signature = subject.function(queried.query.function).signature.as_ref();
    let Some(result) = signature.map(|signature| signature.result) else { return Vec::new() };
    if !is_written(&queried.result) {
        return Vec::new();
    }
    match (&types.get(result).shape, &queried.result) {
        (Shape::Pointer(target), Value::Array(text)) => parts::of_elements(types, *target, text),
        (_, value) => parts_of(types, result, value),
    }
}
