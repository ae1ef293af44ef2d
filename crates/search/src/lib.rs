//! What to try next: the execution tree, frontiers that pick what to flip, and the search that drives them.
//!
//! The search knows code only through [`execute::Execute`] and solvers only through
//! [`testwright_logic::solve::Solve`]; it runs nothing and solves nothing itself.
//!
//! Runs become a [`tree`]; a [`strategy`] made of [`frontier`]s picks a node; [`flip`] says what inputs would leave
//! the path there; [`concolic`] asks the solver, runs the answer, and keeps the best case per outcome in the
//! [`archive`].
//!
//! [`sbst`] searches without a solver, one target at a time.
//!
//! [`plan`] says what a random run and a solved path may bring, and for what cost; [`simulate`] studies such plans
//! on random models.
#![forbid(unsafe_code)]

pub mod approach;
pub mod archive;
pub mod augmentation;
pub mod concolic;
pub mod coverage;
pub mod distance;
pub mod execute;
pub mod flip;
pub mod frontier;
pub mod goals;
pub mod heuristics;
pub mod map;
pub mod measure;
pub mod plan;
pub mod random;
pub mod reach;
pub mod reward;
pub mod rounds;
pub mod run_fitness;
pub mod runs;
pub mod sbst;
pub mod scope;
pub mod simulate;
pub mod strategy;
pub mod traces;
pub mod tree;
