//! Functions that make handles, found among the code under test and called from the file that cannot make them itself.
//!
//! A struct that a file only declares cannot be laid out in a test of that file. Where functions return pointers to it, these are
//! how tests come by one. A function of ours calls the one that the case wants:
//!
//! ```text
//! stack *tw_model_make_0_push(unsigned how, int p1, char *p2)
//! {
//! switch (how) {
//! case 1: return stack_new(p1);
//! case 2: return stack_of(p2);
//! default: return 0;
//! }
//! }
//! ```
//!
//! The driver of `push` calls it for its first argument. Its branches are on the path, but no goals.
//!
//! Debug information leaves out definitions that a file did not need, so the compiler is asked whether a file knows a struct
//! (`probe`).

use super::clang::Clang;
use super::compile::{Additions, OPTIONS, compile_unit, longer_text};
use super::precondition::{is_unique, unit_of};
use crate::error::CodeError;
use crate::frontend::Sources;
use crate::handle::Handle;
use std::collections::BTreeMap;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::subject::{Function, Signature, Subject};
use testwright_base::types::{Shape, Type, Types};
use testwright_c::declare;

/// How many functions may make the same handle; those with the fewest parameters are taken.
const MOST_CREATORS: usize = 3;
/// What the compiler calls the text that we ask it about.
const PROBE: &str = "testwright-probe";

/// The C text of the function that makes a handle.
fn maker_text(handle: &Handle, subject: &Subject) -> Option<String> {
    let taker = subject.function(handle.function);
    let declared = taker.signature.as_ref()?.params[handle.param].ty;
    let mut params = vec!["unsigned how".to_owned()];
    let mut cases = String::new();
    for (number, creator) in handle.creators.iter().enumerate() {
        let mut arguments = Vec::new();
        for param in &subject.function(*creator).signature.as_ref()?.params {
            let name = format!("p{}", params.len());
            params.push(declare(&subject.types, param.ty, &name)?);
            arguments.push(name);
        }
        let (name, arguments) = (&subject.function(*creator).name, arguments.join(", "));
        cases += &format!("case {}: return {name}({arguments});\n", number + 1);
    }
    let head = format!("{}({})", Handle::maker(&taker.name, handle.param), params.join(", "));
    let head = declare(&subject.types, declared, &head)?;
    Some(format!("\n{head}\n{{\nswitch (how) {{\n{cases}default: return 0;\n}}\n}}\n"))
}

/// The parameters that only functions of the code under test can make.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn handles(sources: &Sources, clang: &Clang, subject: &Subject) -> Result<Vec<Handle>, CodeError> {
    let mut by_unit: BTreeMap<usize, Vec<Handle>> = BTreeMap::new();
    let takers = |function: &Function| is_ours(function) && function.is_named();
    for (index, function) in subject.functions.iter().enumerate().filter(|(_, function)| takers(function)) {
        for param in function.hidden.iter().copied() {
            let function = FunctionId::of(index);
            let creators = creators(subject, function, param);
            if !creators.is_empty() {
                let handle = Handle { function, param, creators };
                by_unit.entry(unit_of(sources, subject, function)).or_default().push(handle);
            }
        }
    }
    let mut found = Vec::new();
    for (unit, mut handles) in by_unit {
        probe(sources, clang, subject, unit, &mut handles)?;
        // Whatever is in the way of ours, a macro of the same name perhaps: the code is tested without it then.
        let text: Option<String> = handles.iter().map(|handle| maker_text(handle, subject)).collect();
        let text = longer_text(&sources.units[unit], &text.unwrap_or_default())?;
        if compile_unit(&sources.units[unit], clang, OPTIONS, Some(&text)).is_ok() {
            found.extend(handles.into_iter().filter(|handle| maker_text(handle, subject).is_some()));
        }
    }
    Ok(found)
}

/// The text that makes handles, by the unit that it is added to.
pub(super) fn add(sources: &Sources, subject: &Subject, handles: &[Handle], additions: &mut Additions) {
    for handle in handles {
        let text = maker_text(handle, subject).unwrap_or_default();
        *additions.entry(unit_of(sources, subject, handle.function)).or_default() += &text;
    }
}

