//! Coverage: which outcomes are wanted, and which were hit by which run.
//!
//! Goals are the outcomes of branches and switches of the function under test and of what it may call, library
//! models left out; or a list given from outside. Targets are what fitness may aim at: goals, and the outcomes of
//! comparisons that feed no branch.

use crate::tree::RunId;
use std::collections::BTreeSet;
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;

/// What is wanted and what was hit.
#[derive(Debug, Clone)]
pub struct Coverage {
    hit: Vec<Option<RunId>>,
    goals: BTreeSet<OutcomeId>,
    open_goals: BTreeSet<OutcomeId>,
    scope: BTreeSet<FunctionId>,
    targets: Vec<OutcomeId>,
}

impl Coverage {
    /// Nothing is hit yet. Without a list of goals, all branch outcomes that a call of `function` may reach are meant.
    #[must_use]
    pub fn new(subject: &Subject, function: FunctionId, goals: Option<&[OutcomeId]>) -> Coverage {
        let mut scope: BTreeSet<FunctionId> =
            CallGraph::new(subject).all_callees(function).into_iter().collect();
        scope.insert(function);
        scope.retain(|function| !subject.function(*function).model);
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
        Coverage { hit: vec![None; subject.outcome_count as usize], goals, open_goals, scope, targets }
    }

    /// Takes note of what a run hit; the outcomes that no run had hit before.
    pub fn add(&mut self, run: RunId, outcomes: &[OutcomeId]) -> Vec<OutcomeId> {
        let mut news = Vec::new();
        for outcome in outcomes {
            if let Some(first @ None) = self.hit.get_mut(outcome.index()) {
                *first = Some(run);
                self.open_goals.remove(outcome);
                news.push(*outcome);
            }
        }
        news
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
