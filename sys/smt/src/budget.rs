//! Budgets: how much a query may cost.

use std::time::{Duration, Instant};

/// Work for a check that may fail; about 10 ms.
const SMALL: u32 = 40_000;

/// How much a query may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Work that Z3 may do for a query, in its own unit. Unlike time it does not depend on the machine, so the
    /// same queries get the same answers; it should run out before the time does.
    pub work: u32,
    /// Time for a query.
    pub time: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config { work: 3_000_000, time: Duration::from_secs(2) }
    }
}

/// What Z3 may use for one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) work: u32,
    pub(crate) milliseconds: u32,
}

impl Budget {
    /// A small part of it, for checks that may fail.
    pub(crate) fn small(self) -> Budget {
        Budget { work: self.work.min(SMALL), ..self }
    }
}

impl Config {
    /// What is left for a check of a query that began at `start`, `None` if its time is up.
    pub(crate) fn budget(&self, start: Instant, deadline: Option<Instant>) -> Option<Budget> {
        let end = deadline.map_or(start + self.time, |deadline| deadline.min(start + self.time));
        let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        // Without a deadline nearby the numbers are round, and Z3 need not be told new ones.
        let is_fresh = left > self.time * 9 / 10;
        let left = if is_fresh { self.time } else { left };
        let milliseconds = u32::try_from(left.as_millis()).unwrap_or(u32::MAX - 1).max(1);
        Some(Budget { work: self.work, milliseconds })
    }
}
