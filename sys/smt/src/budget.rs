//! Budgets: how much a query may cost.

use std::time::{Duration, Instant};

/// Work for a check that may fail; about 10 ms.
const SMALL: u32 = 40_000;

/// How much a query may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Work that Z3 may do for a query, in its own unit; a second is about three million. Unlike time it does
    /// not depend on the machine, so the same queries get the same answers as long as it runs out first.
    pub work: u32,
    /// Time for a query.
    pub time: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config { work: 3_000_000, time: Duration::from_secs(2) }
    }
}

impl Config {
    /// The budget of a query that begins now.
    pub(crate) fn budget(&self, deadline: Option<Instant>) -> Budget {
        let end = Instant::now() + self.time;
        Budget { work: self.work, end: deadline.map_or(end, |deadline| deadline.min(end)) }
    }
}

/// What one check may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) work: u32,
    end: Instant,
}

impl Budget {
    /// One part in `parts` of the work.
    pub(crate) fn part(self, parts: u32) -> Budget {
        Budget { work: self.work / parts, ..self }
    }

    /// Little work, for a check that may fail.
    pub(crate) fn small(self) -> Budget {
        Budget { work: self.work.min(SMALL), ..self }
    }

    /// The milliseconds that are left; `None` if the time is up.
    pub(crate) fn milliseconds(self) -> Option<u32> {
        let left = self.end.saturating_duration_since(Instant::now()).as_millis();
        let left = u32::try_from(left).unwrap_or(u32::MAX - 1);
        // Round numbers seldom change, and then Z3 need not be told new ones.
        let rounded = if left > 100 { left / 50 * 50 } else { left };
        (rounded > 0).then_some(rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_end_counts() {
        let config = Config { work: 100, time: Duration::from_secs(60) };
        let left = |deadline: Option<Duration>| {
            config.budget(deadline.map(|left| Instant::now() + left)).milliseconds()
        };
        assert_eq!(left(Some(Duration::ZERO)), None);
        assert!(left(Some(Duration::from_secs(30))).is_some_and(|left| left <= 30_000));
        assert!(left(Some(Duration::from_secs(90))).is_some_and(|left| left > 30_000 && left <= 60_000));
        assert!(left(None).is_some_and(|left| left > 30_000 && left <= 60_000));
    }
}
