//! Global variables as inputs: those that a function or what it calls reads and that something may have changed.

use super::LoadedSubject;
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

impl LoadedSubject {
    /// The case with the globals that its function reads set to what they start with, so that a search can vary them.
    pub fn with_globals(&mut self, mut case: Case) -> Case {
        let Some((function, _)) = case.call() else { return case };
        let globals = read_globals(self.session.subject(), function);
        // A case that cannot be run fails in the search, with its reason.
        let initial = self.briefly(|session| session.initial_values(&case, &globals)).unwrap_or_default();
        let sets = initial.into_iter().map(|(global, value)| Statement::Set { global, value });
        case.insert_before_calls(sets.collect());
        case
    }
}

/// Whether a function reads globals of which a case that starts a search does not set every bit: pointers may lead somewhere at
/// the start, some are large, and of some types not all bytes can be given.
pub fn leaves_globals_alone(subject: &Subject, function: FunctionId, start: &Case) -> bool {
    let is_set = |global: GlobalId| {
        let sets =
            |statement: &Statement| matches!(statement, Statement::Set { global: set, .. } if *set == global);
        start.statements.iter().any(sets)
    };
    !all_reads(subject, function).into_iter().all(|global| is_set(global) && is_plain(subject, global))
}

/// Whether numbers of the code make up all bytes of a variable.
fn is_plain(subject: &Subject, global: GlobalId) -> bool {
    let global = &subject.globals[global.index()];
    let Some(ty) = global.ty else { return false };
    let scalars = leaves(&subject.types, ty);
    let is_number = |leaf: &ScalarLeaf| {
        !matches!(subject.types.get(leaf.ty).shape, Shape::Pointer(_) | Shape::Float { bits: 80 })
    };
    let covered: BTreeSet<u64> =
        scalars.iter().flat_map(|leaf| leaf.offset..leaf.offset + leaf.bytes).collect();
    scalars.iter().all(is_number) && covered.len() as u64 == global.size
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
