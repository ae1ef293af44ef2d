//! Coverage: which goals are sought, and which outcomes and goals were shown by which run.
//!
//! Sought are the goals of the criteria that are searched for, in the functions in scope. Targets are what fitness may aim at: the outcomes of
//! those goals, and the outcomes of comparisons that feed no branch.

use crate::tree::RunId;
use std::collections::BTreeSet;
use std::sync::Arc;
use testwright_base::goal::{Goal, Goals};
use testwright_base::ids::{FunctionId, GoalId, OutcomeId};
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;

/// How much a run shows of what it hit. A test needs a run that ends well, so a goal stays open for a while if others show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All of it: the run ended as the code wants it to.
    Well = DOUBT as isize,
    /// A finding, or one that used memory that is not its own: some of them, and the goal counts as met.
    Badly = (DOUBT / 32) as isize,
    /// The run ended because inputs were not as they are assumed to be.
    Unfairly = 1,
}

/// So many runs that break assumptions are taken for one that ends well.
const DOUBT: u16 = 128;

/// What is wanted and what was hit.
#[derive(Debug, Clone)]
pub struct Coverage {
    goals: Arc<Goals>,
    hit: Vec<Option<RunId>>,
    /// By goal, whether a run has shown it, however it ended.
    shown: Vec<bool>,
    /// By goal, how much is left until it counts as met that only runs which end badly show.
    doubt: Vec<u16>,
    sought: BTreeSet<GoalId>,
    open_goals: BTreeSet<GoalId>,
    scope: BTreeSet<FunctionId>,
    targets: Vec<OutcomeId>,
}

/// What a run brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct News {
    /// The outcomes that no run had hit before.
    pub outcomes: Vec<OutcomeId>,
    /// The goals that no run had shown before.
    pub goals: Vec<GoalId>,
    /// Whether a goal is met by it.
    pub met: bool,
}

impl Coverage {
    /// Nothing is hit yet. If there is a list of outcomes, goals elsewhere are not sought.
    #[must_use]
    pub fn new(
        subject: &Subject,
        goals: Arc<Goals>,
        scope: BTreeSet<FunctionId>,
        only: Option<&[OutcomeId]>,
    ) -> Coverage {
        let is_sought = |id: GoalId, goal: &Goal| match only {
            Some(only) => only.contains(&goal.outcome),
            None => goals.is_sought(id) && scope.contains(&goal.function),
        };
        let sought: BTreeSet<GoalId> =
            goals.iter().filter(|(id, goal)| is_sought(*id, goal)).map(|(id, _)| id).collect();
        let mut targets: Vec<OutcomeId> = sought.iter().map(|id| goals.get(*id).outcome).collect();
        targets.dedup();
        let known: BTreeSet<OutcomeId> = targets.iter().copied().collect();
        let decides = |kind: &SiteKind| kind.is_branch() || matches!(kind, SiteKind::Compare { .. });
        let sites = subject.sites.iter().filter(|site| scope.contains(&site.function) && decides(&site.kind));
        targets.extend(sites.flat_map(Site::outcomes).filter(|outcome| !known.contains(outcome)));
        Coverage {
            hit: vec![None; subject.outcome_count as usize],
            shown: vec![false; goals.len()],
            doubt: vec![DOUBT; goals.len()],
            open_goals: sought.clone(),
            goals,
            sought,
            scope,
            targets,
        }
    }

    /// Outcomes that are no goals are no targets.
    pub fn aim_at_goals_only(&mut self) {
        let sought: BTreeSet<OutcomeId> = self.sought.iter().map(|id| self.goals.get(*id).outcome).collect();
        self.targets.retain(|target| sought.contains(target));
    }

    /// Takes note of what a run hit, and of the goals that it shows.
    pub fn add(&mut self, run: RunId, outcomes: &[OutcomeId], goals: &[GoalId], shown: Shown) -> News {
        let mut news = News::default();
        for outcome in outcomes {
            if let Some(first @ None) = self.hit.get_mut(outcome.index()) {
                *first = Some(run);
                news.outcomes.push(*outcome);
            }
        }
        for goal in goals {
            if !std::mem::replace(&mut self.shown[goal.index()], true) {
                news.goals.push(*goal);
            }
            let doubt = &mut self.doubt[goal.index()];
            *doubt = doubt.saturating_sub(shown as u16);
            news.met |= *doubt == 0 && self.open_goals.remove(goal);
        }
        news
    }

    /// Goals at outcomes that turned out to be impossible are sought no more, unless they are met.
    pub fn give_up(&mut self, is_impossible: impl Fn(OutcomeId) -> bool) {
        let open = self.open_goals.iter().copied();
        let given_up: Vec<GoalId> =
            open.filter(|goal| is_impossible(self.goals.get(*goal).outcome)).collect();
        for goal in given_up {
            self.open_goals.remove(&goal);
            self.sought.remove(&goal);
        }
    }

