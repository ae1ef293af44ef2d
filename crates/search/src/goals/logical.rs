//! Logical: what each clause of a decision does to it.
//!
//! Goals are made of decisions of at least two clauses (`crates/base/src/decision.rs` says what they are, and when a clause decides):
//!
//! * *deciding*: the clause is true and decides, or is false and decides, one goal for each value that the decision can have then. A clause that is
//!   shown deciding with either value, and the decision differs, has its pair: correlated active clause coverage (CACC), which is masking MC/DC.
//!   That includes general active clause coverage (GACC), which does not ask for the values to differ;
//! * *masked*: the clause is evaluated and makes no difference, one goal for each of its values and each value of the decision: general inactive
//!   clause coverage (GICC).
//!
//! What no way through the decision shows is no goal. The ways are outcomes, so every run tells what it shows, without a trace. A
//! goal that is open is solved for where an evaluation left the way that was wanted: to keep to the path until there, and go the other
//! way. What follows may leave the way again, and is solved for in turn.

use super::Criterion;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::decision::{Aspect, Decision, Next, Way};
use testwright_base::goal::Goal;
use testwright_base::ids::{OutcomeId, SiteId};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_logic::expr::Exprs;
use testwright_logic::path::{Constraint, EventKind, Path};

/// The criterion.
pub struct Logical;

impl Logical {
    /// Its name.
    pub const NAME: &'static str = "logical";
}

impl Criterion for Logical {
    fn name(&self) -> &'static str {
        Logical::NAME
    }

    fn about(&self) -> &'static str {
        "Every clause of &&, || and ?: decides by itself, and is masked by others (masking MC/DC)"
    }

    fn goals(&self, subject: &Subject) -> Vec<Goal> {
        let small = subject.decisions.iter().filter(|decision| decision.is_small());
        small.flat_map(|decision| goals_of(subject, decision)).collect()
    }

    /// Which way an evaluation takes is decided by branches, unless a clause is a value that is only passed on.
    fn is_decided_by_paths(&self, subject: &Subject, goal: &Goal) -> bool {
        let decision = decision_of(subject, goal);
        decision.is_some_and(|decision| decision.clauses.iter().all(|clause| clause.site.is_some()))
    }

    fn sites(&self, subject: &Subject, goal: &Goal) -> Vec<SiteId> {
        let clauses =
            decision_of(subject, goal).map(|decision| decision.clauses.as_slice()).unwrap_or_default();
        clauses.iter().filter_map(|clause| clause.site).collect()
    }

    fn has_wishes(&self) -> bool {
        true
    }

    fn wishes<'t>(
        &'t self,
        subject: &'t Subject,
        goal: &'t Goal,
        _exprs: &'t mut Exprs,
        path: &'t Path,
    ) -> Box<dyn Iterator<Item = (usize, Constraint)> + 't> {
        let Some(decision) = decision_of(subject, goal) else { return Box::new(std::iter::empty()) };
        let wanted = wanted(subject, decision, goal);
        let mut turns: BTreeSet<(usize, usize)> = BTreeSet::new();
        for evaluation in evaluations(decision, path) {
            turns.extend(wanted.iter().filter_map(|way| turn(&evaluation, way)));
        }
        let mut seen = BTreeSet::new();
        let turns = turns.into_iter().filter(move |(_, step)| seen.insert(*step));
        Box::new(turns.filter_map(|(_, step)| {
            let other = match path.steps()[step].constraint {
                Constraint::IsTrue(expr) => Constraint::IsFalse(expr),
                Constraint::IsFalse(expr) => Constraint::IsTrue(expr),
                _ => return None,
            };
            Some((step, other))
        }))
    }
}