/// Whether a function is code under test that can be called by its name. Files that were not named make handles too.
fn is_ours(function: &Function) -> bool {
    let is_callable = function.companion || function.uncallable.is_none();
    !function.model && is_callable && is_unique(&function.name)
}

/// The functions that return what this parameter is, with arguments that can be built without having one already.
fn creators(subject: &Subject, function: FunctionId, param: usize) -> Vec<FunctionId> {
    let types = &subject.types;
    let signature = subject.function(function).signature.as_ref();
    let Some(wanted) = signature.and_then(|signature| record_behind(types, signature.params.get(param)?.ty))
    else {
        return Vec::new();
    };
    let makes = |signature: &Signature| {
        record_behind(types, signature.result) == Some(wanted)
            && !signature.variadic
            && signature.params.iter().all(|param| is_buildable(types, param.ty, wanted))
    };
    let params =
        |creator: &FunctionId| subject.function(*creator).signature.as_ref().map(|own| own.params.len());
    let mut found: Vec<FunctionId> = subject
        .functions
        .iter()
        .enumerate()
        .filter(|(index, other)| *index != function.index() && is_ours(other))
        .filter(|(_, other)| other.signature.as_ref().is_some_and(makes))
        .map(|(index, _)| FunctionId::of(index))
        .collect();
    found.sort_by_key(params);
    found.truncate(MOST_CREATORS);
    found
}

/// The defined struct or union that a pointer leads to. Typedefs of it are the same but for their name.
fn record_behind(types: &Types, pointer: TypeId) -> Option<&Shape> {
    let Shape::Pointer(target) = types.get(pointer).shape else { return None };
    Some(&types.get(target).shape).filter(|shape| matches!(shape, Shape::Record { complete: true, .. }))
}

fn is_buildable(types: &Types, ty: TypeId, wanted: &Shape) -> bool {
    let Type { shape, .. } = types.get(ty);
    match shape {
        Shape::Other(_) | Shape::Void | Shape::Function { .. } => false,
        Shape::Pointer(target) => {
            !matches!(types.get(*target).shape, Shape::Function { .. })
                && !types.is_foreign(*target)
                && record_behind(types, ty) != Some(wanted)
        }
        _ => true,
    }
}

/// Asks the compiler what a file knows: handles whose struct it can lay out are none, and creators that it does not
/// declare cannot be called from its tests.
fn probe(
    sources: &Sources,
    clang: &Clang,
    subject: &Subject,
    unit: usize,
    handles: &mut Vec<Handle>,
) -> Result<(), CodeError> {
    let mut text = "\nvoid tw_probe(void)\n{\n".to_owned();
    let mut lines = 0..;
    let mut ask = |expression: String| {
        let line = lines.next().unwrap_or(0);
        text += &format!("#line {} \"{PROBE}\"\n(void)({expression});\n", line + 1);
        line + 1
    };
    let mut questions = Vec::new();
    for handle in &*handles {
        let signature = subject.function(handle.function).signature.as_ref();
        let declared =
            signature.and_then(|signature| declare(&subject.types, signature.params[handle.param].ty, ""));
        let size = ask(format!("sizeof(*({})0)", declared.unwrap_or_default()));
        let creators: Vec<u32> = handle
            .creators
            .iter()
            .map(|creator| ask(format!("&{}", subject.function(*creator).name)))
            .collect();
        questions.push((size, creators));
    }
    text += "}\n";
    let text = longer_text(&sources.units[unit], &text)?;
    let options = [OPTIONS, &["-ferror-limit=0"]].concat();
    let message = match compile_unit(&sources.units[unit], clang, &options, Some(&text)) {
        Err(CodeError::Compile(error)) => error.message,
        _ => String::new(),
    };
    let refused = |line: &u32| {
        let place = format!("{PROBE}:{line}:");
        message.lines().any(|message| message.starts_with(&place) && message.contains(" error: "))
    };
    let mut questions = questions.into_iter();
    handles.retain_mut(|handle| {
        let Some((size, creators)) = questions.next() else { return false };
        let mut answers = creators.iter();
        handle.creators.retain(|_| answers.next().is_some_and(|line| !refused(line)));
        refused(&size) && !handle.creators.is_empty()
    });
    Ok(())
}