    /// Whether one of these is a goal that is still open.
    #[must_use]
    pub fn wants(&self, goals: &[GoalId]) -> bool {
        goals.iter().any(|goal| self.open_goals.contains(goal))
    }

    /// Whether a goal at this outcome is still open.
    #[must_use]
    pub fn is_open(&self, outcome: OutcomeId) -> bool {
        self.wants(self.goals.at(outcome))
    }

    /// The outcomes at which goals are still open.
    #[must_use]
    pub fn open_outcomes(&self) -> BTreeSet<OutcomeId> {
        self.open_goals.iter().map(|goal| self.goals.get(*goal).outcome).collect()
    }

    /// The outcomes that a run may be the first to show an open goal by.
    #[must_use]
    pub fn outcomes_wanted(&self) -> BTreeSet<OutcomeId> {
        self.open_goals.iter().flat_map(|goal| self.goals.needed(*goal)).copied().collect()
    }

    /// The outcomes at which goals are still open, and that getting there may meet: what other outcomes show is not met by that.
    #[must_use]
    pub fn outcomes_aimed_at(&self) -> BTreeSet<OutcomeId> {
        let goals = self.open_goals.iter().map(|goal| self.goals.get(*goal));
        let is_aim = |goal: &&Goal| goal.shown_by.is_empty() || self.first_hit(goal.outcome).is_none();
        goals.filter(is_aim).map(|goal| goal.outcome).collect()
    }

    /// Whether a run has shown a goal, however it ended.
    #[must_use]
    pub fn is_shown(&self, goal: GoalId) -> bool {
        self.shown[goal.index()]
    }

    /// All goals of the subject, sought or not.
    #[must_use]
    pub fn all_goals(&self) -> &Arc<Goals> {
        &self.goals
    }

    /// The run that first hit an outcome.
    #[must_use]
    pub fn first_hit(&self, outcome: OutcomeId) -> Option<RunId> {
        self.hit.get(outcome.index()).copied().flatten()
    }

    /// The goals that are sought.
    #[must_use]
    pub fn goals(&self) -> &BTreeSet<GoalId> {
        &self.sought
    }

    /// Those that no run has met.
    #[must_use]
    pub fn open_goals(&self) -> &BTreeSet<GoalId> {
        &self.open_goals
    }

    /// What fitness may aim at, goals first.
    #[must_use]
    pub fn targets(&self) -> &[OutcomeId] {
        &self.targets
    }

    /// The functions whose code counts.
    #[must_use]
    pub fn scope(&self) -> &BTreeSet<FunctionId> {
        &self.scope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::sample;

    /// Goals at this many outcomes of a subject of one function.
    fn coverage(count: u32) -> Coverage {
        let mut subject = sample::empty_subject();
        subject.outcome_count = count;
        subject.functions.push(sample::calling("f", &[]));
        let goal = |outcome| Goal {
            criterion: "some",
            function: FunctionId(0),
            outcome: OutcomeId(outcome),
            detail: String::new(),
            shown_by: Vec::new(),
        };
        let goals = Goals::new(&subject, (0..count).map(goal).collect(), ["some"]);
        Coverage::new(&subject, Arc::new(goals), BTreeSet::from([FunctionId(0)]), None)
    }

    #[test]
    fn a_goal_stays_open_while_only_runs_that_end_badly_show_it() {
        let mut coverage = coverage(2);
        let (hit, goal) = ([OutcomeId(0)], [GoalId(0)]);
        let news = coverage.add(RunId(0), &hit, &goal, Shown::Unfairly);
        assert_eq!(news, News { outcomes: hit.to_vec(), goals: goal.to_vec(), met: false });
        assert_eq!(coverage.first_hit(OutcomeId(0)), Some(RunId(0)));
        assert!(coverage.is_open(OutcomeId(0)) && coverage.is_shown(GoalId(0)));
        let met = News { met: true, ..News::default() };
        assert_eq!(coverage.add(RunId(1), &hit, &goal, Shown::Well), met, "now it is met");
        assert!(!coverage.is_open(OutcomeId(0)));
        assert_eq!(coverage.open_outcomes(), BTreeSet::from([OutcomeId(1)]));
    }

    #[test]
    fn what_always_ends_badly_counts_as_met_in_the_end() {
        let mut coverage = coverage(1);
        let mut add = |shown| coverage.add(RunId(0), &[OutcomeId(0)], &[GoalId(0)], shown).met;
        assert_eq!((0..31).filter(|_| add(Shown::Badly)).count(), 0);
        assert!(add(Shown::Badly), "so many findings are enough");
    }

    #[test]
    fn only_goals_at_named_outcomes_are_sought_if_there_is_a_list() {
        let coverage = coverage(3);
        let goals = Arc::clone(coverage.all_goals());
        let subject = sample::empty_subject();
        let only = Coverage::new(&subject, goals, BTreeSet::new(), Some(&[OutcomeId(2)]));
        assert_eq!(only.goals(), &BTreeSet::from([GoalId(2)]));
    }
}
