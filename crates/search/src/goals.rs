//! Criteria: kinds of goals, one file each.
//!
//! A criterion lists its goals in a subject and says which of them a run meets. The search aims at the outcomes that goals lie
//! at, so branches, switches and comparisons need nothing more. A criterion that asks for more than an outcome looks at the trace
//! of a run, and says what to solve in place of what held there.

mod boundary;
mod branch;
mod comparison;
mod error;
mod logical;
mod mutation;

pub use boundary::Boundary;
pub use branch::Branch;
pub use comparison::Comparison;
pub use error::Error;
pub use logical::Logical;
pub use mutation::Mutation;

use crate::augmentation::Augmentation;
use crate::execute::Traced;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use testwright_base::goal::{Goal, Goals};
use testwright_base::ids::{GoalId, OutcomeId, SiteId};
use testwright_base::site::Site;
use testwright_base::subject::Subject;
use testwright_logic::expr::Exprs;
use testwright_logic::path::{Constraint, Path, Step};

/// A kind of goals.
pub trait Criterion: Sync {
    /// Its name, on the command line and in reports.
    fn name(&self) -> &'static str;

    /// What it asks for, in a line.
    fn about(&self) -> &'static str;

    /// Its goals in a subject.
    fn goals(&self, subject: &Subject) -> Vec<Goal>;

    /// Whether a run that came to the outcome of a goal meets it. Asked only if the goal has a [`Goal::detail`] and nothing that it is
    /// shown by: without these, the outcome is all. What only a trace can tell is not met by a run without one.
    fn is_met(&self, _subject: &Subject, _goal: &Goal, _traced: Option<&Traced>) -> bool {
        true
    }

    /// Whether a goal can be called infeasible when every path was explored: only what control decides can.
    fn is_decided_by_paths(&self, _subject: &Subject, _goal: &Goal) -> bool {
        false
    }

    /// The sites that decide whether a run meets a goal: a run that came to one of them came close.
    fn sites(&self, subject: &Subject, goal: &Goal) -> Vec<SiteId> {
        subject.outcome(goal.outcome).map(|(site, _)| site).into_iter().collect()
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

    /// What to make true at the steps of a path in order to meet a goal, the most promising first.
    fn wishes<'t>(
        &'t self,
        subject: &'t Subject,
        goal: &'t Goal,
        exprs: &'t mut Exprs,
        path: &'t Path,
    ) -> Box<dyn Iterator<Item = (usize, Constraint)> + 't> {
        let site = subject.outcome(goal.outcome).map(|(site, _)| site.0);
        let steps = path.steps().iter().enumerate();
        let here = steps.filter(move |(_, step)| step.site.is_some() && step.site == site);
        Box::new(here.filter_map(move |(index, step)| Some((index, self.wish(subject, goal, exprs, step)?))))
    }
}

/// All criteria.
pub const ALL: [&dyn Criterion; 6] = [&Branch, &Comparison, &Boundary, &Logical, &Mutation, &Error];
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
    /// The goals that can be called infeasible when every path was explored.
    decided: BTreeSet<GoalId>,
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
        let named = |goal: &Goal| all.iter().find(|criterion| criterion.name() == goal.criterion);
        let mut solvable = vec![Vec::new(); subject.outcome_count as usize];
        for (id, goal) in goals.iter().filter(|(id, _)| goals.is_sought(*id)) {
            let sites = named(goal).filter(|criterion| criterion.has_wishes());
            let sites = sites.map(|criterion| criterion.sites(subject, goal)).unwrap_or_default();
            let sites = sites.into_iter().filter_map(|site| subject.site(site));
            sites.flat_map(Site::outcomes).for_each(|outcome| solvable[outcome.index()].push(id));
        }
        let is_decided =
            |goal: &Goal| named(goal).is_some_and(|criterion| criterion.is_decided_by_paths(subject, goal));
        let decided = goals.iter().filter(|(_, goal)| is_decided(goal)).map(|(id, _)| id).collect();
        Criteria {
            goals: Arc::new(goals),
            solvable,
            all: all.to_vec(),
            augmentation: Augmentation::default(),
            decided,
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
        self.decided.contains(&id)
    }

    fn criterion(&self, goal: &Goal) -> Option<&'a dyn Criterion> {
        self.all.iter().copied().find(|criterion| criterion.name() == goal.criterion)
    }

    /// The goals that a run meets which came to these outcomes.
    #[must_use]
    pub fn met(&self, subject: &Subject, outcomes: &[OutcomeId], traced: Option<&Traced>) -> Vec<GoalId> {
        let here = outcomes.iter().flat_map(|outcome| self.goals.at(*outcome)).copied();
        let here = here.filter(|id| {
            let goal = self.goals.get(*id);
            let is_met =
                || self.criterion(goal).is_some_and(|criterion| criterion.is_met(subject, goal, traced));
            goal.shown_by.is_empty() && (goal.detail.is_empty() || is_met())
        });
        let shown: BTreeSet<GoalId> =
            outcomes.iter().flat_map(|outcome| self.goals.shown_by(*outcome)).copied().collect();
        here.chain(shown).collect()
    }

    /// Whether only a trace tells that one of these goals is met.
    pub fn need_trace<'g>(&self, goals: impl IntoIterator<Item = &'g GoalId>) -> bool {
        let needs = |goal: &Goal| !goal.detail.is_empty() && goal.shown_by.is_empty();
        goals.into_iter().any(|id| needs(self.goals.get(*id)))
    }

    /// The sites that decide whether a run meets a goal.
    #[must_use]
    pub fn sites(&self, subject: &Subject, id: GoalId) -> Vec<SiteId> {
        let goal = self.goals.get(id);
        self.criterion(goal).map(|criterion| criterion.sites(subject, goal)).unwrap_or_default()
    }

    /// What to make true at the steps of a trace in order to meet a goal, the most promising first. `exprs` are the expressions
    /// of the trace; what is made true may be about others, which are added to them.
    pub fn wishes<'t>(
        &'t self,
        subject: &'t Subject,
        id: GoalId,
        traced: &'t Traced,
        exprs: &'t mut Exprs,
    ) -> impl Iterator<Item = (usize, Constraint)> + 't {
        let goal = self.goals.get(id);
        let wishes =
            self.criterion(goal).map(|criterion| criterion.wishes(subject, goal, exprs, &traced.path));
        wishes.into_iter().flatten()
    }
}

impl fmt::Debug for Criteria<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.all.iter().map(|criterion| criterion.name())).finish()
    }
}
