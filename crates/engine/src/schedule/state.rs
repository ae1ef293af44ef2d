//! The state of a search: everything that the bidders of one function share, and what they have spent of its budget.

use super::bounded::Bounded;
use super::function::Setting;
use crate::failure::Failure;
use crate::judge::doubts::Doubts;
use crate::judge::gaps::{Gaps, Looked};
use crate::judge::reasons::Tally;
use crate::technique::FunctionAnalysis;
use crate::watch::{Event, Moment, Watch};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, GoalId, OutcomeId};
use testwright_logic::solve::SolverChain;
use testwright_search::concolic::{Limits, Search, Source, StepRecord, StopReason, Way};
use testwright_search::heuristics::Heuristic;

/// Where nobody asked for it, the code is analysed only if so much time is left: it may take a tenth of that.
const WORTH_IT: Duration = Duration::from_secs(5);
/// .. or so many runs: an analysis takes as long as some hundred of them, and with many functions it is made for each.
const WORTH_RUNS: u64 = 500;

/// A search that is limited by runs ends after so many flips in a row that brought none, because it might not end at
/// all: a loop of a million iterations has as many decisions, and each takes its time to be proved inevitable.
const FUTILE: u64 = 1000;
/// In all so many more of them are made for each run of the budget.
const FUTILE_PER_RUN: u64 = 16;
/// However few runs there are, so many flips may be given up on.
const LEAST_GIVEN_UP: u64 = 16;

/// What bidders share.
pub struct SearchState<'a, 's> {
    /// What all functions have in common.
    pub setting: &'a Setting<'s>,
    /// The function.
    pub function: FunctionId,
    /// Its plainest case.
    pub start: &'a Case,
    /// The tree, the coverage and the best cases.
    pub search: Search<'s>,
    /// The code.
    pub bounded: Bounded<'a>,
    /// The solver.
    pub solver: &'a mut SolverChain,
    /// What the steps came to.
    pub tally: Tally,
    /// Hears how far the search is.
    pub watch: &'a mut dyn Watch,
    /// When the time is over.
    pub deadline: Option<Instant>,
    /// The runs that were drawn at random, inside the worker.
    pub drawn: u64,
    /// The runs that a search over inputs judged.
    pub judged: u64,
    /// What input searches know about the function, once one has begun.
    pub analysis: Option<FunctionAnalysis>,
    /// Whether the code was asked which goals are impossible.
    pub has_ruled_out: bool,
    /// Who has the turn.
    pub turn: String,
    /// What nobody can vary completely on the way to goals.
    pub doubts: &'a Doubts<'s>,
    /// All goals.
    pub goals: BTreeSet<GoalId>,
}

impl SearchState<'_, '_> {
    /// Whether costs are measured in time, rather than counted in runs.
    pub fn is_timed(&self) -> bool {
        self.setting.runs.is_none()
    }

    /// What the search has not tried by now.
    pub fn gaps(&self) -> Gaps<'_> {
        let looked = Looked {
            subject: self.setting.subject,
            function: self.function,
            start: self.start,
            search: &self.search,
            tally: &self.tally,
            seen: &self.bounded.seen,
            doubts: self.doubts,
        };
        looked.gaps()
    }

    /// Whether a heuristic is on.
    pub fn keeps(&self, heuristic: Heuristic) -> bool {
        self.setting.off.keeps(heuristic)
    }

    /// All runs so far, of whatever kind.
    pub fn runs(&self) -> u64 {
        self.search.runs().len() as u64 + self.drawn + self.judged
    }

    /// How many runs are left; none if time is what counts.
    pub fn runs_left(&self) -> Option<u64> {
        self.setting.runs.map(|runs| runs.saturating_sub(self.runs()))
    }

    /// How many goals are open.
    pub fn open(&self) -> u64 {
        self.search.coverage().open_goals().len() as u64
    }

    /// How many goals are met.
    pub fn met(&self) -> u64 {
        self.search.coverage().goals().len() as u64 - self.open()
    }

    /// Whether the user wants to stop.
    pub fn is_interrupted(&self) -> bool {
        self.setting.interrupted.load(Ordering::Relaxed)
    }

    /// Why the search is to end, if it is.
    pub fn limit_reached(&self) -> Option<StopReason> {
        let limits = Limits {
            runs: None,
            deadline: self.deadline,
            until_covered: !self.setting.thorough,
            interrupted: Some(self.setting.interrupted),
        };
        let reason = self.search.limit_reached(&limits);
        reason.or_else(|| self.runs_left().filter(|left| *left == 0).map(|_| StopReason::Runs))
    }

    /// One step of the search.
    pub fn step(&mut self, way: Way) -> Result<Source, StopReason> {
        let record = self.search.step(&mut self.bounded, self.solver, way, self.deadline)?;
        self.note(&record);
        Ok(record.by)
    }

    /// One step towards a goal that asks for more than an outcome.
    pub fn augment(&mut self) -> Result<(), StopReason> {
        let record = self.search.augment(&mut self.bounded, self.solver, self.deadline)?;
        self.note(&record);
        Ok(())
    }

    fn note(&mut self, record: &StepRecord) {
        self.tally.note(record, &self.goals);
        if let Some(observe) = self.setting.observe {
            observe(record);
        }
        self.show();
    }

    /// Whether so much of the budget is left that the code may be analysed.
    pub fn has_time_for_analysis(&self) -> bool {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.is_none_or(|deadline| left(deadline) >= WORTH_IT)
            && self.runs_left().is_none_or(|left| left >= WORTH_RUNS)
    }

    /// Whether flips took as much work without a run as a budget of so many runs allows: a flip that the solver gives up on takes
    /// as long as a run or more, the others take far less.
    pub fn flips_are_spent(&self) -> bool {
        let Some(runs) = self.setting.runs else { return false };
        let given_up = self.search.counts().unknown;
        self.tally.flips_in_vain >= FUTILE
            || self.tally.all_in_vain >= FUTILE + FUTILE_PER_RUN * runs
            || given_up >= runs.max(LEAST_GIVEN_UP)
    }

    /// Drops goals of callees that this function cannot reach. Its own goals stay: what the search saw tells why they are not
    /// met.
    pub fn rule_out(&mut self) -> Result<(), Failure> {
        let calls_others = self.search.coverage().scope().len() > 1;
        if std::mem::replace(&mut self.has_ruled_out, true) || !calls_others {
            return Ok(());
        }
        let Some(reachable) = (self.setting.input_search.reachable)(self.function)? else { return Ok(()) };
        let (subject, function) = (self.setting.subject, self.function);
        let is_own = |outcome: OutcomeId| {
            let site = subject.outcome(outcome).and_then(|(site, _)| subject.site(site));
            site.is_some_and(|site| site.function == function)
        };
        self.search.give_up(|outcome| !reachable.contains(&outcome) && !is_own(outcome));
        self.goals = self.search.coverage().goals().clone();
        Ok(())
    }

    /// Runs a case from elsewhere.
    pub fn offer(&mut self, case: Case) -> Result<(), StopReason> {
        if self.search.runs().has(&case) {
            return Ok(());
        }
        self.search.offer(case);
        self.step(Way::Strategy(0)).map(|_| ())
    }

    /// Shows how far the search is.
    pub fn show(&mut self) {
        let moment =
            Moment { runs: self.runs(), met: self.tally.met, goals: self.goals.len(), by: &self.turn };
        self.watch.tell(Event::Moment(moment));
    }
}
