//! Runs that keep to the time of the search: none goes on after its end, and what that cuts short is no finding.

use crate::build::loaded::LoadedSubject;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use testwright_base::case::Case;
use testwright_base::ids::OutcomeId;
use testwright_base::run::End;
use testwright_exec::Session;
use testwright_logic::path::EventKind;
use testwright_logic::solve::Model;
use testwright_search::execute::{Edit, Execute, Strayed, Traced};

/// How long one run may take. The step limit ends most loops earlier; this is for code that waits.
pub const RUN: Duration = Duration::from_secs(2);
/// How many pairs of pointers are joined before a search begins.
const ROUNDS: usize = 8;
/// What is left for a run that begins just before the end.
const LEAST: Duration = Duration::from_millis(50);

/// The code under test, until a deadline.
pub struct Bounded<'a> {
    code: &'a mut LoadedSubject,
    deadline: Option<Instant>,
    /// What runs showed beside their paths.
    pub seen: Seen,
}

/// What runs showed beside their paths.
#[derive(Debug, Default)]
pub struct Seen {
    /// Indices into the subject's lists of what traces could not express: native functions, unsupported code.
    pub opaque: BTreeSet<Opaque>,
    /// How often a run called each stub at most.
    pub most_calls: Vec<u64>,
}

/// Something that a trace could not express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opaque {
    /// What a function that is not traced was given: index of its name.
    Native(u32),
    /// Code that cannot be expressed: index of the reason.
    Unsupported(u32),
}

impl<'a> Bounded<'a> {
    /// The code until the deadline, and what earlier runs showed.
    pub fn new(code: &'a mut LoadedSubject, deadline: Option<Instant>, seen: Seen) -> Bounded<'a> {
        Bounded { code, deadline, seen }
    }

    /// The case with the pointers joined that its run shows to belong together.
    pub fn with_joined(&mut self, mut case: Case) -> Case {
        // The search needs the time more.
        let begun = Instant::now();
        let share = self.deadline.map(|deadline| deadline.saturating_duration_since(begun) / 8);
        for _ in 0..ROUNDS {
            if share.is_some_and(|share| begun.elapsed() > share) {
                break;
            }
            self.shorten();
            if self.deadline.is_some() {
                self.code.session.limits.wall /= 8;
            }
            // A case that cannot be run fails in the search, with its reason.
            match self.code.joined(&case) {
                Some(joined) => case = joined,
                None => break,
            }
        }
        case
    }

    /// What runs the cases.
    pub fn session(&mut self) -> &mut Session {
        self.shorten();
        &mut self.code.session
    }

    /// Gives the next run what is left of the time; whether that is less than runs usually get.
    fn shorten(&mut self) -> bool {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wall = left.map_or(RUN, |left| left.clamp(LEAST, RUN));
        self.code.session.limits.wall = wall;
        wall < RUN
    }
}

impl Execute for Bounded<'_> {
    fn trace(&mut self, case: &Case) -> Result<Traced, String> {
        let is_short = self.shorten();
        let traced = self.code.trace(case)?;
        if is_short && traced.end == End::Timeout {
            return Err("the time of the search was over before the run was".to_owned());
        }
        let calls = self.code.session.stub_calls();
        self.seen.most_calls.resize(calls.len(), 0);
        for (most, calls) in self.seen.most_calls.iter_mut().zip(calls) {
            *most = (*most).max(calls);
        }
        for step in traced.path.steps() {
            match step.kind {
                EventKind::Native => _ = self.seen.opaque.insert(Opaque::Native(step.extra)),
                EventKind::Unsupported => _ = self.seen.opaque.insert(Opaque::Unsupported(step.extra)),
                _ => {}
            }
        }
        Ok(traced)
    }

    fn strays(&mut self, case: &Case) -> Option<Strayed> {
        self.shorten();
        self.code.strays(case)
    }

    fn distances(&mut self, case: &Case) -> Vec<(OutcomeId, u64)> {
        self.shorten();
        self.code.distances(case)
    }

    fn edited(&self, case: &Case, edit: &Edit) -> Option<Case> {
        self.code.edited(case, edit)
    }

    fn drawn(&self, case: &Case, seed: u64) -> Option<Case> {
        self.code.drawn(case, seed)
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        self.code.change(case, model, fill)
    }
}
