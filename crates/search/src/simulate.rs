//! The study: how far strategies are from the optimum on random programs.
//!
//! Every strategy covers every [`model`] many times; its mean cost, relative to the [`optimum`], is averaged over the models of a
//! size. Costs are those of the paper: 1 for a random run, the sum of its edges for a solved path.

pub mod greedy;
pub mod model;
pub mod optimum;
pub mod ours;
pub mod random_testing;
pub mod rules;
pub mod study;
pub mod tree;
