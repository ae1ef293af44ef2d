//! Pace: how long everything after a search may take.
//!
//! With a budget in time that is a quarter of the budget for all of it: making cases lighter, writing, compiling and running.
//! What does not fit is left out and told, the least needed first: builds beyond the one that `make check` makes by itself.
//! That one makes a suite a verified one, so it may take longer. With a budget in runs there is no limit, so that the same
//! seed gives the same suite.

use std::time::{Duration, Instant};

/// The part of the budget.
const PART: u32 = 4;
/// However short the search was, there is so much time. Not measured: it should be enough for a small suite in all builds.
const LEAST: Duration = Duration::from_secs(5);
/// The first build may always take so long. gcc takes 5.5 processor seconds for 3,974 tests of one file at `-O0`, and the machine
/// may be busy.
const LEAST_OF_FIRST: Duration = Duration::from_secs(120);

/// When it has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    end: Option<Instant>,
}

impl Pace {
    /// What follows a search with this budget, which ends now.
    pub fn after(budget: Duration) -> Pace {
        Pace { end: Instant::now().checked_add((budget / PART).max(LEAST)) }
    }

    /// There is time until then.
    #[cfg(test)]
    pub fn until(end: Instant) -> Pace {
        Pace { end: Some(end) }
    }

    /// There is all the time that it takes.
    pub fn unhurried() -> Pace {
        Pace { end: None }
    }

    /// The time that is left; none if there is no limit.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether something that takes so long can be done.
    pub fn has(&self, time: Duration) -> bool {
        self.left().is_none_or(|left| left > time)
    }

    /// This time, or what is left if that is less.
    pub fn at_most(&self, time: Duration) -> Duration {
        self.left().map_or(time, |left| left.min(time))
    }

    /// How long the first build may take to compile, of this time.
    pub fn for_first(&self, time: Duration) -> Duration {
        self.left().map_or(time, |left| left.max(LEAST_OF_FIRST).min(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn without_a_budget_in_time_there_is_always_time() {
        let pace = Pace::unhurried();
        assert!(pace.has(HOUR));
        assert_eq!((pace.left(), pace.at_most(HOUR), pace.for_first(HOUR)), (None, HOUR, HOUR));
    }

    #[test]
    fn when_the_time_is_over_only_the_first_build_is_made() {
        let pace = Pace::until(Instant::now());
        assert!(!pace.has(Duration::ZERO));
        assert_eq!((pace.at_most(HOUR), pace.for_first(HOUR)), (Duration::ZERO, LEAST_OF_FIRST));
    }

    #[test]
    fn a_long_search_has_a_long_end() {
        let pace = Pace::after(10 * HOUR);
        assert!(pace.has(2 * HOUR) && !pace.has(3 * HOUR));
        assert!(Pace::after(Duration::ZERO).left().is_some_and(|left| left <= LEAST));
    }
}
