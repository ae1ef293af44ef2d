//! The search solver: the alternating variable method over the constraints of a query.
//!
//! It starts from the inputs of the run and moves one input at a time as long as that brings the constraints
//! nearer (see [`distance`](super::distance)): by inversion of expressions, to values that occur in the query,
//! in small steps that grow while they help. Where nothing helps any more it starts again from changed values.
//! What it finds is a model; that it finds nothing proves nothing. Functions of libm are called really, so it
//! also solves what no theory covers.

use super::domain::{Domain, domains};
use super::machine::Machine;
use super::program::Program;
use super::{Answer, Layer, Query, Solve};

mod climb;
mod moves;
mod random;

use climb::Climb;

/// Queries with more expressions than this are passed on.
const PLACES: usize = 100_000;

/// The layer of the search solver.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// How many values are tried for one query.
    pub evaluations: u32,
    /// How many expressions are computed for one query; this bounds the time for large ones.
    pub steps: u64,
}

impl Default for Search {
    fn default() -> Search {
        Search { evaluations: 2_000, steps: 400_000 }
    }
}

impl Layer for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn solve(&mut self, query: &Query<'_>, next: &mut dyn Solve) -> Answer {
        let program = Program::new(query);
        let domains = domains(&program);
        let is_hopeless = program.variables.is_empty() || domains.iter().any(Domain::is_empty);
        if is_hopeless || program.places.len() > PLACES {
            return next.solve(query);
        }
        let mut climb = Climb::new(Machine::new(&program), &domains, *self, query.deadline);
        if climb.run() {
            return Answer::Sat(program.model(climb.machine.variables()));
        }
        next.solve(query)
    }
}
