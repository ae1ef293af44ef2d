//! Preconditions: what callers promise as C expressions, compiled into the file of the function.
//!
//! ```text
//! void tw_model_requires_f(int n, int cap)
//! {
//! if (!(
//! #line 3 "testwright.toml"
//! n > 0 && n <= cap
//! )) tw_outside();
//! }
//! ```
//!
//! The driver of the function calls it first. Its branches are on the path, so a search solves for them; a run for which an
//! expression is false ends there.

use super::clang::Clang;
use super::compile::{Additions, compile_adding};
use super::handle;
use crate::error::CodeError;
use crate::frontend::{Bitcode, Condition, Sources};
use crate::handle::Handle;
use testwright_base::contract::PRECONDITION;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_c::declare;

/// Compiles every file with the conditions on its functions, and with what makes handles for them. `subject` is what the
/// files are without them.
///
/// # Errors
/// If the compiler does not accept a condition, with its complaint and the place of the condition.
pub(super) fn compile_requiring(
    sources: &Sources,
    clang: &Clang,
    subject: &Subject,
    conditions: &[Condition],
    handles: &[Handle],
) -> Result<Bitcode, CodeError> {
    let mut functions: Vec<FunctionId> = conditions.iter().map(|condition| condition.function).collect();
    functions.sort_unstable();
    functions.dedup();
    let mut additions = Additions::new();
    for function in functions {
        let own: Vec<&Condition> =
            conditions.iter().filter(|condition| condition.function == function).collect();
        let text = text(subject, function, &own).map_err(|why| refused(subject, own[0], why))?;
        *additions.entry(unit_of(sources, subject, function)).or_default() += &text;
    }
    handle::add(sources, subject, handles, &mut additions);
    compile_adding(sources, clang, &additions).map_err(|error| match error {
        CodeError::Compile(complaint) => explained(subject, conditions, &complaint.message),
        other => other,
    })
}

/// The function that checks the conditions.
fn text(subject: &Subject, function: FunctionId, conditions: &[&Condition]) -> Result<String, String> {
    let definition = subject.function(function);
    let signature = definition.signature.as_ref().ok_or("its parameters are not known")?;
    if !is_unique(&definition.name) {
        return Err("several functions have this name".to_owned());
    }
    let mut params = Vec::new();
    for param in signature.declared(&subject.types) {
        let declared = declare(&subject.types, param.ty, &param.name);
        params.push(declared.ok_or_else(|| format!("the type of `{}` has no name", param.name))?);
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let mut text =
        format!("\nvoid tw_outside(void);\nvoid {PRECONDITION}{}({params})\n{{\n", definition.name);
    for Condition { text: expression, file, line, .. } in conditions {
        let expression = expression.replace('\n', " ");
        text += &format!("if (!(\n#line {line} \"{file}\"\n{expression}\n)) tw_outside();\n");
    }
    Ok(text + "}\n")
}

/// Whether one function has this name: where several have it, linking gave them others.
pub(super) fn is_unique(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The number of the unit that a function is in.
pub(super) fn unit_of(sources: &Sources, subject: &Subject, function: FunctionId) -> usize {
    let place = subject.function(function).place.as_ref();
    let is_own = |file: &String| place.is_some_and(|place| place.file == *file);
    sources.files().iter().position(is_own).unwrap_or(0)
}

/// The first complaint of the compiler: about the condition at its place, else about the first one.
fn explained(subject: &Subject, conditions: &[Condition], message: &str) -> CodeError {
    let complaints = message.lines().filter_map(|line| line.split_once(" error: "));
    let (place, complaint) = complaints.into_iter().next().unwrap_or(("", message));
    let is_meant =
        |condition: &&Condition| place.starts_with(&format!("{}:{}:", condition.file, condition.line));
    match conditions.iter().find(is_meant).or(conditions.first()) {
        Some(condition) => refused(subject, condition, complaint.to_owned()),
        None => CodeError::Link(message.to_owned()),
    }
}

fn refused(subject: &Subject, condition: &Condition, complaint: String) -> CodeError {
    let Condition { function, text, file, line } = condition;
    let function = subject.function(*function).name.clone();
    CodeError::Condition { file: file.clone(), line: *line, function, text: text.clone(), complaint }
}
