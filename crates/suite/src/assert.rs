//! What a test asserts: the returned value, and the objects and globals that the call changed.
//!
//! Of a returned pointer it asserts what that leads to. Of stubs it asserts how often they were called and what they were given; and what was printed. Of an object that a call returned
//! it asserts what queries say. A value is taken apart into *parts*: scalars, and arrays of scalars, which are asserted as a whole. Of a run
//! that was repeated only the parts that were the same both times are kept. What a call left alone although another one
//! changes it is told in a few parts, or else compared as a whole with a copy made before the call.

mod behind;
mod globals;
mod parts;
mod queries;
mod stubs;

pub use behind::is_written;
pub use globals::is_nameable;
pub(crate) use parts::is_nan;
pub use parts::{Part, PartKind, Step, parts_of, spell_path};

use crate::input::Found;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, GlobalId, StubId};
use testwright_base::query::Query;
use testwright_base::run::{End, Run};
use testwright_base::stream;
use testwright_base::subject::Subject;
use testwright_base::types::Types;

/// Something that a test asserts.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    /// What it is about.
    pub root: Root,
    /// The part of it, and what that must be.
    pub part: Part,
}

/// What an assertion is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// The returned value.
    Result,
    /// What the statement with this index made or set.
    Statement(usize),
    /// A global variable.
    Global(GlobalId),
    /// How often a stub was called.
    Calls(StubId),
    /// What a stub was given as the parameter with this number, call by call.
    Given(StubId, usize),
    /// What was written to standard output and standard error.
    Printed,
    /// What the returned value points to.
    Behind,
    /// What the code says about an object when it is asked.
    Query(Query),
}

/// Of an array with more elements than this only those that changed are asserted, if they are few.
const SHORT: usize = 16;
/// So many changed elements of a long array are few.
const FEW_ELEMENTS: usize = 4;
/// Of an array with more elements than this no more than the first ones that changed are asserted.
const LONG: usize = 256;
/// What a call left alone is told by so many parts at most, each no longer than a short array.
const FEW_PARTS: usize = 4;
/// More text than this, in bytes, is nothing to read in a test.
const MOST_PRINTED: usize = 512;
/// What one object or global is asserted by at most: a test should fit on a screen.
const MOST_PARTS: usize = 16;

/// Parameters of a function, by index, that point to what some call of it changed.
fn changed_params(subject: &Subject, function: FunctionId, found: &[Found]) -> BTreeSet<usize> {
    let mut changed = BTreeSet::new();
    for Found { case, run, .. } in found {
        let Some((called, arguments)) = case.call() else { continue };
        if called != function {
            continue;
        }
        for (index, argument) in arguments.iter().enumerate() {
            if let Value::Pointer { object, .. } = argument
                && is_changed(&subject.types, case, run, *object)
            {
                changed.insert(index);
            }
        }
    }
    changed
}

/// Whether the call changed the object that a statement makes.
#[must_use]
pub fn is_changed(types: &Types, case: &Case, run: &Run, statement: usize) -> bool {
    match (parts_before(types, case, statement), parts_after(types, case, run, statement)) {
        (Some(before), Some(after)) => before != after,
        _ => false,
    }
}

/// What the calls of a function do, in some test or other.
#[derive(Debug, Default)]
pub struct Habits {
    /// The parameters, by index, that point to what some call changes.
    pub changed: BTreeSet<usize>,
    /// The stubs that some call leads to.
    pub called: BTreeSet<StubId>,
    /// Whether some call prints something.
    pub prints: bool,
}

impl Habits {
    /// Those of a function.
    #[must_use]
    pub fn of(subject: &Subject, function: FunctionId, found: &[Found]) -> Habits {
        let own = |found: &&Found| found.case.call().is_some_and(|(called, _)| called == function);
        Habits {
            changed: changed_params(subject, function, found),
            called: stubs::called(subject, function, found),
            prints: found.iter().filter(own).any(|found| !found.run.output.is_empty()),
        }
    }
}

/// What a test of this case asserts. What other calls of the function do is asserted even if this call does not do it.
///
/// Nothing is known about results after an `exit`, so nothing is asserted but the end itself.
#[must_use]
pub fn assertions(subject: &Subject, found: &Found, habits: &Habits) -> Vec<Assertion> {
    if found.run.end != End::Returned {
        return Vec::new();
    }
    let Some((function, arguments)) = found.case.call() else { return Vec::new() };
    // What fails says so on standard output, so that has to be itself again before anything else is looked at.
    let mut assertions: Vec<Assertion> = printed(found, habits).into_iter().collect();
    if let Some(signature) = &subject.function(function).signature {
        let parts = |run: &Run| match &run.result {
            Some(value) => parts_of(&subject.types, signature.result, value),
            None => Vec::new(),
        };
        let again = found.again.as_ref().map(parts);
        let agreed = telling(agreeing(parts(&found.run), again.as_deref()));
        let behind = behind::parts(subject, signature.result, found);
        // What something is says that it is there.
        let agreed = agreed.into_iter().filter(|_| behind.is_empty());
        assertions.extend(agreed.map(|part| Assertion { root: Root::Result, part }));
        assertions.extend(behind.into_iter().map(|part| Assertion { root: Root::Behind, part }));
    }
    let wanted: BTreeSet<usize> = habits
        .changed
        .iter()
        .filter_map(|index| match arguments.get(*index) {
            Some(Value::Pointer { object, .. }) => Some(*object),
            _ => None,
        })
        .collect();
    for statement in 0..found.case.statements.len() {
        let parts = object_parts(&subject.types, found, statement, wanted.contains(&statement));
        assertions.extend(parts.into_iter().map(|part| Assertion { root: Root::Statement(statement), part }));
    }
    for seen in found.run.globals.iter().filter(|seen| !stubs::is_given(subject, seen.global)) {
        let parts = globals::of_global(subject, found, seen);
        assertions.extend(parts.into_iter().map(|part| Assertion { root: Root::Global(seen.global), part }));
    }
    assertions.extend(stubs::assertions(subject, found, &habits.called));
    if assertions.iter().all(|assertion| assertion.root == Root::Printed && assertion.part.value.is_zero()) {
        // That a call leaves its arguments alone is something too.
        for statement in 0..found.case.statements.len() {
            let parts = object_parts(&subject.types, found, statement, true);
            assertions
                .extend(parts.into_iter().map(|part| Assertion { root: Root::Statement(statement), part }));
        }
    }
    // Last, because what is asked may change something that nobody noticed.
    assertions.extend(queries::assertions(subject, found));
    assertions
}

