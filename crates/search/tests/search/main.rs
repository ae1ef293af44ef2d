//! Tests of the search on toy programs, with a toy solver that is exact on them.

mod criteria;
mod distances;
mod divergence;
mod fitnex;
mod frontiers;
mod guidance;
mod levels;
mod limits;
mod machine;
mod plan;
mod planned;
mod program;
mod programs;
mod rounds;
mod simulate;
mod solver;
mod tree;
