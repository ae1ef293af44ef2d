//! Augmented path conditions: more than one input for a path.
//!
//! At a place of a path a criterion wishes for something besides what held there. *Weakly* augmented, a condition keeps the path up to that place and drops the
//! rest. *Strictly* augmented, it keeps all of the path, so its solutions take the same path. Each location in the code is augmented until its
//! goal is met (`crates/search/src/concolic/augment.rs`), or at every occurrence on every path that shows something new, as the paper does.

use crate::execute::Traced;
use crate::goals::Criteria;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use testwright_base::ids::GoalId;
use testwright_base::subject::Subject;
use testwright_logic::expr::Exprs;
use testwright_logic::path::{Constraint, Path};

/// What is augmented, and how much of the path an augmented condition keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Augmentation {
    /// How much of the path is kept.
    pub keeps: Keeps,
    /// Whether every occurrence of a location on a path is augmented, not each location once.
    pub every_occurrence: bool,
}

/// How much of a path an augmented condition keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keeps {
    /// Weak augmentation: the path up to the place.
    #[default]
    Prefix,
    /// Strict augmentation: all of it.
    Path,
}

impl Keeps {
    /// The condition of a path, augmented by a wish at one of its steps. The wish comes last. One to go the other way there leaves nothing of the
    /// rest to keep.
    #[must_use]
    pub fn augmented(self, path: &Path, step: usize, wish: Constraint) -> Vec<Constraint> {
        let turns = match (&path.steps()[step].constraint, &wish) {
            (Constraint::IsTrue(held), Constraint::IsFalse(wished))
            | (Constraint::IsFalse(held), Constraint::IsTrue(wished)) => held == wished,
            _ => false,
        };
        let kept = match self {
            Keeps::Path if !turns => path.steps(),
            Keeps::Path | Keeps::Prefix => &path.steps()[..step],
        };
        let kept = kept.iter().map(|step| step.constraint.clone());
        kept.filter(|constraint| *constraint != Constraint::Nothing).chain([wish]).collect()
    }
}

/// The augmented conditions of a path at every occurrence of what can be solved for. `exprs` are the expressions of the trace, to which
/// wishes add theirs.
#[must_use]
pub fn of_every_occurrence(
    criteria: &Criteria<'_>,
    subject: &Subject,
    traced: &Traced,
    exprs: &mut Exprs,
) -> Vec<Vec<Constraint>> {
    let keeps = criteria.augmentation().keeps;
    let goals: BTreeSet<GoalId> =
        traced.outcomes.iter().flat_map(|outcome| criteria.solvable(*outcome)).copied().collect();
    let mut conditions = Vec::new();
    for goal in goals {
        let wishes = criteria.wishes(subject, goal, traced, exprs);
        conditions.extend(wishes.map(|(step, wish)| keeps.augmented(&traced.path, step, wish)));
    }
    conditions
}

/// Which solutions of augmented conditions are needed, by the heuristic of the paper: those of the longest conditions come first, and a
/// condition that an earlier solution satisfies needs none of its own. `satisfies` says whether a solution does that to a condition.
#[must_use]
pub fn needed(lengths: &[usize], mut satisfies: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|index| Reverse(lengths[*index]));
    let mut needed: Vec<usize> = Vec::new();
    for index in order {
        if !needed.iter().any(|earlier| satisfies(*earlier, index)) {
            needed.push(index);
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_of_a_longer_condition_stands_for_those_that_it_satisfies() {
        // What the solutions are, and the least that each condition asks for.
        let (solutions, least) = ([5, 3, 9], [5, 3, 9]);
        let satisfies = |solution: usize, condition: usize| solutions[solution] >= least[condition];
        assert_eq!(needed(&[1, 2, 3], satisfies), [2]);
        assert_eq!(needed(&[3, 2, 1], satisfies), [0, 2]);
        assert_eq!(needed(&[2, 2, 2], |_, _| false), [0, 1, 2]);
    }
}