/// What was printed, if that is text of which a test can tell, and the same each time.
fn printed(found: &Found, habits: &Habits) -> Option<Assertion> {
    let output = &found.run.output;
    let is_same = found.again.as_ref().is_none_or(|again| again.output == *output);
    let can_be_told = habits.prints && is_same && output.len() <= MOST_PRINTED;
    let part = || parts::of_stream(Some(output.clone())).pop();
    can_be_told.then(part).flatten().map(|part| Assertion { root: Root::Printed, part })
}

/// The parts of an object to assert: those that changed, or all of them if it did not change but is `wanted`.
fn object_parts(types: &Types, found: &Found, statement: usize, wanted: bool) -> Vec<Part> {
    let before = parts_before(types, &found.case, statement).unwrap_or_default();
    let Some(after) = parts_after(types, &found.case, &found.run, statement) else { return Vec::new() };
    let again = found.again.as_ref().and_then(|run| parts_after(types, &found.case, run, statement));
    let changed = before != after;
    let agreed = agreeing(after, again.as_deref());
    match (changed, wanted) {
        (true, _) => brief(&before, agreed),
        (false, true) => left_alone(&before, agreed),
        (false, false) => Vec::new(),
    }
}

/// What is asserted of something that is as it was: its parts if they are few, else that all of it is as before. Nothing if
/// another run changed it.
fn left_alone(before: &[Part], agreed: Vec<Part>) -> Vec<Part> {
    let is_short = |part: &Part| part.split().len() <= SHORT;
    if agreed.len() <= FEW_PARTS && agreed.iter().all(is_short) {
        return agreed;
    }
    if agreed == before { vec![Part::kept()] } else { Vec::new() }
}

/// The parts of a returned value, no more than a test should have: of many those that are not zero.
fn telling(parts: Vec<Part>) -> Vec<Part> {
    if parts.len() <= MOST_PARTS {
        return parts;
    }
    parts.into_iter().filter(|part| !part.value.is_zero()).take(MOST_PARTS).collect()
}

/// The parts that changed, no more than a test should have: of a long array only the elements that changed.
fn brief(before: &[Part], after: Vec<Part>) -> Vec<Part> {
    let old: Vec<Part> = before.iter().flat_map(Part::split).collect();
    let (wholes, old) = (by_path(before), by_path(&old));
    let is_in =
        |parts: &BTreeMap<&[Step], &Part>, part: &Part| parts.get(part.path.as_slice()) == Some(&part);
    let mut changed = Vec::new();
    for part in after.into_iter().filter(|part| !is_in(&wholes, part)) {
        let elements = part.split();
        let differ: Vec<Part> = elements.iter().filter(|element| !is_in(&old, element)).cloned().collect();
        if elements.len() > LONG || elements.len() > SHORT && differ.len() <= FEW_ELEMENTS {
            changed.extend(differ.into_iter().take(MOST_PARTS / 2));
        } else if !differ.is_empty() {
            changed.push(part);
        }
    }
    changed.truncate(MOST_PARTS);
    changed
}

/// Parts by where they are: an object may have thousands.
fn by_path(parts: &[Part]) -> BTreeMap<&[Step], &Part> {
    parts.iter().map(|part| (part.path.as_slice(), part)).collect()
}

fn parts_before(types: &Types, case: &Case, statement: usize) -> Option<Vec<Part>> {
    match case.statements.get(statement)? {
        Statement::Object { element, values } if types.is_stream(*element) => {
            Some(parts::of_stream(values.first().and_then(stream::text)))
        }
        Statement::Object { element, values } => Some(parts::of_elements(types, *element, values)),
        Statement::Set { .. } | Statement::Call { .. } => None,
    }
}

fn parts_after(types: &Types, case: &Case, run: &Run, statement: usize) -> Option<Vec<Part>> {
    match (case.statements.get(statement)?, run.objects.get(statement)?.as_ref()?) {
        (Statement::Object { element, .. }, Value::Array(values)) if types.is_stream(*element) => {
            Some(parts::of_stream(values.first().and_then(stream::content)))
        }
        (Statement::Object { element, .. }, Value::Array(values)) => {
            Some(parts::of_elements(types, *element, values))
        }
        _ => None,
    }
}

/// The parts that the other run has too; of an array that differs, the elements that are the same.
fn agreeing(parts: Vec<Part>, again: Option<&[Part]>) -> Vec<Part> {
    let Some(again) = again else { return parts };
    let again = by_path(again);
    let mut agreed = Vec::new();
    for part in parts {
        match again.get(part.path.as_slice()) {
            Some(other) if other.is_same(&part) => agreed.push(part),
            Some(other) => {
                let others = other.split();
                let others = by_path(&others);
                let same = |element: &Part| {
                    others.get(element.path.as_slice()).is_some_and(|other| other.is_same(element))
                };
                agreed.extend(part.split().into_iter().filter(same));
            }
            None => {}
        }
    }
    agreed
}

#[cfg(test)]
mod tests;
