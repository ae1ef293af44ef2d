//! The search: run, pick a node, solve its flip, run the answer, until there is nothing left to do.
//!
//! A search is a value: [`Search::step`] does one step and says what it did, [`Search::run`] goes on until a limit,
//! and in between everything it knows can be looked at. The same configuration and seed give the same steps, as
//! long as runs and answers are the same.

mod augment;
mod config;
mod desk;
mod fragments;
mod planned;
mod planner;
mod record;
mod splice;
mod step;

pub use augment::Asked;
use augment::Augmenting;
pub use config::{Config, LAST_RESORT, Limits, Way};
pub use planner::Planning;
pub use record::{AnswerKind, Answered, Counts, Divergence, FlipRecord, Source, StepRecord, StopReason};

use crate::archive::Archive;
use crate::coverage::Coverage;
use crate::execute::Execute;
use crate::goals::Criteria;
use crate::heuristics::{Heuristic, Off};
use crate::map::CodeMap;
use crate::plan::cost::CostModel;
use crate::random::Random;
use crate::reward::Rewards;
use crate::run_fitness::RunFitness;
use crate::runs::Runs;
use crate::scope::scope;
use crate::strategy::Strategy;
use crate::traces::Traces;
use crate::tree::Tree;
use desk::Desk;
use planner::Planner;
use splice::Splicing;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::subject::Subject;
use testwright_logic::solve::Solve;

/// A search for inputs that take new paths.
pub struct Search<'a> {
    config: Config,
    subject: &'a Subject,
    tree: Tree,
    runs: Runs,
    coverage: Coverage,
    map: CodeMap,
    fitness: RunFitness,
    /// One for each strategy.
    desks: Vec<Desk>,
    random: Random,
    traces: Traces,
    rewards: Rewards,
    splicing: Splicing,
    /// Chooses between random runs and flips, instead of the strategy.
    planner: Option<Planner>,
    archive: Archive,
    /// Goals that wait to be solved for.
    augmenting: Augmenting,
    /// Who says which goals a run meets.
    criteria: Rc<Criteria<'a>>,
    /// Cases from outside that wait to be run.
    waiting: VecDeque<Case>,
    /// Cases with more or longer objects, which runs asked for.
    larger: VecDeque<Case>,
    /// Whether the last step ran one of those: they take turns with flips.
    grew: bool,
    counts: Counts,
    divergences: Vec<Divergence>,
    failures_in_a_row: u64,
    /// Whether a run has returned without using memory that is not its own.
    returned: bool,
    /// Runs since one came closer to a target.
    fruitless: u64,
    /// See [`View::looked_at`].
    looked_at: Cell<u64>,
}

/// What frontiers may look at. A macro, so that the frontiers themselves can be changed at the same time.
macro_rules! view {
    ($search:expr) => {
        View {
            subject: $search.subject,
            tree: &$search.tree,
            runs: &$search.runs,
            coverage: &$search.coverage,
            map: &$search.map,
            fitness: &$search.fitness,
            off: $search.config.off,
            looked_at: &$search.looked_at,
        }
    };
}
use view;

