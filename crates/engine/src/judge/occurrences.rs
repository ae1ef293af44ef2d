//! Every occurrence: conditions are augmented wherever a path comes to a location, not only until its goal is met.
//!
//! That is what the paper does. For each case that a search kept, all augmented conditions of its path are solved. Of the solutions those stay
//! that its redundancy heuristic needs (`crates/search/src/augmentation.rs`); each becomes a test, whatever others show. Solutions are evaluated
//! against conditions of other paths too, as long as the inputs have the same numbers there.

use super::mutants::is_base;
use super::{Patience, Wanted, tried};
use crate::build;
use crate::build::loaded::LoadedSubject;
use crate::failure::Failure;
use std::collections::HashMap;
use testwright_base::case::Case;
use testwright_logic::expr::Exprs;
use testwright_logic::expr::eval::Evaluator;
use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, Model, Query, Solve, SolverChain, Statistics};
use testwright_search::augmentation::{needed, of_every_occurrence};
use testwright_search::execute::{Execute as _, Traced};
use testwright_suite::Found;

/// A path whose conditions are augmented.
struct Augmented {
    case: Case,
    traced: Traced,
    /// The expressions of the trace, and those that wishes added.
    exprs: Exprs,
}

/// The solution of an augmented condition.
struct Solution {
    /// The index of the path.
    path: usize,
    constraints: Vec<Constraint>,
    model: Model,
}

/// Adds cases for the augmented conditions of all paths, if somebody wants that.
pub fn augment(
    code: &mut LoadedSubject,
    kept: &mut Vec<Found>,
    wanted: Wanted<'_>,
    patience: &mut Patience,
    statistics: &mut Statistics,
) -> Result<(), Failure> {
    if !wanted.criteria.augmentation().every_occurrence {
        return Ok(());
    }
    let mut solver = build::solver::chain(None)?;
    let bases: Vec<Case> =
        kept.iter().filter(|found| is_base(found)).map(|found| found.case.clone()).collect();
    let (mut paths, mut solutions) = (Vec::new(), Vec::new());
    let count = bases.len();
    for (index, case) in bases.into_iter().enumerate() {
        // What cannot be traced has no path to augment; the search has told why.
        let Ok(traced) = code.trace(&case) else { continue };
        let exprs = traced.exprs.clone();
        let mut augmented = Augmented { case, traced, exprs };
        let solved = patience
            .for_one_of(count - index, |patience| augmented.solved(code, wanted, patience, &mut solver));
        let path = paths.len();
        solutions.extend(solved.into_iter().map(|(constraints, model)| Solution {
            path,
            constraints,
            model,
        }));
        paths.push(augmented);
    }
    statistics.add(solver.statistics());
    for index in without_redundant(&paths, &solutions) {
        let Solution { path, model, .. } = &solutions[index];
        let case = code.change(&paths[*path].case, model, &[]);
        if !code.session.subject().is_within_contracts(&case) {
            continue;
        }
        if let Some(known) = kept.iter_mut().find(|found| found.case == case) {
            known.demanded = is_base(known);
            continue;
        }
        let found = tried(code, case, wanted)?;
        if is_base(&found) {
            kept.push(Found { demanded: true, ..found });
        }
    }
    Ok(())
}

impl Augmented {
    /// The augmented conditions that have a solution.
    fn solved(
        &mut self,
        code: &LoadedSubject,
        wanted: Wanted<'_>,
        patience: &mut Patience,
        solver: &mut SolverChain,
    ) -> Vec<(Vec<Constraint>, Model)> {
        let subject = code.session.subject();
        let conditions = of_every_occurrence(wanted.criteria, subject, &self.traced, &mut self.exprs);
        let mut solved = Vec::new();
        for constraints in conditions {
            if !patience.has_run() {
                break;
            }
            let Augmented { exprs, traced, .. } = self;
            let (inputs, values) = (&traced.inputs, &traced.values);
            let query = Query { exprs, constraints: &constraints, inputs, values, deadline: None };
            if let Answer::Sat(model) = solver.solve(&query) {
                solved.push((constraints, model));
            }
        }
        solved
    }

    /// The values of the inputs of a solution.
    fn values(&self, model: &Model) -> Vec<u128> {
        let mut values = self.traced.values.clone();
        for (input, value) in model {
            if let Some(old) = values.get_mut(*input as usize) {
                *old = *value;
            }
        }
        values
    }

    fn has_inputs_of(&self, other: &Augmented) -> bool {
        let (own, others) = (&self.traced, &other.traced);
        own.inputs == others.inputs && own.slots == others.slots
    }
}

/// The solutions that are needed.
fn without_redundant(paths: &[Augmented], solutions: &[Solution]) -> Vec<usize> {
    let lengths: Vec<usize> = solutions.iter().map(|solution| solution.constraints.len()).collect();
    let mut evaluators: HashMap<(usize, usize), Evaluator<'_>> = HashMap::new();
    needed(&lengths, |solution, condition| {
        let Solution { path, model, .. } = &solutions[solution];
        let Solution { path: other, constraints, .. } = &solutions[condition];
        if !paths[*path].has_inputs_of(&paths[*other]) {
            return false;
        }
        let made = || Evaluator::new(&paths[*other].exprs, &paths[*path].values(model));
        let evaluator = evaluators.entry((solution, *other)).or_insert_with(made);
        // The wish comes last, and fails most often.
        constraints.iter().rev().all(|constraint| constraint.holds(evaluator) == Ok(true))
    })
}
