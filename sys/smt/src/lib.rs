//! The fence around Z3: a solver that answers queries of `testwright-logic` and lets no Z3 type out.
//!
//! [`Z3`] is the last and strongest layer of the solver chain. It translates expressions into Z3's terms, keeps
//! what neighbouring queries have in common asserted, and reads inputs out of Z3's models.
//!
//! The semantics are those of the evaluator in `testwright_logic::expr::eval`, except that functions of libm
//! and `fmod` may give anything, and a NaN that an operation computed may have any payload. So "unsat" is a
//! proof, while a model must be evaluated before it is believed.
//!
//! Z3 is limited by work, not by time, so a busy machine gives the same answers (`budget`). Solvers of one thread share Z3's context:
//! what was asked before in the process can change which of several models is found.

mod budget;
mod claim;
mod gates;
mod interrupt;
mod model;
mod narrow;
mod native;
mod refine;
mod solver;
mod stack;
mod statistics;
mod term;
mod terms;
mod translate;

pub use budget::Config;
pub use interrupt::interruptible;
pub use solver::Z3;
pub use statistics::Statistics;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
