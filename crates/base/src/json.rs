//! Cases as people write them: JSON, by argument.
//!
//! ```text
//! [3, 4, 5]                                       arguments in order
//! {"a": 3, "b": 4}                                arguments by name
//! {"args": [..] or {..}, "globals": {"g": 5}}     and global variables
//! {"calls": [{"call": "ring_new", "args": [3]}], "args": [{"@call": 0}, 7]}     and calls before, and what they returned
//! ```
//!
//! How a value is written depends on its type:
//!
//! | type | JSON |
//! |---|---|
//! | integer | `5`, `"0x1f"`, `"'a'"`, `"INT_MAX"` |
//! | `_Bool` | `true`, `false`, `0`, `1` |
//! | enumeration | `2` or `"NAME"` |
//! | `float`, `double` | `1.5`, `"nan"`, `"-inf"`, `"0x1.8p3"`, `"DBL_MAX"`; `"nan(0x123)"` names the fraction bits |
//! | pointer | `null`; an array of the elements it points to; for a struct also `{..}`, one element |
//! | `char *`, `void *` | also `"text"` (a NUL follows), `{"buffer": "text" or [bytes], "size": 16}` (zeros follow) |
//! | pointer to function | `"stub"`: a function that gives the answers of the case |
//! | struct | `{"field": ..}` (others are 0) or `[..]` in order |
//! | union | `{"member": ..}`, exactly one |
//! | array | `[..]` (the rest is 0); `"text"` for char |
//! | `FILE *` | `null`; the text of the stream, `"42\n"` |
//!
//! Answers of stubs are globals, `"answers of read_clock": [1000, 1001]`; the last one is given again and again.
//!
//! Every array behind a pointer is an object of its own. Objects that are shared, or pointed into, are listed first,
//! `"objects": [{"type": "int", "values": [1, 2, 3]}]`, and meant by number, `{"@object": 0, "@offset": 4}`.

/// What stands for a function that gives the answers of the case.
const STUB: &str = "stub";

mod describe;
mod numbers;
mod read;
mod write;

pub use describe::{describe, describe_briefly, describe_in, returned_name};
pub use write::case_to_json;

use crate::case::{Case, Statement, Value};
use crate::ids::{FunctionId, GlobalId, TypeId};
use crate::nearest::nearest;
use crate::subject::{Param, Signature, Subject};
use read::{Place, Reader};
use serde_json::{Map, Value as Json};

/// Why a text is no case of a function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct CaseError {
    /// The place in the case: an argument, a global, or the case as a whole.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl CaseError {
    fn of_case(problem: impl Into<String>) -> CaseError {
        CaseError { place: "the case".to_owned(), problem: problem.into() }
    }
}

/// Reads a case of `function`: objects first, then globals, then the calls.
///
/// # Errors
/// If the text is not JSON or does not fit the signature.
pub fn parse_case(subject: &Subject, function: FunctionId, text: &str) -> Result<Case, CaseError> {
    let json = serde_json::from_str(text)
        .map_err(|error| CaseError::of_case(format!("this is not JSON: {error}")))?;
    case_from_json(subject, function, &json)
}

/// As [`parse_case`], of JSON that was read already.
///
/// # Errors
/// If it does not fit the signature.
pub fn case_from_json(subject: &Subject, function: FunctionId, json: &Json) -> Result<Case, CaseError> {
    let signature = callable(subject, function)?;
    let parts = Parts::of(json, signature)?;
    let mut reader = Reader::new(subject);
    reader.objects(parts.objects)?;
    let mut calls = Vec::new();
    for (number, json) in parts.calls.iter().enumerate() {
        let (function, signature, json) = call_before(subject, number, json)?;
        let within =
            |error: CaseError| CaseError { place: format!("call {number}, {}", error.place), ..error };
        let arguments = arguments(&mut reader, function, signature, json).map_err(within)?;
        reader.calls.push(signature.result);
        calls.push(Statement::Call { function, arguments });
    }
    let arguments = arguments(&mut reader, function, signature, parts.arguments)?;
    calls.push(Statement::Call { function, arguments });
    let sets = globals(&mut reader, subject, parts.globals)?;
    let mut statements = reader.statements;
    statements.extend(sets);
    let first_call = statements.len();
    statements.extend(calls);
    let mut case = Case { statements };
    // The reader knows calls by their number only: what stands before them was not known yet.
    case.each_value_mut(&mut |value| {
        if let Value::Returned { call } = value {
            *call += first_call;
        }
    });
    Ok(case)
}

/// The signature of a function that a case can call.
fn callable(subject: &Subject, function: FunctionId) -> Result<&Signature, CaseError> {
    let definition = subject.function(function);
    let wrong = |problem: String| CaseError { place: format!("function `{}`", definition.name), problem };
    if let Some(reason) = &definition.uncallable {
        return Err(wrong(format!("it cannot be called: {reason}")));
    }
    let unknown = || wrong("its parameters are not known; compile it with -g".to_owned());
    definition.signature.as_ref().ok_or_else(unknown)
}

/// A call before the one under test: `{"call": "ring_new", "args": [3]}`.
fn call_before<'a>(
    subject: &'a Subject,
    number: usize,
    json: &'a Json,
) -> Result<(FunctionId, &'a Signature, &'a Json), CaseError> {
    const NONE: &Json = &Json::Array(Vec::new());
    let wrong = |problem: String| CaseError { place: format!("call {number}"), problem };
    let Some(name) = json.get("call").and_then(Json::as_str) else {
        return Err(wrong("a call is written {\"call\": \"name\", \"args\": [..]}".to_owned()));
    };
    let function = subject.function_named(name).ok_or_else(|| {
        let hint = suggestion(name, subject.functions.iter().map(|function| function.name.as_str()));
        wrong(format!("there is no function `{name}`{hint}"))
    })?;
    Ok((function, callable(subject, function)?, json.get("args").unwrap_or(NONE)))
}

