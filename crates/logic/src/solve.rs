//! Solving: inputs that satisfy constraints, found by the cheapest means that suffice.
//!
//! A [`Query`] asks for inputs that satisfy constraints over the expressions of one run. Everything that answers
//! queries implements [`Solve`]; layers answer what they can and hand the rest to the next one. "Unknown" is
//! never taken for "infeasible", and no answer is believed: models are evaluated before they are used.

use crate::expr::Exprs;
use crate::path::Constraint;
use std::collections::BTreeMap;
use std::time::Instant;

mod cache;
mod chain;
mod distance;
mod domain;
mod dump;
mod float;
mod invert;
mod machine;
mod program;
mod quick;
mod search;
mod simplify;

pub use cache::Cache;
pub use chain::{Backend, Layer, LayerStatistics, SolverChain, Statistics, standard};
pub use dump::Dump;
pub use quick::Quick;
pub use search::Search;
pub use simplify::Simplify;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The expressions of the run that the constraints are about.
    pub exprs: &'a Exprs,
    /// All of these are to hold. They come in the order of the path; the last one is what makes the query new.
    pub constraints: &'a [Constraint],
    /// What the inputs are, by number.
    pub inputs: &'a [Input],
    /// Their values in the run, zero-extended.
    pub values: &'a [u128],
    /// When the answer must be there; later it is of no use.
    pub deadline: Option<Instant>,
}

impl Query<'_> {
    /// What an input is; one that nobody described is a number of its width.
    #[must_use]
    pub fn input(&self, index: u32, width: u32) -> Input {
        let input = self.inputs.get(index as usize).filter(|input| input.width == width);
        input.copied().unwrap_or(Input { width, kind: InputKind::Unsigned, range: None })
    }

    /// The value of an input in the run.
    #[must_use]
    pub fn value(&self, index: u32) -> u128 {
        self.values.get(index as usize).copied().unwrap_or(0)
    }
}

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// Width in bits.
    pub width: u32,
    /// How people read it.
    pub kind: InputKind,
    /// The values it may have, as signed or unsigned numbers according to the kind; none: all of its width.
    pub range: Option<(i128, i128)>,
}

impl Input {
    /// Whether its range is one of signed numbers: characters are what their range says.
    fn reads_signed(&self) -> bool {
        let has_negative = self.range.is_some_and(|(low, _)| low < 0);
        self.kind == InputKind::Signed || self.kind == InputKind::Character && has_negative
    }

    /// Whether it may have this value. A truth value is 0 or 1; the range of a float is one of numbers, to which
    /// NaN does not belong.
    #[must_use]
    pub fn allows(&self, value: u128) -> bool {
        if self.kind == InputKind::Bool && value > 1 {
            return false;
        }
        let Some((low, high)) = self.range else { return true };
        match self.kind {
            InputKind::Float => (low as f64..=high as f64).contains(&float::to_f64(self.width, value)),
            _ if self.reads_signed() => (low..=high).contains(&distance::signed(self.width, value)),
            // An end that is too large for its type is as good as none.
            _ => (low < 0 || value >= low as u128) && (high < 0 || value <= high as u128),
        }
    }
}

/// How people read an input; solvers prefer values that look natural.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A truth value.
    Bool,
    /// A character of text.
    Character,
    /// IEEE single or double, by width.
    Float,
    /// An address. Which one it is differs from process to process.
    Address,
}

/// Inputs that satisfy a query: those that differ from the run, by number.
pub type Model = BTreeMap<u32, u128>;

/// The answer to a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// These changes satisfy it.
    Sat(Model),
    /// No inputs satisfy it: proved.
    Unsat,
    /// Nobody knows, and why.
    Unknown(String),
}

/// Something that answers queries.
pub trait Solve {
    /// Answers a query.
    fn solve(&mut self, query: &Query<'_>) -> Answer;
}

#[cfg(test)]
mod tests;
