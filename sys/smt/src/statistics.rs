//! Statistics: what the solver did.

use std::time::Duration;

use testwright_logic::solve::Answer;

/// What the solver did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Queries asked.
    pub queries: u64,
    /// Those with a model.
    pub sat: u64,
    /// Those proved to have none.
    pub unsat: u64,
    /// Those without an answer.
    pub unknown: u64,
    /// Constraints that were asserted already when a query needed them.
    pub reused: u64,
    /// Constraints that had to be asserted.
    pub asserted: u64,
    /// Checks made to find more readable models.
    pub refinements: u64,
    /// Time spent.
    pub time: Duration,
}

impl Statistics {
    pub(crate) fn count(&mut self, answer: &Answer, time: Duration) {
        self.queries += 1;
        self.time += time;
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}
