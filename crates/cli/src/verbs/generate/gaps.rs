//! Gaps: what a search did not try, so that "every path was explored" is not yet a proof.

use super::bounded::Opaque;
use super::counted;
use super::reasons::Tally;
use std::collections::BTreeSet;
use std::fmt;
use testwright_base::graph::CallGraph;
use testwright_base::ids::FunctionId;
use testwright_base::subject::{Callee, Param, Subject};
use testwright_base::types::Shape;
use testwright_search::explore::Search;
use testwright_search::tree::State;

/// What was not tried, each in a few words.
#[derive(Debug, Default)]
pub struct Gaps {
    /// Values that the search did not vary: what decides may depend on them.
    values: Vec<String>,
    /// Whether some of these are values that code computes in ways that no trace can express.
    opaque: bool,
    /// Paths that it did not follow to their end.
    paths: Vec<String>,
}

impl Gaps {
    /// Whether a search that explored every path has proved that what it did not meet cannot be met.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.paths.is_empty()
    }

    /// Whether other values of the inputs that were varied may lead to what was not met.
    pub fn may_hide_paths(&self) -> bool {
        self.opaque || !self.paths.is_empty()
    }

    /// Whether there are values that it did not vary.
    pub fn in_values(&self) -> bool {
        !self.values.is_empty()
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> = self.values.iter().chain(&self.paths).map(String::as_str).collect();
        formatter.write_str(&all.join("; "))
    }
}

/// What a search did not try.
pub fn gaps(
    subject: &Subject,
    function: FunctionId,
    search: &Search<'_>,
    tally: &Tally,
    opaque: &BTreeSet<Opaque>,
    most_calls: &[u64],
) -> Gaps {
    let counts = search.counts();
    let mut values = of_inputs(subject, function);
    values.extend(of_calls(subject, function));
    values.extend(of_stubs(subject, function, most_calls));
    for opaque in opaque {
        values.push(match opaque {
            Opaque::Native(index) => {
                let name = subject.externals.get(*index as usize).map_or("a function", String::as_str);
                format!("other values given to {name}")
            }
            Opaque::Unsupported(index) => {
                let what = subject.unsupported.get(*index as usize).map_or("code", String::as_str);
                format!("other values in {what}")
            }
        });
    }
    let enough =
        search.tree().ids().filter(|id| search.tree().node(*id).state == State::Enough).count() as u64;
    let counts = [
        (counts.unknown, "flip", "that the solver gave up on"),
        (counts.divergences, "run", "that took another path than predicted"),
        (counts.overflowed, "trace", "that was cut short for lack of room"),
        (counts.failures, "case", "that could not be run"),
        (tally.limited, "run", "that reached a limit"),
        (enough, "address", "that could be elsewhere"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let counted = counts.map(|(count, what, which)| format!("{} {which}", counted(count as usize, what)));
    let mut paths: Vec<String> = counted.collect();
    paths.extend(search.tree().is_full().then(|| "paths for which there was no room".to_owned()));
    Gaps { values, opaque: !opaque.is_empty(), paths }
}

/// Inputs that a search does not vary, or not in all ways.
fn of_inputs(subject: &Subject, function: FunctionId) -> Vec<String> {
    let Some(signature) = &subject.function(function).signature else {
        return vec!["parameters that are not known".to_owned()];
    };
    let leads_on = |param: &Param| {
        matches!(
            subject.types.get(param.ty).shape,
            Shape::Pointer(_) | Shape::Record { .. } | Shape::Other(_)
        )
    };
    let mut gaps = Vec::new();
    if signature.params.iter().any(leads_on) {
        gaps.push("other shapes of what pointers and structs hold".to_owned());
    }
    if crate::code::leaves_globals_alone(subject, function) {
        gaps.push("other values of global variables".to_owned());
    }
    gaps.extend(signature.variadic.then(|| "more arguments".to_owned()));
    gaps
}

/// Functions that have no answer.
const SILENT: [&str; 8] =
    ["abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "__stack_chk_fail", "free"];

/// Functions whose answers a search does not vary.
fn of_calls(subject: &Subject, function: FunctionId) -> Option<String> {
    let all = CallGraph::callees_from(subject, function).into_iter().chain([function]);
    let is_stub = |name: &str| subject.stubs.iter().any(|stub| stub.name == name);
    // Whether these allocate is an input.
    let all = all.filter(|id| !testwright_code::may_refuse(&subject.function(*id).name));
    let calls = all.flat_map(|id| &subject.function(id).calls);
    let names: BTreeSet<&str> = calls
        .filter_map(|call| match &call.callee {
            Callee::External(name) if !SILENT.contains(&name.as_str()) && !is_stub(name) => {
                Some(name.as_str())
            }
            _ => None,
        })
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    (!names.is_empty()).then(|| format!("other answers of {}", crate::load::first_of(&names)))
}

/// Answers of stubs that a search does not vary: those beyond the room for them, and what stubs cannot give.
fn of_stubs(subject: &Subject, function: FunctionId, most_calls: &[u64]) -> Vec<String> {
    let mut gaps = Vec::new();
    for id in subject.stubs_within(function) {
        let stub = &subject.stubs[id.index()];
        let calls = most_calls.get(id.index()).copied().unwrap_or(0);
        let room = stub.answers.iter().filter_map(|answers| {
            let ty = subject.globals[answers.global.index()].ty?;
            match subject.types.get(ty).shape {
                Shape::Array { count, .. } => count,
                _ => None,
            }
        });
        if let Some(room) = room.min().filter(|room| calls > *room) {
            gaps.push(format!("more than {room} different answers of {}", stub.name));
        }
        gaps.extend(stub.limits.iter().map(|limit| format!("other answers of {} ({limit})", stub.name)));
    }
    gaps
}
