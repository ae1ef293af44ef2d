//! Gaps: what a search did not try, so that "every path was explored" is not yet a proof.

use super::doubts::{Doubts, OnTheWay};
use super::reasons::Tally;
use crate::counted;
use crate::schedule::{Opaque, Seen};
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, OutcomeId, SiteId};
use testwright_base::subject::{Param, Subject};
use testwright_base::types::Shape;
use testwright_search::concolic::Search;
use testwright_search::tree::State;

/// So many gaps are named; of the others it is said how many they are.
const NAMED: usize = 3;

/// What was not tried, each in a few words.
pub struct Gaps<'d> {
    subject: &'d Subject,
    /// Values that the search did not vary: what decides may depend on them.
    values: Vec<String>,
    /// Whether some of these are values that code computes in ways that no trace can express.
    opaque: bool,
    /// Paths that it did not follow to their end.
    paths: Vec<String>,
    /// What was in doubt on the way to some goals.
    doubts: OnTheWay<'d>,
}

impl Gaps<'_> {
    /// Whether a search that explored every path has proved that a decision cannot go as it never did.
    pub fn leave_nothing(&self, site: SiteId) -> bool {
        self.values.is_empty() && self.paths.is_empty() && self.doubts.before(site).is_empty()
    }

    /// The same of all these goals.
    pub fn leave_nothing_of<'g>(&self, goals: impl IntoIterator<Item = &'g OutcomeId>) -> bool {
        let mut sites = goals.into_iter().map(|goal| self.subject.outcome(*goal));
        sites.all(|site| site.is_some_and(|(site, _)| self.leave_nothing(site)))
    }

    /// Whether other values of the inputs that were varied may lead to what was not met.
    pub fn may_hide_paths(&self) -> bool {
        self.opaque || !self.paths.is_empty()
    }

    /// Whether a decision may depend on values that the search did not vary.
    pub fn in_values(&self, site: SiteId) -> bool {
        !self.values.is_empty() || !self.doubts.before(site).is_empty()
    }

    /// What was not tried on the way to a decision.
    pub fn text(&self, site: SiteId) -> String {
        let doubts = self.doubts.before(site);
        let all: Vec<&str> =
            doubts.into_iter().chain(self.values.iter().chain(&self.paths).map(String::as_str)).collect();
        let named = all.iter().take(NAMED).copied().collect::<Vec<&str>>().join("; ");
        match all.len().checked_sub(NAMED) {
            None | Some(0) => named,
            Some(more) => format!("{named}; and {more} more"),
        }
    }
}

/// What a search has looked at by now.
pub struct Looked<'d, 's> {
    /// The code under test.
    pub subject: &'d Subject,
    /// The function.
    pub function: FunctionId,
    /// Its plainest case.
    pub start: &'d Case,
    /// The search.
    pub search: &'d Search<'s>,
    /// What its steps came to.
    pub tally: &'d Tally,
    /// What runs showed beside their paths.
    pub seen: &'d Seen,
    /// What nobody can vary completely.
    pub doubts: &'d Doubts<'s>,
}

impl<'d> Looked<'d, '_> {
    /// What it has not tried.
    pub fn gaps(&self) -> Gaps<'d> {
        let Looked { subject, function, search, .. } = *self;
        let counts = search.counts();
        let mut values = of_inputs(subject, function, self.start);
        values.extend(of_stubs(subject, function, &self.seen.most_calls));
        values.extend((!search.off().is_nothing()).then(|| "what heuristics try that are off".to_owned()));
        for opaque in &self.seen.opaque {
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
            (search.tree().open_count() as u64, "flip", "that was not tried"),
            (counts.unknown, "flip", "that the solver gave up on"),
            (counts.divergences, "run", "that took another path than predicted"),
            (counts.overflowed, "trace", "that was cut short for lack of room"),
            (counts.failures, "case", "that could not be run"),
            (self.tally.limited, "run", "that reached a limit"),
            (enough, "address", "that could be elsewhere"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let counted = counts.map(|(count, what, which)| format!("{} {which}", counted(count as usize, what)));
        let mut paths: Vec<String> = counted.collect();
        paths.extend(search.tree().is_full().then(|| "paths for which there was no room".to_owned()));
        let doubts = self.doubts.with(&self.tally.bad_ends);
        Gaps { subject, values, opaque: !self.seen.opaque.is_empty(), paths, doubts }
    }
}

/// Inputs that a search does not vary, or not in all ways.
fn of_inputs(subject: &Subject, function: FunctionId, start: &Case) -> Vec<String> {
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
    if crate::build::loaded::leaves_globals_alone(subject, function, start) {
        gaps.push("other values of global variables".to_owned());
    }
    gaps.extend(signature.variadic.then(|| "more arguments".to_owned()));
    gaps
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