/// The goals of a decision.
fn goals_of(subject: &Subject, decision: &Decision) -> Vec<Goal> {
    let Some(outcomes) = decision.outcomes(subject) else { return Vec::new() };
    let ways = decision.ways();
    let goal = |(aspect, shown): (&Aspect, &Vec<usize>)| {
        let own = decision.outcome(subject, aspect.clause, aspect.holds);
        let (outcome, what) = match own {
            Some(outcome) => (outcome, aspect.words()),
            // A value that is only passed on has no outcome, but the clause before it has.
            None => {
                let before =
                    ways[*shown.first()?].steps.iter().take_while(|(other, _)| *other != aspect.clause);
                let known = before.filter_map(|(clause, holds)| decision.outcome(subject, *clause, *holds));
                (known.last()?, format!("clause {} {}, {}", aspect.clause + 1, aspect.holds, aspect.words()))
            }
        };
        let shown_by = shown.iter().map(|way| outcomes[*way]).collect();
        Some(Goal { criterion: Logical::NAME, function: decision.function, outcome, detail: what, shown_by })
    };
    decision.aspects().iter().filter_map(goal).collect()
}

/// The decision that a goal is about.
fn decision_of<'s>(subject: &'s Subject, goal: &Goal) -> Option<&'s Decision> {
    let (site, _) = subject.outcome(*goal.shown_by.first()?)?;
    let is_own = matches!(subject.site(site)?.kind, SiteKind::Decision);
    subject.decisions_of(goal.function).iter().find(|decision| match is_own {
        true => decision.site == Some(site),
        false => decision.site.is_none() && decision.clauses.iter().any(|clause| clause.site == Some(site)),
    })
}

/// The ways that show a goal.
fn wanted(subject: &Subject, decision: &Decision, goal: &Goal) -> Vec<Way> {
    let outcomes: Vec<OutcomeId> = decision.outcomes(subject).unwrap_or_default();
    let ways = decision.ways().into_iter().zip(outcomes);
    ways.filter(|(_, outcome)| goal.shown_by.contains(outcome)).map(|(way, _)| way).collect()
}

/// A clause that was evaluated: the step of the path, which clause, and what it was.
type Evaluated = (usize, usize, bool);

/// The evaluations of a decision on a path. Clauses that do not depend on inputs are missing.
fn evaluations(decision: &Decision, path: &Path) -> Vec<Vec<Evaluated>> {
    let clause_of: BTreeMap<u32, usize> = decision
        .clauses
        .iter()
        .enumerate()
        .filter_map(|(index, clause)| Some((clause.site?.0, index)))
        .collect();
    let mut all: Vec<Vec<Evaluated>> = Vec::new();
    // By calling context, the evaluation under way: a clause may call the function itself.
    let mut open: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, step) in path.steps().iter().enumerate().filter(|(_, step)| step.kind == EventKind::Branch) {
        let Some(clause) = step.site.and_then(|site| clause_of.get(&site)).copied() else { continue };
        let holds = step.outcome == 0;
        let current = open.get(&step.extra).copied();
        let goes_on = |current: &usize| all[*current].last().is_some_and(|(_, last, _)| *last < clause);
        let current = current.filter(goes_on).unwrap_or_else(|| {
            all.push(Vec::new());
            all.len() - 1
        });
        all[current].push((index, clause, holds));
        match decision.clauses[clause].next[usize::from(!holds)] {
            Next::Clause(_) => open.insert(step.extra, current),
            Next::Value(_) => open.remove(&step.extra),
        };
    }
    all
}

