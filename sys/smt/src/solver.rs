//! The solver: queries in, answers out.

use std::collections::HashSet;
use std::time::Instant;

use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, Query, Solve};
use z3::ast::{Ast, Bool};

use crate::budget::{Budget, Config};
use crate::claim;
use crate::model::{Variable, changes};
use crate::refine::Refinement;
use crate::stack::{Frame, Stack, Verdict};
use crate::statistics::Statistics;
use crate::terms::Terms;

/// The first check may do one part in so many of the work that a query may cost.
const INCREMENTAL_SHARE: u32 = 4;

/// Z3 as a layer of the solver chain.
///
/// It has to stay on the thread that made it.
#[derive(Debug)]
pub struct Z3 {
    config: Config,
    terms: Terms,
    /// Tried first, for queries about bits only.
    incremental: Stack,
    /// For queries about floats, and those that are too hard for the other.
    thorough: Stack,
    statistics: Statistics,
}

#[derive(Debug, Clone, Copy)]
enum Which {
    Incremental,
    Thorough,
}

/// A query, translated.
struct Problem {
    frames: Vec<Frame>,
    variables: Vec<Variable>,
    needs_floats: bool,
}

impl Default for Z3 {
    fn default() -> Z3 {
        Z3::new(Config::default())
    }
}

impl Z3 {
    /// A solver with these limits.
    #[must_use]
    pub fn new(config: Config) -> Z3 {
        Z3 {
            config,
            terms: Terms::default(),
            incremental: Stack::incremental(),
            thorough: Stack::thorough(),
            statistics: Statistics::default(),
        }
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn answer(&mut self, query: &Query<'_>, start: Instant) -> Answer {
        let Some(mut problem) = self.translate(query) else { return too_late() };
        if !problem.needs_floats {
            let frames = problem.frames.clone();
            let share = self.config.work / INCREMENTAL_SHARE;
            let Some(budget) = self.budget(query, start, share) else { return too_late() };
            let answer = self.ask(Which::Incremental, frames, &problem.variables, query, budget);
            if !matches!(answer, Answer::Unknown(_)) {
                return answer;
            }
        }
        let Some(budget) = self.budget(query, start, self.config.work) else { return too_late() };
        let frames = std::mem::take(&mut problem.frames);
        self.ask(Which::Thorough, frames, &problem.variables, query, budget)
    }

    fn budget(&self, query: &Query<'_>, start: Instant, work: u32) -> Option<Budget> {
        Config { work, ..self.config }.budget(start, query.deadline)
    }

    fn ask(
        &mut self,
        which: Which,
        frames: Vec<Frame>,
        variables: &[Variable],
        query: &Query<'_>,
        budget: Budget,
    ) -> Answer {
        let stack = match which {
            Which::Incremental => &mut self.incremental,
            Which::Thorough => &mut self.thorough,
        };
        let change = stack.hold(frames);
        self.statistics.reused += change.kept as u64;
        self.statistics.asserted += change.pushed as u64;
        let verdict = match focus(query, variables) {
            Some(kept) => match stack.check_with(&kept, budget.small()) {
                Verdict::Sat(model) => Verdict::Sat(model),
                _ => stack.check(budget),
            },
            None => stack.check(budget),
        };
        match verdict {
            Verdict::Unsat => Answer::Unsat,
            Verdict::Unknown(reason) => Answer::Unknown(reason),
            Verdict::Sat(model) => {
                let changes = changes(variables, &model);
                let (model, checks) = Refinement::new(stack, variables, changes, budget.small()).run();
                self.statistics.refinements += checks;
                Answer::Sat(model)
            }
        }
    }

    /// Translates a query; `None` if its deadline passes meanwhile.
    fn translate(&mut self, query: &Query<'_>) -> Option<Problem> {
        self.terms.begin(query.exprs);
        let mut asserted = HashSet::new();
        let mut problem = Problem { frames: vec![], variables: vec![], needs_floats: false };
        for constraint in query.constraints {
            if query.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
            if constraint.expr().is_none() {
                continue;
            }
            let mut frame = self.frame(query, constraint, &mut problem);
            frame.retain(|claim| asserted.insert(claim.get_z3_ast()));
            if !frame.is_empty() {
                problem.frames.push(frame);
            }
        }
        Some(problem)
    }

    fn frame(&mut self, query: &Query<'_>, constraint: &Constraint, problem: &mut Problem) -> Frame {
        let Some(id) = constraint.expr() else { return vec![] };
        let mut frame = vec![];
        for part in self.terms.meet(query.exprs, id) {
            frame.extend_from_slice(self.terms.conditions(part));
            let expr = query.exprs.get(part);
            if let Some(index) = expr.input() {
                let variable = Variable::new(query, index, expr.width());
                let declaration = variable.declaration(query);
                frame.extend(declaration.and_then(|input| claim::range(input, &variable.bits)));
                problem.variables.push(variable);
            }
        }
        problem.needs_floats |= self.terms.needs_floats(id);
        let claim = claim::constraint(constraint, self.terms.term(id), &mut frame);
        frame.push(claim);
        frame
    }
}

impl Solve for Z3 {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let start = Instant::now();
        let answer = self.answer(query, start);
        self.statistics.count(&answer, start.elapsed());
        answer
    }
}

/// The claim that all inputs keep their values that the last constraint does not depend on, if there are any.
///
/// The constraints before the last one usually hold for the run, so this is likely to leave a solution, makes it
/// easy to find, and changes no more than needed.
fn focus(query: &Query<'_>, variables: &[Variable]) -> Option<Vec<Bool>> {
    let last = query.constraints.iter().rev().find_map(Constraint::expr)?;
    let needed = query.exprs.inputs_of(last);
    let others = variables.iter().filter(|variable| !needed.contains(&variable.index));
    let kept: Vec<Bool> = others.map(Variable::is_kept).collect();
    (!kept.is_empty()).then_some(kept)
}

fn too_late() -> Answer {
    Answer::Unknown("the deadline has passed".into())
}
