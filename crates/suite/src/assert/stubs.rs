//! What a test asserts of stubs: how often they were called, and what they were given.

use super::parts::is_nan;
use super::{Assertion, Part, PartKind, Root};
use crate::input::Found;
use std::collections::BTreeSet;
use testwright_base::case::Value;
use testwright_base::ids::{FunctionId, GlobalId, StubId};
use testwright_base::run::Run;
use testwright_base::stub::{MOST_GIVEN, Stub};
use testwright_base::subject::Subject;

/// A test asserts so much of stubs at most: it should fit on a screen.
const MOST: usize = 8;
/// Of so many stubs at most a test asserts that they were not called.
const UNCALLED: usize = 2;

/// The stubs that some test of a function comes to. Which allocations fail is no call.
pub(super) fn called(subject: &Subject, function: FunctionId, found: &[Found]) -> BTreeSet<StubId> {
    let own = found.iter().filter(|found| found.case.call().is_some_and(|(called, _)| called == function));
    let all = (0..subject.stubs.len()).map(StubId::of);
    let tellable = all.filter(|stub| !subject.stubs[stub.index()].is_allocation());
    tellable.filter(|stub| own.clone().any(|found| calls(&found.run, *stub) > 0)).collect()
}

/// Whether a global keeps what a stub is given.
pub(super) fn is_given(subject: &Subject, global: GlobalId) -> bool {
    subject.stubs.iter().any(|stub| stub.given.iter().any(|given| given.global == global))
}

/// How often each of the stubs was called, and what those were given that were; those that were not come last.
pub(super) fn assertions(subject: &Subject, found: &Found, stubs: &BTreeSet<StubId>) -> Vec<Assertion> {
    let is_stable = |stub: &StubId| {
        found.again.as_ref().is_none_or(|again| calls(again, *stub) == calls(&found.run, *stub))
    };
    let count = |stub: StubId| {
        let count = Value::Int(calls(&found.run, stub).into());
        let part = Part { path: Vec::new(), kind: PartKind::Count, value: count };
        Assertion { root: Root::Calls(stub), part }
    };
    let of_called = |stub: StubId| {
        let definition = &subject.stubs[stub.index()];
        let given =
            (0..definition.given.len()).filter_map(|index| of_given(found, (stub, definition), index));
        std::iter::once(count(stub)).chain(given).collect::<Vec<_>>()
    };
    let (uncalled, called): (Vec<StubId>, Vec<StubId>) =
        stubs.iter().copied().filter(is_stable).partition(|stub| calls(&found.run, *stub) == 0);
    let uncalled = uncalled.into_iter().take(UNCALLED).map(count);
    called.into_iter().flat_map(of_called).chain(uncalled).take(MOST).collect()
}

/// What a parameter was given in the first calls, if that is the same each time.
fn of_given(found: &Found, (stub, definition): (StubId, &Stub), index: usize) -> Option<Assertion> {
    let given = definition.given[index];
    let count = calls(&found.run, stub).min(MOST_GIVEN) as usize;
    let values = |run: &Run| {
        let seen = run.globals.iter().find(|seen| seen.global == given.global)?;
        let Value::Array(values) = &seen.after else { return None };
        values.get(..count).map(<[Value]>::to_vec)
    };
    let all = values(&found.run)?;
    let is_same = found.again.as_ref().is_none_or(|again| values(again).is_some_and(|again| again == all));
    let can_be_told = count > 0 && is_same && !all.iter().any(is_nan);
    let ty = definition.signature.params.get(given.param)?.ty;
    let part = Part { path: Vec::new(), kind: PartKind::Elements(ty), value: Value::Array(all) };
    can_be_told.then_some(Assertion { root: Root::Given(stub, given.param), part })
}

fn calls(run: &Run, stub: StubId) -> u64 {
    run.stub_calls.get(stub.index()).copied().unwrap_or(0)
}
