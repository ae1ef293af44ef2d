//! Strategies: expressions that say which frontiers pick, such as `short-circuit(per-location(shortest), random)`.
//!
//! The grammar is `name`, `name(number)` or `name(strategy, ..)`, with spaces wherever one likes. What a name takes
//! is said by [`crate::frontier`].

mod parse;

pub use parse::StrategyError;

use crate::frontier::Frontier;
use crate::frontier::{Entry, Takes};
use std::fmt;
use std::str::FromStr;

/// The strategy that is used when none is named: every site once, as early as possible; then Fitnex twice as often as
/// random choice. Measured on `subjects/fitnex`, random choice gets Fitnex out of dead ends in fewer runs than the breadth
/// first variants of the paper.
pub const DEFAULT: &str = "short-circuit(per-location(shortest), round-robin(fitnex, fitnex, random))";

/// The default without Fitnex, for comparison.
pub const WITHOUT_FITNEX: &str = "short-circuit(per-location(shortest), random)";

/// An expression that says which frontiers pick.
#[derive(Debug, Clone)]
pub struct Strategy {
    entry: &'static Entry,
    number: u32,
    parts: Vec<Strategy>,
}

impl Strategy {
    /// The strategies it is made of.
    #[must_use]
    pub fn parts(&self) -> &[Strategy] {
        &self.parts
    }

    /// The number in parentheses, or the usual one.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether a frontier of this name is part of it.
    #[must_use]
    pub fn mentions(&self, name: &str) -> bool {
        self.entry.name == name || self.parts.iter().any(|part| part.mentions(name))
    }

    /// A new frontier that works by this strategy.
    #[must_use]
    pub fn build(&self) -> Box<dyn Frontier> {
        self.entry.build(self)
    }
}

impl Default for Strategy {
    fn default() -> Strategy {
        DEFAULT.parse().expect("the default is a strategy")
    }
}

impl FromStr for Strategy {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Strategy, StrategyError> {
        parse::parse(text)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.entry.name)?;
        match self.entry.takes {
            Takes::Nothing => Ok(()),
            Takes::Number(_) => write!(formatter, "({})", self.number),
            Takes::One | Takes::Many => {
                for (index, part) in self.parts.iter().enumerate() {
                    write!(formatter, "{}{part}", if index == 0 { "(" } else { ", " })?;
                }
                formatter.write_str(")")
            }
        }
    }
}

#[cfg(test)]
mod tests;
