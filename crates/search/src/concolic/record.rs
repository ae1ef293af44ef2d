//! What a search says about itself.

use crate::plan::bid::Bid;
use crate::tree::{NodeId, RunId};
use std::time::Duration;
use testwright_base::ids::{GoalId, OutcomeId};
use testwright_base::run::End;
use testwright_logic::solve::{Answer, Statistics};

/// What one step did.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRecord {
    /// Where its case came from.
    pub by: Source,
    /// The flip that was tried; none for a case from outside.
    pub flip: Option<FlipRecord>,
    /// What the step was expected to bring and cost, if it was planned.
    pub bid: Option<Bid>,
    /// The run that was made.
    pub run: Option<RunId>,
    /// How it ended.
    pub end: Option<End>,
    /// Whether it ended well but used memory that is not its own.
    pub strayed: bool,
    /// The outcomes that it was the first to hit.
    pub new_outcomes: Vec<OutcomeId>,
    /// The goals that it was the first to show.
    pub new_goals: Vec<GoalId>,
    /// Whether it did something else than it was made for.
    pub diverged: bool,
    /// Why no run could be made although there was a case.
    pub failure: Option<String>,
}

/// Where the case of a step comes from. Only flips and drawn cases are the work of the way that was asked for a step; the others
/// come before it, whichever way that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// From outside.
    Given,
    /// A run asked for more or longer objects.
    Grown,
    /// An edit of an earlier case.
    Edited,
    /// Random numbers, chosen by a planner.
    Drawn,
    /// The flip of a node.
    Flipped,
    /// Solved for a goal that asks for more than an outcome.
    Augmented,
}

impl Source {
    /// Its name in the log of steps.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Source::Given => "given",
            Source::Grown => "grow",
            Source::Edited => "edit",
            Source::Drawn => "draw",
            Source::Flipped => "flip",
            Source::Augmented => "augment",
        }
    }

    /// Whether it is the way of the step that found the case.
    #[must_use]
    pub fn is_of_way(self) -> bool {
        matches!(self, Source::Drawn | Source::Flipped)
    }
}

/// A flip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlipRecord {
    /// The node.
    pub node: NodeId,
    /// Its site.
    pub site: Option<u32>,
    /// The run whose path was followed to it.
    pub from: RunId,
    /// What the solver said.
    pub answer: AnswerKind,
    /// How long that took.
    pub solver_time: Duration,
}

/// What the solver said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerKind {
    /// There are such inputs.
    Sat,
    /// There are none.
    Unsat,
    /// Nobody knows, and why.
    Unknown(String),
}

/// Why a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// All goals are met.
    GoalsMet,
    /// Every node of the tree is exhausted.
    Exhausted,
    /// The strategy has nothing to propose, although not every node is exhausted.
    Declined,
    /// As many runs as allowed.
    Runs,
    /// The time is over.
    Deadline,
    /// Somebody said so.
    Interrupted,
    /// Cases cannot be run any more, and why.
    Failed(String),
}

/// How often what happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Queries to the solver.
    pub queries: u64,
    /// Those with an answer.
    pub sat: u64,
    /// Those proved impossible.
    pub unsat: u64,
    /// Those that nobody could answer.
    pub unknown: u64,
    /// Time the solver took.
    pub solver_time: Duration,
    /// What of these was asked for goals that no flip leads to.
    pub augmented: Answered,
    /// Runs that did something else than they were made for.
    pub divergences: u64,
    /// Traces that were made again because they had been dropped.
    pub retraced: u64,
    /// Cases that could not be run.
    pub failures: u64,
    /// Traces that were cut short for lack of room.
    pub overflowed: u64,
    /// Random runs that a planner chose.
    pub drawn: u64,
    /// Time that its planning took.
    pub planning: Duration,
}

/// How queries were answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answered {
    /// With a model.
    pub sat: u64,
    /// That there is none.
    pub unsat: u64,
    /// Not at all.
    pub unknown: u64,
    /// The time that took.
    pub time: Duration,
}

impl Answered {
    /// What a solver was asked in all.
    #[must_use]
    pub fn of(solver: &Statistics) -> Answered {
        Answered { sat: solver.sat, unsat: solver.unsat, unknown: solver.unknown, time: solver.time }
    }

    /// How many queries.
    #[must_use]
    pub fn queries(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }

    /// One more query.
    pub fn note(&mut self, answer: &Answer, time: Duration) {
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
        self.time += time;
    }

    /// Adds others.
    pub fn add(&mut self, other: &Answered) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.time += other.time;
    }
}

/// A run that did not do what it was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Divergence {
    /// The node that was flipped.
    pub node: NodeId,
    /// The run that resulted.
    pub run: RunId,
    /// The last decision that it shared with the path to that node; none if not even the first.
    pub left_at: Option<NodeId>,
    /// Whether it came to the node, but went a way that is known.
    pub reached: bool,
}
