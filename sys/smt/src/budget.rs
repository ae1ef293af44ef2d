//! Budgets: how much a query may cost.

use std::time::{Duration, Instant};

/// Work for a check that may fail; about 30 ms.
const SMALL: u32 = 100_000;
/// With so much time left a check with little work needs no clock, which would cost more than most checks do.
const PLENTY: Duration = Duration::from_secs(1);

/// How much a query may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Work that Z3 may do for a query, in its own unit; a second is about three million. Unlike time it does
    /// not depend on the machine, so the same queries get the same answers as long as it runs out first.
    pub work: u32,
    /// Time for a query: a safety net, far more than the work takes on a machine that has much else to do. Where time ran out
    /// first, the same seed would not give the same tests.
    pub time: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config { work: 3_000_000, time: Duration::from_secs(30) }
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

    /// Whether the time is up.
    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.end
    }

    /// When a check has to end, if it may come to that before its work is done.
    pub(crate) fn end(self) -> Option<Instant> {
        let left = self.end.saturating_duration_since(Instant::now());
        (self.work > SMALL || left < PLENTY).then_some(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_end_counts() {
        let config = Config { work: SMALL + 1, time: Duration::from_secs(60) };
        let now = Instant::now();
        let end = |deadline: Option<Duration>| config.budget(deadline.map(|left| now + left)).end();
        assert!(config.budget(Some(now)).is_over());
        assert_eq!(end(Some(Duration::from_secs(30))), Some(now + Duration::from_secs(30)));
        assert!(end(Some(Duration::from_secs(90))).is_some_and(|end| end < now + Duration::from_secs(90)));
        assert!(!config.budget(None).is_over());
    }

    #[test]
    fn little_work_is_not_timed_unless_the_end_is_near() {
        let config = Config { work: SMALL, time: Duration::from_secs(60) };
        assert_eq!(config.budget(None).end(), None);
        let near = Instant::now() + Duration::from_millis(900);
        assert_eq!(config.budget(Some(near)).end(), Some(near));
    }
}
