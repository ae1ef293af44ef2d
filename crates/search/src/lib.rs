//! What to try next: the execution tree, frontiers that pick what to flip, and the search that drives them.
//!
//! The search knows code only through [`execute::Execute`] and solvers only through
//! [`testwright_logic::solve::Solve`]; it runs nothing and solves nothing itself.
#![forbid(unsafe_code)]

pub mod execute;
