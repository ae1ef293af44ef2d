//! Where a search starts: the plainest case of a function.

use crate::case::Case;
use crate::ids::{FunctionId, TypeId};
use crate::json::{CaseError, case_from_json};
use crate::layout::largest_member;
use crate::pairs::pairs;
use crate::stub::{Answers, Role};
use crate::subject::Subject;
use crate::types::{Field, Shape};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// Zeros everywhere; buffers of one element, or of an empty text; null where nothing can be built.
///
/// # Errors
/// If a parameter is of a type that no value can be built of.
pub fn plainest_case(subject: &Subject, function: FunctionId) -> Result<Case, CaseError> {
    plainest_with(subject, function, &BTreeMap::new())
}

/// As [`plainest_case`], but some arguments are given, by the index of the parameter.
fn plainest_with(
    subject: &Subject,
    function: FunctionId,
    given: &BTreeMap<usize, Json>,
) -> Result<Case, CaseError> {
    let contract = &subject.function(function).contract;
    let signature = subject.function(function).signature.as_ref();
    let params = signature.map(|signature| signature.params.as_slice()).unwrap_or_default();
    let pairs = pairs(subject, function);
    // A length that is stated to be in a range decides how many elements there are.
    let length = |index: usize| contract.nearest(index, 1);
    let arguments: Vec<Json> = params
        .iter()
        .enumerate()
        .map(|(index, param)| {
            if let Some(argument) = given.get(&index) {
                return argument.clone();
            }
            if pairs.iter().any(|pair| pair.length == index) {
                return json!(length(index) as i64);
            }
            if contract.ranges.contains_key(&index) {
                return json!(contract.nearest(index, 0) as i64);
            }
            if subject.stub_of_parameter(function, index).is_some() {
                return json!("stub");
            }
            let pair = pairs.iter().find(|pair| pair.pointer == index);
            let value = plainest(subject, param.ty, pair.is_some(), 0);
            match (pair, value) {
                (Some(pair), Json::Array(elements)) if elements.len() == 1 => {
                    let count = usize::try_from(length(pair.length)).unwrap_or(0);
                    Json::from(vec![elements[0].clone(); count])
                }
                (_, value) => value,
            }
        })
        .collect();
    let answers = answers(subject, function);
    if answers.is_empty() {
        return case_from_json(subject, function, &Json::from(arguments));
    }
    case_from_json(subject, function, &json!({ "args": arguments, "globals": answers }))
}

/// Cases with the arguments that the front end knows to be worth trying. Where one is a list of elements, so is its length.
#[must_use]
pub fn example_cases(subject: &Subject, function: FunctionId) -> Vec<Case> {
    let examples = subject.function(function).examples.iter();
    let case = |example: &BTreeMap<usize, Json>| {
        let mut given = example.clone();
        for pair in pairs(subject, function) {
            if let Some(Json::Array(elements)) = example.get(&pair.pointer) {
                given.insert(pair.length, json!(elements.len()));
            }
        }
        plainest_with(subject, function, &given).ok()
    };
    examples.filter_map(case).filter(|case| subject.is_within_contracts(case)).collect()
}

/// As many answers as there is room for, of each stub that the function can reach. Objects are there: code that is
/// given null by a function of others often ends at once.
fn answers(subject: &Subject, function: FunctionId) -> Map<String, Json> {
    let stubs = subject.stubs_within(function);
    let all = stubs.iter().flat_map(|stub| &subject.stubs[stub.index()].answers);
    let plainest_answers = |answers: &Answers| {
        let global = &subject.globals[answers.global.index()];
        let Shape::Array { element, count } = subject.types.get(global.ty?).shape else { return None };
        let one = match (answers.role, subject.stated_answers(answers.global)) {
            (Role::NotNull, _) => json!(true),
            (_, Some((low, high))) => json!(0.clamp(low, high) as i64),
            _ => plainest(subject, element, false, 1),
        };
        Some((global.name.clone(), json!(vec![one; count.unwrap_or(0) as usize])))
    };
    all.filter_map(plainest_answers).collect()
}

/// The plainest value of a type. `counted`: a length goes with it, so text needs no end.
fn plainest(subject: &Subject, ty: TypeId, counted: bool, depth: u32) -> Json {
    let types = &subject.types;
    match &types.get(ty).shape {
        Shape::Pointer(target) => match &types.get(types.meant(*target).unwrap_or(*target)).shape {
            Shape::Int { character: true, .. } if !counted => json!(""),
            Shape::Void if counted => json!([0]),
            Shape::Void | Shape::Function { .. } | Shape::Other(_) => Json::Null,
            Shape::Record { complete: false, .. } => Json::Null,
            // A list of records could go on forever.
            Shape::Record { .. } if depth > 0 => Json::Null,
            _ => json!([plainest(subject, types.meant(*target).unwrap_or(*target), false, depth + 1)]),
        },
        Shape::Array { .. } => json!([]),
        Shape::Record { union: true, fields, .. } => {
            // The largest member covers what the others mean too.
            let largest = largest_member(types, fields).and_then(|index| fields.get(index));
            let named = largest.into_iter().chain(fields);
            let mut named = named.filter_map(|field| field.name.as_ref().map(|name| (name, field.ty)));
            match named.next() {
                Some((name, ty)) => json!({ name.as_str(): plainest(subject, ty, false, depth + 1) }),
                None => json!({}),
            }
        }
        Shape::Record { fields, .. } if types.declared_as(ty).is_some() => {
            // The first function that makes the handle, with its plainest arguments.
            let Some(Field { name: Some(creator), ty, .. }) = fields.get(1) else { return json!({}) };
            let Shape::Record { fields: params, .. } = &types.get(*ty).shape else { return json!({}) };
            let plain =
                |param: &Field| Some((param.name.clone()?, plainest(subject, param.ty, false, depth + 1)));
            let arguments: Map<String, Json> = params.iter().filter_map(plain).collect();
            json!({ "how": 1, creator.as_str(): arguments })
        }
        Shape::Record { .. } => json!({}),
        Shape::Bool => json!(false),
        Shape::Enum { constants, .. } => json!(constants.first().map_or(0, |(_, value)| *value as i64)),
        _ => json!(0),
    }
}