/// The parts of a case.
struct Parts<'a> {
    arguments: &'a Json,
    globals: Option<&'a Map<String, Json>>,
    objects: &'a [Json],
    calls: &'a [Json],
}

impl Parts<'_> {
    /// `json` has parts if it has the key `args`, or another part's key that no parameter has as its name.
    fn of<'a>(json: &'a Json, signature: &Signature) -> Result<Parts<'a>, CaseError> {
        const KEYS: [&str; 4] = ["args", "calls", "globals", "objects"];
        const NOTHING: &Json = &Json::Array(Vec::new());
        let is_part = |key: &str| {
            key == "args" || KEYS.contains(&key) && signature.params.iter().all(|param| param.name != key)
        };
        let Some(map) = json.as_object().filter(|map| map.keys().any(|key| is_part(key))) else {
            return Ok(Parts { arguments: json, globals: None, objects: &[], calls: &[] });
        };
        if let Some(key) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(CaseError::of_case(format!(
                "`{key}` stands beside args; only calls, globals and objects can"
            )));
        }
        let globals = match map.get("globals") {
            None => None,
            Some(Json::Object(globals)) => Some(globals),
            Some(_) => return Err(CaseError::of_case("globals are written {\"name\": value, ..}")),
        };
        let list = |key: &str, form: &str| match map.get(key) {
            None => Ok([].as_slice()),
            Some(Json::Array(list)) => Ok(list.as_slice()),
            Some(_) => Err(CaseError::of_case(format!("{key} are written {form}"))),
        };
        let objects = list("objects", "[{\"type\": .., \"values\": [..]}, ..]")?;
        let calls = list("calls", "[{\"call\": \"name\", \"args\": [..]}, ..]")?;
        Ok(Parts { arguments: map.get("args").unwrap_or(NOTHING), globals, objects, calls })
    }
}

fn arguments(
    reader: &mut Reader<'_>,
    id: FunctionId,
    signature: &Signature,
    json: &Json,
) -> Result<Vec<Value>, CaseError> {
    let subject = reader.subject;
    let function = &subject.function(id).name;
    let params = &signature.params;
    let names = || params.iter().map(|param| param.name.as_str());
    let given: Vec<&Json> = match json {
        Json::Array(list) if list.len() == params.len() => list.iter().collect(),
        Json::Array(list) if list.len() > params.len() && signature.variadic => {
            let problem = format!(
                "`{function}` is given more than its {} named arguments; variadic ones cannot be given yet",
                params.len()
            );
            return Err(CaseError::of_case(problem));
        }
        Json::Array(list) => {
            let (count, plural) = (params.len(), if params.len() == 1 { "" } else { "s" });
            let list_of_names = if count == 0 {
                String::new()
            } else {
                format!(" ({})", names().collect::<Vec<_>>().join(", "))
            };
            let problem =
                format!("`{function}` takes {count} argument{plural}{list_of_names}, {} given", list.len());
            return Err(CaseError::of_case(problem));
        }
        Json::Object(map) => {
            if let Some(key) = map.keys().find(|key| names().all(|name| name != key.as_str())) {
                let hint = suggestion(key, names());
                return Err(CaseError::of_case(format!("`{function}` has no parameter `{key}`{hint}")));
            }
            let find = |param: &Param| {
                map.get(&param.name)
                    .ok_or_else(|| CaseError::of_case(format!("argument `{}` is missing", param.name)))
            };
            params.iter().map(find).collect::<Result<_, _>>()?
        }
        _ => return Err(CaseError::of_case("arguments are written [..] in order or {\"name\": value, ..}")),
    };
    let read = |(index, (param, json)): (usize, (&Param, &Json))| {
        if let Some(stub) = subject.stub_of_parameter(id, index).filter(|_| json == STUB) {
            return Ok(Value::Stub(stub));
        }
        reader.argument(param.ty, json, &mut Place::argument(index, &param.name))
    };
    params.iter().zip(given).enumerate().map(read).collect()
}

fn globals(
    reader: &mut Reader<'_>,
    subject: &Subject,
    json: Option<&Map<String, Json>>,
) -> Result<Vec<Statement>, CaseError> {
    let Some(map) = json else { return Ok(Vec::new()) };
    let mut wanted: Vec<(GlobalId, TypeId, &Json)> = Vec::new();
    for (name, json) in map {
        let wrong = |problem: String| CaseError { place: format!("global `{name}`"), problem };
        let global = subject.global_named(name).ok_or_else(|| {
            let hint = suggestion(name, subject.globals.iter().map(|global| global.name.as_str()));
            wrong(format!("there is no such variable that can be written{hint}"))
        })?;
        let ty = subject.globals[global.index()].ty;
        let ty = ty.ok_or_else(|| wrong("its type is not known; compile it with -g".to_owned()))?;
        wanted.push((global, ty, json));
    }
    wanted.sort_by_key(|(global, ..)| *global);
    let set = |(global, ty, json): (GlobalId, TypeId, &Json)| {
        let name = &subject.globals[global.index()].name;
        let place = &mut Place::global(name);
        let value = match subject.answers_of(global) {
            Some(_) => reader.answers(ty, json, place)?,
            None => reader.value(ty, json, place)?,
        };
        Ok(Statement::Set { global, value })
    };
    wanted.into_iter().map(set).collect()
}

/// What to say after a name that does not exist: the one that was meant, or all if they are few.
fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match nearest(name, candidates.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if (1..=6).contains(&candidates.len()) => format!("; there is {}", candidates.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
