//! Goals: what tests should show.
//!
//! A criterion lists its goals in a subject (`crates/search/src/goals`); archive, schedule, reasons, suite and summary speak of
//! goals only. Every goal lies at an outcome that a run has to come to first: that is what searches aim at.

use crate::ids::{FunctionId, GoalId, OutcomeId};
use crate::site::Site;
use crate::subject::Subject;
use std::collections::BTreeSet;

/// Something a test should show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// The criterion that asks for it, by name.
    pub criterion: &'static str,
    /// The function that it lies in.
    pub function: FunctionId,
    /// The outcome that a run comes to if it meets the goal.
    pub outcome: OutcomeId,
    /// What is asked for besides; empty if the outcome is all.
    pub detail: String,
    /// The outcomes each of which shows that a run meets the goal; empty if its criterion looks at the run.
    pub shown_by: Vec<OutcomeId>,
}

/// The goals of a subject, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Goals {
    /// The criteria whose goals are searched for; what runs show of the others is kept all the same.
    pub sought: BTreeSet<&'static str>,
    all: Vec<Goal>,
    /// The numbers of those at each outcome.
    at: Vec<Vec<GoalId>>,
    /// The numbers of those that each outcome shows.
    shown_by: Vec<Vec<GoalId>>,
}

impl Goals {
    /// These goals of a subject, in the order of the code; those of some criteria are searched for.
    #[must_use]
    pub fn new(
        subject: &Subject,
        mut all: Vec<Goal>,
        sought: impl IntoIterator<Item = &'static str>,
    ) -> Goals {
        all.sort_by_key(|goal| goal.outcome);
        let mut at = vec![Vec::new(); subject.outcome_count as usize];
        let mut shown_by = at.clone();
        let add = |list: &mut Vec<Vec<GoalId>>, outcome: OutcomeId, index: usize| {
            if let Some(here) = list.get_mut(outcome.index()) {
                here.push(GoalId::of(index));
            }
        };
        for (index, goal) in all.iter().enumerate() {
            add(&mut at, goal.outcome, index);
            goal.shown_by.iter().for_each(|outcome| add(&mut shown_by, *outcome, index));
        }
        Goals { sought: sought.into_iter().collect(), all, at, shown_by }
    }

    /// The goal of a number.
    ///
    /// # Panics
    /// If there is none of this number.
    #[must_use]
    pub fn get(&self, id: GoalId) -> &Goal {
        &self.all[id.index()]
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (GoalId, &Goal)> {
        self.all.iter().enumerate().map(|(index, goal)| (GoalId::of(index), goal))
    }

    /// Whether a goal is searched for.
    #[must_use]
    pub fn is_sought(&self, id: GoalId) -> bool {
        self.sought.contains(self.get(id).criterion)
    }

    /// Those at an outcome.
    #[must_use]
    pub fn at(&self, outcome: OutcomeId) -> &[GoalId] {
        self.at.get(outcome.index()).map_or(&[], Vec::as_slice)
    }

    /// Those that an outcome shows by itself, wherever they lie.
    #[must_use]
    pub fn shown_by(&self, outcome: OutcomeId) -> &[GoalId] {
        self.shown_by.get(outcome.index()).map_or(&[], Vec::as_slice)
    }

    /// The outcomes that a run has to come to in order to meet a goal: one of these at least.
    #[must_use]
    pub fn needed(&self, id: GoalId) -> &[OutcomeId] {
        let goal = self.get(id);
        if goal.shown_by.is_empty() { std::slice::from_ref(&goal.outcome) } else { &goal.shown_by }
    }

    /// The names of the criteria that have goals here, or are searched for.
    pub fn criteria(&self) -> impl Iterator<Item = &'static str> {
        let all: BTreeSet<&'static str> =
            self.all.iter().map(|goal| goal.criterion).chain(self.sought.iter().copied()).collect();
        all.into_iter()
    }

    /// Those of a criterion in a function.
    pub fn within<'a>(
        &'a self,
        function: FunctionId,
        criterion: &'a str,
    ) -> impl Iterator<Item = (GoalId, &'a Goal)> {
        self.iter().filter(move |(_, goal)| goal.function == function && goal.criterion == criterion)
    }

    /// The site that a goal lies at, and which of its outcomes it is about.
    #[must_use]
    pub fn site<'s>(&self, subject: &'s Subject, id: GoalId) -> Option<(&'s Site, u32)> {
        let (site, index) = subject.outcome(self.get(id).outcome)?;
        Some((subject.site(site)?, index))
    }
}

/// The goals that outcomes of sites are: of those sites of which this is true.
#[must_use]
pub fn at_outcomes(
    subject: &Subject,
    criterion: &'static str,
    is_wanted: impl Fn(&Site) -> bool,
) -> Vec<Goal> {
    let sites = subject.sites.iter().filter(|site| is_wanted(site));
    let goals = sites.flat_map(|site| {
        let goal = |outcome| Goal {
            criterion,
            function: site.function,
            outcome,
            detail: String::new(),
            shown_by: Vec::new(),
        };
        site.outcomes().map(goal)
    });
    goals.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::BlockId;
    use crate::sample;
    use crate::site::SiteKind;

    #[test]
    fn goals_are_found_by_outcome_and_by_function() {
        let mut subject = sample::empty_subject();
        subject.functions.extend([sample::calling("f", &[]), sample::calling("g", &[])]);
        for (function, first) in [(0, 0), (1, 2)] {
            subject.sites.push(Site {
                function: FunctionId(function),
                block: BlockId(0),
                place: None,
                kind: SiteKind::Branch,
                first_outcome: OutcomeId(first),
                outcome_count: 2,
            });
        }
        subject.outcome_count = 4;
        let mut all = at_outcomes(&subject, "branch", |_| true);
        all.push(Goal { criterion: "other", detail: "twice".to_owned(), ..all[3].clone() });
        let goals = Goals::new(&subject, all, ["branch"]);
        assert!(goals.is_sought(GoalId(0)) && !goals.is_sought(GoalId(4)));
        assert_eq!((goals.len(), goals.at(OutcomeId(3))), (5, &[GoalId(3), GoalId(4)][..]));
        assert_eq!((goals.shown_by(OutcomeId(3)), goals.needed(GoalId(3))), (&[][..], &[OutcomeId(3)][..]));
        let elsewhere = vec![OutcomeId(0), OutcomeId(1)];
        let shown = Goal { shown_by: elsewhere.clone(), ..goals.get(GoalId(3)).clone() };
        let shown = Goals::new(&subject, vec![shown], []);
        assert_eq!(
            (shown.at(OutcomeId(3)), shown.shown_by(OutcomeId(1))),
            (&[GoalId(0)][..], &[GoalId(0)][..])
        );
        assert_eq!(shown.needed(GoalId(0)), elsewhere);
        let within = |function, criterion| {
            goals.within(FunctionId(function), criterion).map(|(id, _)| id.0).collect::<Vec<_>>()
        };
        assert_eq!(
            (within(1, "branch"), within(1, "other"), within(0, "other")),
            (vec![2, 3], vec![4], vec![])
        );
        assert_eq!(
            goals.site(&subject, GoalId(4)).map(|(site, index)| (site.function, index)),
            Some((FunctionId(1), 1))
        );
    }
}