impl<'a> Search<'a> {
    /// A search for the usual goals in `function` that begins with `start`.
    #[must_use]
    pub fn new(config: Config, subject: &'a Subject, function: FunctionId, start: Case) -> Search<'a> {
        Search::with_criteria(config, Rc::new(Criteria::usual(subject)), subject, function, start)
    }

    /// As [`Search::new`], for the goals of these criteria.
    #[must_use]
    pub fn with_criteria(
        config: Config,
        criteria: Rc<Criteria<'a>>,
        subject: &'a Subject,
        function: FunctionId,
        start: Case,
    ) -> Search<'a> {
        let scope = scope(subject, function, &config.elsewhere);
        let off = config.off;
        let mut coverage =
            Coverage::new(subject, Arc::clone(criteria.goals()), scope, config.only.as_deref());
        if !off.keeps(Heuristic::TargetsBeyondGoals) {
            coverage.aim_at_goals_only();
        }
        let pin_flips =
            if off.keeps(Heuristic::PinFlips) { config.pin_flips } else { config.pin_flips.min(1) };
        // Fitness costs time with every run, so it is measured only for those who look at it.
        let strategies: Vec<Strategy> =
            [&config.strategy].into_iter().chain(&config.others).cloned().collect();
        let guided = strategies.iter().any(|strategy| strategy.mentions("fitnex"));
        let planning = config.planning.clone();
        Search {
            subject,
            criteria,
            tree: Tree::new(config.max_nodes, pin_flips),
            runs: Runs::default(),
            map: CodeMap::default(),
            planner: planning.map(|planning| Planner::new(planning, subject, function, &coverage)),
            fitness: if guided {
                RunFitness::new(subject, &coverage).without(off)
            } else {
                RunFitness::default()
            },
            coverage,
            desks: strategies
                .into_iter()
                .enumerate()
                .map(|(index, strategy)| Desk::new(strategy, index == 0))
                .collect(),
            random: Random::new(config.seed),
            traces: Traces::new(config.trace_memory),
            rewards: Rewards::default(),
            splicing: Splicing::default(),
            archive: Archive::default(),
            augmenting: Augmenting::default(),
            waiting: VecDeque::from([start]),
            larger: VecDeque::new(),
            grew: false,
            counts: Counts::default(),
            divergences: Vec::new(),
            failures_in_a_row: 0,
            returned: false,
            fruitless: 0,
            looked_at: Cell::new(0),
            config,
        }
    }

    /// A case from elsewhere; it is run before the next flip.
    pub fn offer(&mut self, case: Case) {
        self.waiting.push_back(case);
    }

    /// Gives back most of the memory while the search waits; traces are made again when they are needed.
    pub fn rest(&mut self) {
        self.traces = Traces::new(self.config.trace_memory);
    }

    /// Goals that turned out to be impossible are not looked for any more.
    pub fn give_up(&mut self, is_impossible: impl Fn(OutcomeId) -> bool) {
        self.coverage.give_up(is_impossible);
        self.map.update(self.subject, &self.coverage);
    }

    /// Goes on until a limit is reached or nothing is left to do; `observe` sees every step.
    pub fn run(
        &mut self,
        execute: &mut dyn Execute,
        solve: &mut dyn Solve,
        limits: &Limits<'_>,
        observe: &mut dyn FnMut(&StepRecord),
    ) -> StopReason {
        loop {
            if let Some(reason) = self.limit_reached(limits) {
                return reason;
            }
            match self.step(execute, solve, self.usual_way(), limits.deadline) {
                Ok(record) => observe(&record),
                Err(reason) => return reason,
            }
        }
    }

    /// The planner's if there is one, otherwise that of the first strategy.
    fn usual_way(&self) -> Way {
        if self.planner.is_some() { Way::Planned } else { Way::Strategy(0) }
    }

    /// Why the search is to end, if it is.
    #[must_use]
    pub fn limit_reached(&self, limits: &Limits<'_>) -> Option<StopReason> {
        // What waits may show without harm what was only seen in runs that broke off.
        let is_idle = !self.runs.is_empty() && self.waiting.is_empty() && self.larger.is_empty();
        if limits.until_covered && is_idle && self.coverage.open_goals().is_empty() {
            return Some(StopReason::GoalsMet);
        }
        if limits.is_interrupted() {
            return Some(StopReason::Interrupted);
        }
        if limits.runs.is_some_and(|runs| self.runs.len() as u64 >= runs) {
            return Some(StopReason::Runs);
        }
        limits.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(StopReason::Deadline)
    }

    /// The heuristics that it does without.
    #[must_use]
    pub fn off(&self) -> Off {
        self.config.off
    }

    /// The execution tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The runs so far.
    #[must_use]
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// What was hit.
    #[must_use]
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The best case per goal, and the findings.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// What solving is known to cost by now, if the search plans.
    #[must_use]
    pub fn costs(&self) -> Option<&CostModel> {
        self.planner.as_ref().map(Planner::costs)
    }

    /// How often what happened.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How many runs, nodes, flips and edits were looked at to choose one of them.
    #[must_use]
    pub fn looked_at(&self) -> u64 {
        self.looked_at.get()
    }

    /// The first runs that did not do what they were made for.
    #[must_use]
    pub fn divergences(&self) -> &[Divergence] {
        &self.divergences
    }
}
