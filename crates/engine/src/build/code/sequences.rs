//! Cases whose objects are made and changed by calls of the code itself.

use super::Code;
use testwright_base::build::Build;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::run::End;
use testwright_base::start::plainest_case;
use testwright_base::subject::{Callee, Subject};
use testwright_base::types::{Shape, Types};

/// So many functions that make an object are tried.
const CREATORS: usize = 2;
/// So many functions that change an object are tried.
const CHANGERS: usize = 4;
/// What the numbers are that a creator is given, until it makes something: many refuse zero, some refuse more than a few.
const GIVEN: [i128; 3] = [0, 1, 8];

impl Code {
    /// Cases of a function that is given pointers to structs: one is made by a function that returns such a pointer, and changed by
    /// others that take one; where no function makes one, it is a plain object that others have changed.
    pub fn sequences(&mut self, function: FunctionId) -> Vec<Case> {
        let subject = std::sync::Arc::clone(&self.subject);
        let subject = &*subject;
        let Ok(plain) = plainest_case(subject, function) else { return Vec::new() };
        let Some(signature) = &subject.function(function).signature else { return Vec::new() };
        let mut cases = Vec::new();
        for (index, param) in signature.params.iter().enumerate() {
            let Some(target) = target(&subject.types, param.ty) else { continue };
            let creators = creators(subject, target).filter(|creator| *creator != function);
            let made: Vec<Case> =
                creators.take(CREATORS).filter_map(|creator| self.creation(subject, creator)).collect();
            let changers: Vec<(FunctionId, usize)> = changers(subject, target)
                .filter(|(changer, _)| *changer != function)
                .take(CHANGERS)
                .collect();
            for made in &made {
                cases.push(with_returned(plain.clone(), index, made.clone()));
                for (changer, param) in &changers {
                    let Ok(change) = plainest_case(subject, *changer) else { continue };
                    let changed = with_returned(change, *param, made.clone());
                    cases.push(with_same(plain.clone(), index, changed, *param));
                }
            }
            for (changer, param) in changers.iter().filter(|_| made.is_empty()) {
                let Ok(change) = plainest_case(subject, *changer) else { continue };
                cases.push(with_same(plain.clone(), index, change, *param));
            }
        }
        cases
    }

    /// A call of a function that makes an object, if it does.
    fn creation(&mut self, subject: &Subject, creator: FunctionId) -> Option<Case> {
        let plain = plainest_case(subject, creator).ok()?;
        GIVEN.into_iter().find_map(|given| {
            let mut case = plain.clone();
            if let Some(Statement::Call { arguments, .. }) = case.statements.last_mut() {
                for value in arguments {
                    if let Value::Int(number) = value {
                        *number = given;
                    }
                }
            }
            let run = self.briefly(|session| session.run(&case, Build::RunWithDistances)).ok()?;
            let makes = run.end == End::Returned && run.result.is_some_and(|result| result != Value::Null);
            makes.then_some(case)
        })
    }

    /// The parameter that is given null by a call before, if one is: only that call is to blame for what follows.
    pub(super) fn null_made(&mut self, case: &Case) -> Option<String> {
        let subject = std::sync::Arc::clone(&self.subject);
        let last = case.call();
        let before = case.calls_before().map(|(_, function, arguments)| (function, arguments));
        for (function, arguments) in before.chain(last) {
            let params = &subject.function(function).signature.as_ref()?.params;
            for (param, value) in params.iter().zip(arguments) {
                let Value::Returned { call } = value else { continue };
                let alone = Case { statements: case.statements[..=*call].to_vec() }.without_orphans();
                let run = self.session.run(&alone, Build::RunWithDistances).ok()?;
                if run.end == End::Returned && run.result == Some(Value::Null) {
                    return Some(format!("{} is not null", param.name));
                }
            }
        }
        None
    }
}

/// A number for the functions that a case calls before the one under test; 0 if there is none. Paths through others are no part of
/// the same tree.
pub(super) fn calls(case: &Case) -> u64 {
    case.calls_before().fold(0, |calls, (_, function, _)| {
        (calls ^ (u64::from(function.0) + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The struct that a pointer leads to, if it is one that code makes itself.
fn target(types: &Types, pointer: TypeId) -> Option<TypeId> {
    let Shape::Pointer(target) = types.get(pointer).shape else { return None };
    let is_struct = matches!(types.get(target).shape, Shape::Record { union: false, .. });
    let is_stream = types.is_stream(types.meant(target).unwrap_or(target));
    (is_struct && !is_stream && !types.is_list(pointer)).then_some(target)
}

/// Functions that a case can call, in the order of what they ask for.
fn callable(subject: &Subject) -> impl Iterator<Item = FunctionId> {
    let is_callable = |id: &FunctionId| {
        let function = subject.function(*id);
        let signature = function.signature.as_ref();
        let is_plain =
            signature.is_some_and(|signature| !signature.variadic) && function.uncallable.is_none();
        is_plain && !function.model && !function.companion && function.name != "main"
    };
    let mut ids: Vec<FunctionId> =
        (0..subject.functions.len()).map(FunctionId::of).filter(is_callable).collect();
    ids.sort_by_key(|id| subject.function(*id).signature.as_ref().map(|signature| signature.params.len()));
    ids.into_iter()
}

/// Functions that return a pointer to such a struct, and are given none.
fn creators(subject: &Subject, wanted: TypeId) -> impl Iterator<Item = FunctionId> {
    let types = &subject.types;
    callable(subject).filter(move |id| {
        let signature = subject.function(*id).signature.as_ref();
        signature.is_some_and(|signature| {
            let takes = |ty: TypeId| target(types, ty) == Some(wanted);
            takes(signature.result) && !signature.params.iter().any(|param| takes(param.ty))
        })
    })
}

/// Functions that may change such a struct, and which of their parameters leads to it. What frees something may end the life of the
/// struct, so it is left out.
fn changers(subject: &Subject, wanted: TypeId) -> impl Iterator<Item = (FunctionId, usize)> {
    let types = &subject.types;
    let found = callable(subject).filter_map(move |id| {
        let params = &subject.function(id).signature.as_ref()?.params;
        let may_change = |ty: TypeId| target(types, ty) == Some(wanted) && !types.behind(ty).constant;
        Some((id, params.iter().position(|param| may_change(param.ty))?))
    });
    found.filter(|(id, _)| !frees(subject, *id))
}

fn frees(subject: &Subject, function: FunctionId) -> bool {
    let entered = CallGraph::entered_from(subject, &[function]);
    let mut calls = entered.iter().flat_map(|id| &subject.function(*id).calls);
    calls.any(|call| matches!(&call.callee, Callee::External(name) if name == "free"))
}

/// The case after another, whose last call returns the argument of this index.
fn with_returned(case: Case, param: usize, earlier: Case) -> Case {
    let (mut joined, call) = case.after(earlier);
    set_argument(&mut joined, param, Value::Returned { call });
    joined.without_orphans()
}

/// The case after another, whose last call was given what the argument of this index is.
fn with_same(case: Case, param: usize, earlier: Case, given: usize) -> Case {
    let (mut joined, call) = case.after(earlier);
    let same = match &joined.statements[call] {
        Statement::Call { arguments, .. } => arguments.get(given).cloned(),
        _ => None,
    };
    if let Some(same) = same {
        set_argument(&mut joined, param, same);
    }
    joined.without_orphans()
}

fn set_argument(case: &mut Case, param: usize, value: Value) {
    if let Some(Statement::Call { arguments, .. }) = case.statements.last_mut() {
        arguments[param] = value;
    }
}
