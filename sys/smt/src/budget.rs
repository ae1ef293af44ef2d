//! Budgets: how much a query may cost.

use std::time::{Duration, Instant};

/// Work for a check that may fail; about 30 ms.
const SMALL: u32 = 100_000;
/// With so much time left a check with little work needs no clock, which would cost more than most checks do.
const PLENTY: u128 = 1000;

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

    /// The milliseconds that are left, [`Budget::NO_CLOCK`] if there is no need to count them; `None` if the time
    /// is up.
    pub(crate) fn milliseconds(self) -> Option<u32> {
        let left = self.end.saturating_duration_since(Instant::now()).as_millis();
        if self.work <= SMALL && left >= PLENTY {
            return Some(Budget::NO_CLOCK);
        }
        let left = u32::try_from(left).unwrap_or(Budget::NO_CLOCK);
        // Round numbers seldom change, and then Z3 need not be told new ones.
        let rounded = if left > 100 { left / 50 * 50 } else { left };
        (rounded > 0).then_some(rounded)
    }

    /// What Z3 takes for no limit of time.
    pub(crate) const NO_CLOCK: u32 = u32::MAX;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_end_counts() {
        let config = Config { work: SMALL + 1, time: Duration::from_secs(60) };
        let left = |deadline: Option<Duration>| {
            config.budget(deadline.map(|left| Instant::now() + left)).milliseconds()
        };
        assert_eq!(left(Some(Duration::ZERO)), None);
        assert!(left(Some(Duration::from_secs(30))).is_some_and(|left| left <= 30_000));
        assert!(left(Some(Duration::from_secs(90))).is_some_and(|left| left > 30_000 && left <= 60_000));
        assert!(left(None).is_some_and(|left| left > 30_000 && left <= 60_000));
    }

    #[test]
    fn little_work_is_not_timed_unless_the_end_is_near() {
        let config = Config { work: SMALL, time: Duration::from_secs(60) };
        assert_eq!(config.budget(None).milliseconds(), Some(Budget::NO_CLOCK));
        let near = config.budget(Some(Instant::now() + Duration::from_millis(900))).milliseconds();
        assert!(near.is_some_and(|left| left <= 900), "{near:?}");
    }
}
