//! From sources to code that runs: builds, the worker that has them, and what is asked of both.

mod load;
pub mod loaded;
pub mod solver;

pub use load::*;
