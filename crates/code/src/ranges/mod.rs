//! Ranges: what values can be, and where control can come to.
//!
//! The optimiser knows constants and ranges of integers, but nothing about floats. This analysis keeps an interval for every
//! integer and float of a module in SSA form, refined by the conditions on the way to a place, and follows only edges that
//! those leave possible. It errs to one side: what it says cannot happen does not happen, without undefined behaviour.
//!
//! Its limits: memory is unknown but for constant tables, and intervals have no holes.
//!
//! Sweeps repeat until one changes nothing; loops and recursion widen to the constants that the code compares with. Code that is
//! too large, or does not settle, keeps the optimiser's answer. A wrong "cannot happen" would lose a goal in silence: so tests
//! check the arithmetic on random points, the log of steps lists what was hit although it was ruled out, and `bench optimal` then
//! refuses to measure.

mod evaluate;
mod facts;
mod float;
mod float_operations;
mod int;
mod int_operations;
mod invert;
mod knowledge;
mod libm;
mod module;
mod order;
mod range;
mod solve;
mod table;
mod translate;

#[cfg(test)]
mod tests;

use module::NumberedModule;
use solve::Solution;
use std::collections::HashMap;
use testwright_llvm::{Block, Module, Value};

/// What control can come to in a module.
#[derive(Debug)]
pub struct Reached<'c> {
    code: NumberedModule<'c>,
    solution: Solution,
    numbers: HashMap<Block<'c>, usize>,
}

impl<'c> Reached<'c> {
    /// Follows control from the functions that others can call; none if that takes too long.
    pub fn new(module: &Module<'c>) -> Option<Reached<'c>> {
        let code = translate::translate(module)?;
        let solution = solve::solve(&code)?;
        let numbers = code.bodies.iter().enumerate().map(|(number, body)| (body.block, number)).collect();
        Some(Reached { code, solution, numbers })
    }

    /// Whether control can come to a block.
    pub fn block(&self, block: Block<'c>) -> bool {
        self.numbers.get(&block).is_some_and(|number| self.solution.is_reached[*number])
    }

    /// Whether control can go from one block to the next.
    pub fn edge(&self, from: Block<'c>, to: Block<'c>) -> bool {
        match (self.numbers.get(&from), self.numbers.get(&to)) {
            (Some(from), Some(to)) => self.solution.edge(*from, *to).is_some(),
            _ => false,
        }
    }

    /// Whether a truth value is true, if that is always the same.
    pub fn truth(&self, condition: Value<'c>) -> Option<bool> {
        let id = self.code.numbers.get(&condition)?;
        self.solution.ranges[id.index()]?.is_true()
    }
}
