//! Criteria: kinds of goals, one file each.
//!
//! A criterion lists its goals in a subject and says which of them a run meets. The search aims at the outcomes that goals lie
//! at, so branches, switches and comparisons need nothing more. A criterion that asks for more than an outcome looks at the trace
//! of a run, and says what to solve in place of what held there.

mod boundary;
mod branch;
mod comparison;
mod error;
mod mutation;

pub use boundary::Boundary;
pub use branch::Branch;
pub use comparison::Comparison;
pub use error::Error;
pub use mutation::Mutation;

use crate::augmentation::Augmentation;
use crate::execute::Traced;
use std::fmt;
use std::sync::Arc;
use testwright_base::goal::{Goal, Goals};
use testwright_base::ids::{GoalId, OutcomeId};
use testwright_base::site::Site;
use testwright_base::subject::Subject;
use testwright_logic::expr::Exprs;
use testwright_logic::path::{Constraint, Step};

/// A kind of goals.
pub trait Criterion: Sync {
    /// Its name, on the command line and in reports.
    fn name(&self) -> &'static str;

    /// What it asks for, in a line.
    fn about(&self) -> &'static str;

    /// Its goals in a subject.
    fn goals(&self, subject: &Subject) -> Vec<Goal>;

    /// Whether a run that came to the outcome of a goal meets it. Asked only if the goal has a [`Goal::detail`]: without one, the
    /// outcome is all. What only a trace can tell is not met by a run without one.
    fn is_met(&self, _subject: &Subject, _goal: &Goal, _traced: Option<&Traced>) -> bool {
        true
    }

    /// Whether its goals can be called infeasible when every path was explored: only what control decides can.
    fn is_decided_by_paths(&self) -> bool {
        false
    }

    /// Whether it says what to solve for its goals. Branches and switches are flipped in any case.
    fn has_wishes(&self) -> bool {
        false
    }

    /// What a run has to make true at a step of this trace, where it came to the site of a goal, in order to meet the goal; nothing if
    /// this step cannot meet it. `exprs` are the expressions of the trace; it may add what it needs to them.
    fn wish(&self, _subject: &Subject, _goal: &Goal, _exprs: &mut Exprs, _step: &Step) -> Option<Constraint> {
        None
    }
}

/// All criteria.
pub const ALL: [&dyn Criterion; 5] = [&Branch, &Comparison, &Boundary, &Mutation, &Error];
/// The one that is searched for if nobody says anything.
pub const DEFAULT: &str = "branch";
/// What suites are to show if nobody says anything, as the command line takes it.
pub const DEFAULT_OF_SUITES: &str = "branch,mutation";

/// The goals of a subject, and who asks for them.
pub struct Criteria<'a> {
    goals: Arc<Goals>,
    /// By outcome, the goals at its site that are searched for and can be solved for.
    solvable: Vec<Vec<GoalId>>,
    all: Vec<&'a dyn Criterion>,
    augmentation: Augmentation,
}

impl<'a> Criteria<'a> {
    /// The goals of these criteria, of which some are searched for, by name.
    #[must_use]
    pub fn new(
        subject: &Subject,
        all: &[&'a dyn Criterion],
        sought: impl IntoIterator<Item = &'static str>,
    ) -> Criteria<'a> {
        let goals = all.iter().flat_map(|criterion| criterion.goals(subject)).collect();
        let goals = Goals::new(subject, goals, sought);
        let has_wishes =
            |name: &str| all.iter().any(|criterion| criterion.name() == name && criterion.has_wishes());
        let mut solvable = vec![Vec::new(); subject.outcome_count as usize];
        for (id, goal) in goals.iter().filter(|(id, goal)| goals.is_sought(*id) && has_wishes(goal.criterion))
        {
            let site = subject.outcome(goal.outcome).and_then(|(site, _)| subject.site(site));
            site.into_iter().flat_map(Site::outcomes).for_each(|outcome| solvable[outcome.index()].push(id));
        }
        Criteria {
            goals: Arc::new(goals),
            solvable,
            all: all.to_vec(),
            augmentation: Augmentation::default(),
        }
    }

    /// The same, solved for in this way.
    #[must_use]
    pub fn solved_by(self, augmentation: Augmentation) -> Criteria<'a> {
        Criteria { augmentation, ..self }
    }

    /// How path conditions are augmented to meet the goals.
    #[must_use]
    pub fn augmentation(&self) -> Augmentation {
        self.augmentation
    }

    /// All criteria, of which the usual one is searched for.
    #[must_use]
    pub fn usual(subject: &Subject) -> Criteria<'a> {
        Criteria::new(subject, &ALL, [DEFAULT])
    }

    /// The goals.
    #[must_use]
    pub fn goals(&self) -> &Arc<Goals> {
        &self.goals
    }

    /// The goals at the site of an outcome that are searched for and can be solved for.
    #[must_use]
    pub fn solvable(&self, outcome: OutcomeId) -> &[GoalId] {
        self.solvable.get(outcome.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether there are such goals at all.
    #[must_use]
    pub fn are_solvable(&self) -> bool {
        self.solvable.iter().any(|goals| !goals.is_empty())
    }

    /// Whether a goal can be called infeasible when every path was explored.
    #[must_use]
    pub fn is_decided_by_paths(&self, id: GoalId) -> bool {
        let goal = self.goals.get(id);
        self.criterion(goal).is_some_and(Criterion::is_decided_by_paths)
    }

    fn criterion(&self, goal: &Goal) -> Option<&'a dyn Criterion> {
        self.all.iter().copied().find(|criterion| criterion.name() == goal.criterion)
    }

    /// The goals that a run meets which came to these outcomes.
    #[must_use]
    pub fn met(&self, subject: &Subject, outcomes: &[OutcomeId], traced: Option<&Traced>) -> Vec<GoalId> {
        let here = outcomes.iter().flat_map(|outcome| self.goals.at(*outcome)).copied();
        here.filter(|id| {
            let goal = self.goals.get(*id);
            goal.detail.is_empty()
                || self.criterion(goal).is_some_and(|criterion| criterion.is_met(subject, goal, traced))
        })
        .collect()
    }

    /// Whether only a trace tells that one of these goals is met.
    pub fn need_trace<'g>(&self, goals: impl IntoIterator<Item = &'g GoalId>) -> bool {
        goals.into_iter().any(|id| !self.goals.get(*id).detail.is_empty())
    }

    /// What to make true at the steps of a trace in order to meet a goal, the first step that can first. `exprs` are the expressions
    /// of the trace; what is made true may be about others, which are added to them.
    pub fn wishes<'t>(
        &self,
        subject: &'t Subject,
        id: GoalId,
        traced: &'t Traced,
        exprs: &'t mut Exprs,
    ) -> impl Iterator<Item = (usize, Constraint)> + use<'_, 'a, 't> {
        let goal = self.goals.get(id);
        let criterion = self.criterion(goal);
        let site = subject.outcome(goal.outcome).map(|(site, _)| site.0);
        let steps = traced.path.steps().iter().enumerate();
        let here = steps.filter(move |(_, step)| step.site.is_some() && step.site == site);
        here.filter_map(move |(index, step)| Some((index, criterion?.wish(subject, goal, exprs, step)?)))
    }
}

impl fmt::Debug for Criteria<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.all.iter().map(|criterion| criterion.name())).finish()
    }
}
