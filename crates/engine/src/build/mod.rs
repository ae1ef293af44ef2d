//! From sources to code that runs: builds, the worker that has them, and what is asked of both.

pub mod code;
mod load;
pub mod solver;

pub use load::*;
