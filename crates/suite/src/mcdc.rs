//! Masking MC/DC: which clauses of decisions a suite shows to decide by themselves, and by which tests.
//!
//! A clause has its pair if one test shows it true and another one, or the same, shows it false, it decides both times, and the decision comes out
//! differently. Goals of the criterion `logical` that are shown by the same outcomes are met by the same runs, so any of
//! them tells how it stands with a clause.

use serde::Serialize;
use std::collections::BTreeSet;
use testwright_base::decision::{Aspect, Decision};
use testwright_base::goal::Goals;
use testwright_base::ids::{FunctionId, GoalId, OutcomeId};
use testwright_base::subject::Subject;

/// The criterion whose goals these are.
pub const LOGICAL: &str = "logical";

/// A clause of a decision, and what shows that it decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// The file; empty if it is not known.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The column; 0 if it is not known.
    pub column: u32,
    /// The clause, as far as the line has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// Whether tests show it.
    pub shown: bool,
    /// Whether that was proved to be impossible.
    pub infeasible: bool,
    /// The first test that shows the clause true, and the first that shows it false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<[String; 2]>,
}

/// How it stands with goals.
pub struct Standing<'a> {
    /// The code under test.
    pub subject: &'a Subject,
    /// All goals.
    pub goals: &'a Goals,
    /// Those that tests show.
    pub shown: &'a BTreeSet<GoalId>,
    /// Whether a goal was proved to be impossible.
    pub is_infeasible: &'a dyn Fn(GoalId) -> bool,
    /// The first test that shows a goal.
    pub test: &'a dyn Fn(GoalId) -> Option<String>,
}

impl Standing<'_> {
    /// The clauses of the decisions of a function, without those that are too large to have goals; the text of each is for the caller to
    /// fill in, by its place.
    #[must_use]
    pub fn pairs(&self, function: FunctionId) -> Vec<Pair> {
        let own = self.subject.decisions_of(function).iter();
        own.filter(|decision| decision.is_small()).flat_map(|decision| self.of_decision(decision)).collect()
    }

    fn of_decision(&self, decision: &Decision) -> Vec<Pair> {
        let Some(outcomes) = decision.outcomes(self.subject) else { return Vec::new() };
        let deciding: Vec<(Aspect, Option<GoalId>)> = decision
            .aspects()
            .into_iter()
            .filter(|(aspect, _)| aspect.decides)
            .map(|(aspect, ways)| (aspect, self.goal(decision, &ways, &outcomes)))
            .collect();
        let count = decision.clauses.len();
        (0..count).map(|clause| self.of_clause(decision, clause, &deciding)).collect()
    }

    /// A goal that these ways show.
    fn goal(&self, decision: &Decision, ways: &[usize], outcomes: &[OutcomeId]) -> Option<GoalId> {
        let shown_by: Vec<OutcomeId> = ways.iter().map(|way| outcomes[*way]).collect();
        let mut own = self.goals.within(decision.function, LOGICAL);
        own.find(|(_, goal)| goal.shown_by == shown_by).map(|(id, _)| id)
    }

    fn of_clause(&self, decision: &Decision, clause: usize, deciding: &[(Aspect, Option<GoalId>)]) -> Pair {
        let own: Vec<(Aspect, GoalId)> = deciding
            .iter()
            .filter(|(aspect, _)| aspect.clause == clause)
            .filter_map(|(aspect, goal)| Some((*aspect, (*goal)?)))
            .collect();
        let pairs = own.iter().filter(|(aspect, _)| aspect.holds).flat_map(|(aspect, goal)| {
            let others = own.iter().filter(move |(other, _)| Decision::is_pair(aspect, other));
            others.map(move |(_, other)| (*goal, *other))
        });
        let pairs: Vec<(GoalId, GoalId)> = pairs.collect();
        let shown = pairs.iter().find(|(one, other)| self.shown.contains(one) && self.shown.contains(other));
        let is_impossible =
            |(one, other): &(GoalId, GoalId)| (self.is_infeasible)(*one) || (self.is_infeasible)(*other);
        let place = decision.clauses[clause].site.and_then(|site| self.subject.site(site)?.place.clone());
        let place = place.or_else(|| decision.place.clone());
        Pair {
            file: place.as_ref().map(|place| place.file.clone()).unwrap_or_default(),
            line: place.as_ref().map_or(0, |place| place.line),
            column: place.as_ref().map_or(0, |place| place.column),
            clause: None,
            shown: shown.is_some(),
            infeasible: shown.is_none() && pairs.iter().all(is_impossible),
            tests: shown.and_then(|(one, other)| Some([(self.test)(*one)?, (self.test)(*other)?])),
        }
    }
}
