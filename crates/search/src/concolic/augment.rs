//! Augmentation: goals that no flip leads to are solved for along the paths that came to their site.
//!
//! Whenever a run comes to the site of an open goal without meeting it, and the criterion says what to solve, the run waits here. A step takes the goal that was tried
//! least, and asks for inputs that keep to the path of its run up to the place, where what the criterion wishes holds besides. Which of
//! several places on a path is tried next moves on with every try.

use super::step::without_run;
use super::{Search, Source, StepRecord, StopReason};
use crate::execute::Execute;
use crate::tree::RunId;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Instant;
use testwright_base::ids::{GoalId, OutcomeId};
use testwright_logic::solve::{Answer, Query, Solve};

/// So many runs wait for each goal.
const WAITING: usize = 16;
/// So many queries are made for each goal.
const TRIES: u32 = 64;

/// The goals that wait for a solver, each with runs that came close and how often it was tried.
#[derive(Debug, Default)]
pub(super) struct Augmenting(BTreeMap<GoalId, Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    /// Runs, and how many of the places on their paths were tried.
    runs: VecDeque<(RunId, usize)>,
    tries: u32,
    asked: Asked,
}

/// What was asked about a goal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// So many queries were made.
    pub queries: u32,
    /// So many of them have no solution.
    pub unsat: u32,
}

impl Augmenting {
    /// A run came to the site of a goal without meeting it.
    fn came_close(&mut self, goal: GoalId, run: RunId) {
        let waiting = self.0.entry(goal).or_default();
        let is_known = waiting.runs.back().is_some_and(|(last, _)| *last == run);
        if !is_known && waiting.runs.len() < WAITING && waiting.tries < TRIES {
            waiting.runs.push_back((run, 0));
        }
    }

    /// The run that a query for a goal led to is the first to go on from.
    fn go_on_from(&mut self, goal: GoalId, run: RunId) {
        let waiting = self.0.entry(goal).or_default();
        let found = waiting.runs.iter().rposition(|(other, _)| *other == run);
        if let Some(place) = found.and_then(|index| waiting.runs.remove(index)) {
            waiting.runs.push_front(place);
        }
    }

    /// The goal to try, the run to start from and the place on its path.
    fn next(&mut self, is_open: impl Fn(GoalId) -> bool) -> Option<(GoalId, RunId, usize)> {
        self.0.retain(|goal, _| is_open(*goal));
        let is_ready = |waiting: &Waiting| !waiting.runs.is_empty() && waiting.tries < TRIES;
        let ready = self.0.iter_mut().filter(|(_, waiting)| is_ready(waiting));
        let (goal, waiting) = ready.min_by_key(|(_, waiting)| waiting.tries)?;
        waiting.tries += 1;
        let (run, place) = waiting.runs.pop_front()?;
        Some((*goal, run, place))
    }

    /// The other places on the path of a run may be tried later.
    fn put_back(&mut self, goal: GoalId, run: RunId, place: usize) {
        self.0.entry(goal).or_default().runs.push_back((run, place));
    }

    fn asked(&mut self, goal: GoalId, answer: &Answer) {
        let asked = &mut self.0.entry(goal).or_default().asked;
        asked.queries += 1;
        asked.unsat += u32::from(*answer == Answer::Unsat);
    }
}

impl Search<'_> {
    /// Takes note of the open goals that a run came to the site of, but does not meet.
    pub(super) fn note_close(&mut self, run: RunId, outcomes: &[OutcomeId]) {
        for goal in outcomes.iter().flat_map(|outcome| self.criteria.solvable(*outcome)) {
            if self.coverage.open_goals().contains(goal) {
                self.augmenting.came_close(*goal, run);
            }
        }
    }

    /// What was asked about an open goal that no flip leads to.
    #[must_use]
    pub fn asked_about(&self, goal: GoalId) -> Asked {
        self.augmenting.0.get(&goal).map(|waiting| waiting.asked).unwrap_or_default()
    }

    /// One step: solves for a goal that no flip leads to.
    ///
    /// # Errors
    /// Why there was nothing to do.
    pub fn augment(
        &mut self,
        execute: &mut dyn Execute,
        solve: &mut dyn Solve,
        deadline: Option<Instant>,
    ) -> Result<StepRecord, StopReason> {
        let open = self.coverage.open_goals();
        let next = self.augmenting.next(|goal| open.contains(&goal));
        let (goal, from, place) = next.ok_or(StopReason::Declined)?;
        let traced = self.trace_of(execute, from).map_err(StopReason::Failed)?;
        let criteria = Rc::clone(&self.criteria);
        let mut exprs = traced.exprs.clone();
        let Some((step, wish)) = criteria.wishes(self.subject, goal, &traced, &mut exprs).nth(place) else {
            return Ok(without_run(Source::Augmented, None, None));
        };
        self.augmenting.put_back(goal, from, place + 1);
        let constraints = criteria.augmentation().keeps.augmented(&traced.path, step, wish);
        let query = Query {
            exprs: &exprs,
            constraints: &constraints,
            inputs: &traced.inputs,
            values: &traced.values,
            deadline,
        };
        let started = Instant::now();
        let answer = solve.solve(&query);
        self.counts.augmented.note(&answer, started.elapsed());
        self.counts.solver_time += started.elapsed();
        self.counts.queries += 1;
        self.augmenting.asked(goal, &answer);
        match &answer {
            Answer::Sat(_) => self.counts.sat += 1,
            Answer::Unsat => self.counts.unsat += 1,
            Answer::Unknown(_) => self.counts.unknown += 1,
        }
        let case =
            if let Answer::Sat(model) = &answer { Some(self.changed(execute, from, model)) } else { None };
        match case.filter(|case| !self.runs.has(case)) {
            Some(case) => {
                let record = self.run_given(execute, case, Source::Augmented)?;
                if let Some(run) = record.run {
                    self.augmenting.go_on_from(goal, run);
                }
                Ok(record)
            }
            None => Ok(without_run(Source::Augmented, None, None)),
        }
    }
}
