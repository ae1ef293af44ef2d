//! Global variables as inputs: those that a function or what it calls reads and that something may have changed.

use super::Code;
use std::collections::BTreeSet;
use testwright_base::case::{Case, Statement};
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, GlobalId};
use testwright_base::layout::{ScalarLeaf, leaves};
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_suite::assert::is_nameable;

/// Globals of more bytes than this together are left as they are.
const GLOBAL_BYTES: u64 = 8192;

impl Code {
    /// The case with the globals that its function reads set to what they start with, so that a search can vary them.
    pub fn with_globals(&mut self, mut case: Case) -> Case {
        let Some((function, _)) = case.call() else { return case };
        let globals = read_globals(self.session.subject(), function);
        // A case that cannot be run fails in the search, with its reason.
        let initial = self.briefly(|session| session.initial_values(&case, &globals)).unwrap_or_default();
        let sets = initial.into_iter().map(|(global, value)| Statement::Set { global, value });
        let call = case.statements.len() - 1;
        case.statements.splice(call..call, sets);
        case
    }
}

/// Whether a function reads globals that may not be varied: pointers may lead somewhere at the start, others are large.
pub fn leaves_globals_alone(subject: &Subject, function: FunctionId) -> bool {
    let reads = all_reads(subject, function);
    let is_plain = |global: &GlobalId| {
        let Some(ty) = subject.globals[global.index()].ty else { return false };
        let scalars = leaves(&subject.types, ty);
        let is_pointer = |leaf: &ScalarLeaf| matches!(subject.types.get(leaf.ty).shape, Shape::Pointer(_));
        !scalars.is_empty() && !scalars.iter().any(is_pointer)
    };
    reads.len() > read_globals(subject, function).len() || !reads.iter().all(is_plain)
}

/// The globals that a function, what it calls and what it requires read; whether a test can name them is another question.
fn all_reads(subject: &Subject, function: FunctionId) -> BTreeSet<GlobalId> {
    let own = [Some(function), subject.precondition(function)];
    let all = CallGraph::callees_from(subject, function).into_iter().chain(own.into_iter().flatten());
    all.flat_map(|id| subject.function(id).reads.clone()).collect()
}

/// Those of them that a test can set and that are not too large.
fn read_globals(subject: &Subject, function: FunctionId) -> Vec<GlobalId> {
    let reads = all_reads(subject, function);
    let mut left = GLOBAL_BYTES;
    let mut fits = |global: &GlobalId| {
        let size = subject.globals[global.index()].size;
        left.checked_sub(size).map(|rest| left = rest).is_some()
    };
    let nameable = |global: &GlobalId| is_nameable(subject, function, *global);
    reads.into_iter().filter(nameable).filter(|global| fits(global)).collect()
}
