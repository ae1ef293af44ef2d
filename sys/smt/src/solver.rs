//! The solver: queries in, answers out.

use std::collections::HashSet;
use std::time::Instant;

use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, Query, Solve};
use z3::ast::Ast;

use crate::budget::{Budget, Config};
use crate::model::{Variable, changes};
use crate::refine::Refinement;
use crate::stack::{Frame, Stack, Verdict};
use crate::statistics::Statistics;
use crate::terms::Terms;
use crate::{claim, gates, narrow};

/// Z3 as a layer of the solver chain.
///
/// It has to stay on the thread that made it.
#[derive(Debug)]
pub struct Z3 {
    config: Config,
    terms: Terms,
    /// Tried first, for queries about bits only.
    incremental: Stack,
    /// For queries about floats, and those that are too hard or too large for the other.
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
    gates: u64,
    floats: u64,
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

    fn answer(&mut self, query: &Query<'_>) -> Answer {
        let budget = self.config.budget(query.deadline);
        let Some(Problem { frames, variables, needs_floats, gates, floats }) = self.translate(query) else {
            return Answer::Unknown("the time is up".into());
        };
        if floats > gates::MOST_FLOATS {
            return Answer::Unknown("it is about too many operations on floats".into());
        }
        if !needs_floats && gates <= gates::MOST_AT_ONCE {
            let answer = self.ask(Which::Incremental, frames.clone(), &variables, query, budget.small());
            if !matches!(answer, Answer::Unknown(_)) {
                return answer;
            }
        }
        self.ask(Which::Thorough, frames, &variables, query, budget)
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
        match narrow::check(stack, query, variables, budget) {
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
        let mut problem =
            Problem { frames: vec![], variables: vec![], needs_floats: false, gates: 0, floats: 0 };
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
            problem.gates += gates::gates(query.exprs, expr);
            problem.floats += u64::from(gates::is_float_arithmetic(expr));
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
        let answer = self.answer(query);
        self.statistics.count(&answer, start.elapsed());
        answer
    }
}
