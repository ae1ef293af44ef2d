//! Coverage: which outcomes are wanted, and which were hit by which run.
//!
//! Goals are the outcomes of branches and switches of the functions in scope; or a list given from outside. Targets are what fitness may aim at: goals, and the outcomes of
//! comparisons that feed no branch.

use crate::tree::RunId;
use std::collections::BTreeSet;
use testwright_base::ids::{FunctionId, OutcomeId};
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
    hit: Vec<Option<RunId>>,
    /// How much is left until an outcome counts as met that only runs which end badly show.
    doubt: Vec<u16>,
    goals: BTreeSet<OutcomeId>,
    open_goals: BTreeSet<OutcomeId>,
    scope: BTreeSet<FunctionId>,
    targets: Vec<OutcomeId>,
}

impl Coverage {
    /// Nothing is hit yet. Without a list of goals, all branch outcomes of the functions in scope are meant.
    #[must_use]
    pub fn new(subject: &Subject, scope: BTreeSet<FunctionId>, goals: Option<&[OutcomeId]>) -> Coverage {
        let outcomes = |wanted: fn(&SiteKind) -> bool| {
            let sites =
                subject.sites.iter().filter(|site| scope.contains(&site.function) && wanted(&site.kind));
            sites.flat_map(Site::outcomes).collect::<BTreeSet<_>>()
        };
        let branches = outcomes(SiteKind::is_branch);
        let comparisons = outcomes(|kind| matches!(kind, SiteKind::Compare { .. }));
        let goals = goals.map_or_else(|| branches.clone(), |goals| goals.iter().copied().collect());
        let mut targets: Vec<OutcomeId> = goals.iter().copied().collect();
        targets.extend(branches.union(&comparisons).filter(|outcome| !goals.contains(outcome)));
        let open_goals = goals.clone();
        let count = subject.outcome_count as usize;
        Coverage { hit: vec![None; count], doubt: vec![DOUBT; count], goals, open_goals, scope, targets }
    }

    /// Takes note of what a run hit: the outcomes that no run had hit before, and whether goals are met by it.
    pub fn add(&mut self, run: RunId, outcomes: &[OutcomeId], shown: Shown) -> (Vec<OutcomeId>, bool) {
        let (mut news, mut met) = (Vec::new(), false);
        for outcome in outcomes {
            let Some(first) = self.hit.get_mut(outcome.index()) else { continue };
            if first.is_none() {
                *first = Some(run);
                news.push(*outcome);
            }
            let doubt = &mut self.doubt[outcome.index()];
            *doubt = doubt.saturating_sub(shown as u16);
            met |= *doubt == 0 && self.open_goals.remove(outcome);
        }
        (news, met)
    }

    /// Goals that turned out to be impossible are goals no more, unless they are met.
    pub fn give_up(&mut self, is_impossible: impl Fn(OutcomeId) -> bool) {
        let given_up: Vec<OutcomeId> =
            self.open_goals.iter().copied().filter(|goal| is_impossible(*goal)).collect();
        for goal in given_up {
            self.open_goals.remove(&goal);
            self.goals.remove(&goal);
        }
    }

    /// Whether one of these is a goal that is still open.
    #[must_use]
    pub fn wants(&self, outcomes: &[OutcomeId]) -> bool {
        outcomes.iter().any(|outcome| self.open_goals.contains(outcome))
    }

    /// The run that first hit an outcome.
    #[must_use]
    pub fn first_hit(&self, outcome: OutcomeId) -> Option<RunId> {
        self.hit.get(outcome.index()).copied().flatten()
    }

    /// The goals.
    #[must_use]
    pub fn goals(&self) -> &BTreeSet<OutcomeId> {
        &self.goals
    }

    /// The goals that no run has met.
    #[must_use]
    pub fn open_goals(&self) -> &BTreeSet<OutcomeId> {
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

    /// A subject of one function with this many outcomes.
    fn coverage(count: u32) -> Coverage {
        let mut subject = sample::empty_subject();
        subject.outcome_count = count;
        subject.functions.push(sample::calling("f", &[]));
        let goals: Vec<OutcomeId> = (0..count).map(OutcomeId).collect();
        Coverage::new(&subject, BTreeSet::from([FunctionId(0)]), Some(&goals))
    }

    #[test]
    fn a_goal_stays_open_while_only_runs_that_end_badly_show_it() {
        let mut coverage = coverage(2);
        let hit = [OutcomeId(0)];
        assert_eq!(coverage.add(RunId(0), &hit, Shown::Unfairly), (hit.to_vec(), false), "it is new");
        assert_eq!(coverage.first_hit(OutcomeId(0)), Some(RunId(0)));
        assert!(coverage.open_goals().contains(&OutcomeId(0)));
        assert_eq!(coverage.add(RunId(1), &hit, Shown::Well), (Vec::new(), true), "now it is met");
        assert!(!coverage.open_goals().contains(&OutcomeId(0)));
    }

    #[test]
    fn what_always_ends_badly_counts_as_met_in_the_end() {
        let mut coverage = coverage(1);
        let mut add = |shown| coverage.add(RunId(0), &[OutcomeId(0)], shown).1;
        assert_eq!((0..31).filter(|_| add(Shown::Badly)).count(), 0);
        assert!(add(Shown::Badly), "so many findings are enough");
    }
}