/// The step at which an evaluation left a way, and before it, how many clauses follow on that way.
fn turn(evaluation: &[Evaluated], way: &Way) -> Option<(usize, usize)> {
    for (step, clause, holds) in evaluation {
        let position = way.steps.iter().position(|(other, _)| other == clause)?;
        if way.steps[position].1 != *holds {
            return Some((way.steps.len() - position, *step));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::decision::Clause;
    use testwright_base::ids::{BlockId, FunctionId};
    use testwright_base::sample;
    use testwright_base::site::Site;

    /// `(a || b) && c` with sites of its own, or `a && b && c` whose clauses tell.
    fn subject(is_mixed: bool) -> Subject {
        let mut subject = sample::empty_subject();
        subject.functions.push(sample::calling("f", &[]));
        let mut add = |kind: SiteKind, outcome_count: u32| {
            let first_outcome = OutcomeId(subject.outcome_count);
            subject.outcome_count += outcome_count;
            let (function, block) = (FunctionId(0), BlockId(0));
            subject.sites.push(Site { function, block, place: None, kind, first_outcome, outcome_count });
        };
        (0..3).for_each(|_| add(SiteKind::Branch, 2));
        if is_mixed {
            add(SiteKind::Decision, 5);
        }
        let end = [Next::Value(true), Next::Value(false)];
        let next = match is_mixed {
            true => [[Next::Clause(2), Next::Clause(1)], [Next::Clause(2), end[1]], end],
            false => [[Next::Clause(1), end[1]], [Next::Clause(2), end[1]], end],
        };
        let clauses = next.iter().enumerate();
        let clauses = clauses.map(|(index, next)| Clause { site: Some(SiteId::of(index)), next: *next });
        let site = is_mixed.then_some(SiteId(3));
        let (function, clauses) = (FunctionId(0), clauses.collect());
        subject.decisions.push(Decision { function, place: None, clauses, site });
        subject
    }

    fn shown(goals: &[Goal], outcome: u32, detail: &str) -> Option<Vec<u32>> {
        let mut found = goals.iter().filter(|goal| goal.outcome.0 == outcome && goal.detail == detail);
        let goal = found.next().filter(|_| found.next().is_none())?;
        Some(goal.shown_by.iter().map(|outcome| outcome.0).collect())
    }

    #[test]
    fn goals_lie_at_clauses_and_are_shown_by_ways() {
        let goals = Logical.goals(&subject(true));
        assert_eq!(goals.len(), 10);
        // The ways are AC, Ac, aBC, aBc, ab.
        assert_eq!(shown(&goals, 0, "deciding true"), Some(vec![6]));
        assert_eq!(shown(&goals, 0, "masked, false"), Some(vec![7]));
        assert_eq!(shown(&goals, 4, "deciding true"), Some(vec![6, 8]));
        assert_eq!(shown(&goals, 0, "deciding false"), None, "a true cannot make it false");
    }

    #[test]
    fn ways_of_chains_are_outcomes_of_their_clauses() {
        let subject = subject(false);
        let goals = Logical.goals(&subject);
        assert_eq!(shown(&goals, 0, "deciding true"), Some(vec![4]));
        assert_eq!(shown(&goals, 0, "masked, false"), Some(vec![5, 3]));
        assert_eq!(shown(&goals, 1, "deciding false"), Some(vec![1]));
        assert_eq!(Logical.sites(&subject, &goals[0]), [SiteId(0), SiteId(1), SiteId(2)]);
    }

    #[test]
    fn an_evaluation_is_turned_where_it_left_the_way_that_is_wanted() {
        let subject = subject(true);
        let decision = &subject.decisions[0];
        let goals = Logical.goals(&subject);
        let masked = goals.iter().find(|goal| goal.outcome.0 == 1 && goal.detail == "masked, true");
        let ways = wanted(&subject, decision, masked.expect("a goal"));
        assert_eq!(ways, [Way { steps: vec![(0, false), (1, true), (2, true)], value: true }]);
        assert_eq!(turn(&[(4, 0, true), (7, 2, false)], &ways[0]), Some((3, 4)));
        assert_eq!(turn(&[(4, 0, false), (7, 1, true), (9, 2, false)], &ways[0]), Some((1, 9)));
        assert_eq!(turn(&[(9, 2, false)], &ways[0]), Some((1, 9)), "a and b are no inputs");
        assert_eq!(turn(&[(4, 0, false), (7, 1, true), (9, 2, true)], &ways[0]), None);
    }
}
