//! Pace: how long everything after a search may take.
//!
//! With a budget in time that is a quarter of the budget, and what the search has left of it, for all of it: making cases lighter, writing, compiling and running.
//! What does not fit is left out and told, the least needed first: builds beyond the one that `make check` makes by itself.
//! That one makes a suite a verified one, and the others show which tests rely on undefined behaviour, so both may take longer.
//! With a budget in runs there is no limit, so that the same seed gives the same suite.

use std::time::{Duration, Instant};

/// The part of the budget.
const PART: u32 = 4;
/// The part of that which goes into making cases lighter; the rest is for trying the tests.
const JUDGED: u32 = 3;
/// However short the search was, there is so much time to make cases lighter,
const LEAST: Duration = Duration::from_secs(5);
/// and so much until the other builds have to be ready. A small suite in six builds takes ten seconds on a busy machine; with five
/// seconds, 5 of 60 suites kept tests that sanitizers refuse.
const LEAST_OF_BUILDS: Duration = Duration::from_secs(20);
/// The first build may always take so long. gcc takes 5.5 processor seconds for 3,974 tests of one file at `-O0`, and the machine
/// may be busy.
const LEAST_OF_FIRST: Duration = Duration::from_secs(120);

/// When it has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    end: Option<Instant>,
    end_of_builds: Option<Instant>,
    /// What the search has left of the budget.
    saved: Duration,
}

impl Pace {
    /// What follows a search with this budget, which took so long and ends now.
    pub fn after(budget: Duration, took: Duration) -> Pace {
        let saved = budget.saturating_sub(took);
        let (now, part) = (Instant::now(), budget / PART + saved);
        Pace {
            saved,
            end: now.checked_add(part.max(LEAST)),
            end_of_builds: now.checked_add(part.max(LEAST_OF_BUILDS)),
        }
    }

    /// There is time until then.
    #[cfg(test)]
    pub fn until(end: Instant) -> Pace {
        Pace { end: Some(end), end_of_builds: Some(end), saved: Duration::ZERO }
    }

    /// There is all the time that it takes.
    pub fn unhurried() -> Pace {
        Pace { end: None, end_of_builds: None, saved: Duration::ZERO }
    }

    /// The time that is left to make cases lighter and to try them; none if there is no limit.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// The time to choose cases and to make them lighter: a third of what is left, and all that the search has left of the budget.
    pub fn left_to_judge(&self) -> Option<Duration> {
        self.left().map(|left| (left.saturating_sub(self.saved) / JUDGED + self.saved).min(left))
    }

    fn left_for_builds(&self) -> Option<Duration> {
        self.end_of_builds.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether the tests can be run in a build that takes so long.
    pub fn has(&self, time: Duration) -> bool {
        self.left_for_builds().is_none_or(|left| left > time)
    }

    /// This time to compile a build, or what is left if that is less.
    pub fn at_most(&self, time: Duration) -> Duration {
        self.left_for_builds().map_or(time, |left| left.min(time))
    }

    /// How long the first build may take to compile, of this time.
    pub fn for_first(&self, time: Duration) -> Duration {
        self.left_for_builds().map_or(time, |left| left.max(LEAST_OF_FIRST).min(time))
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
        let pace = Pace::after(10 * HOUR, 10 * HOUR);
        assert!(pace.has(2 * HOUR) && !pace.has(3 * HOUR));
        let short = Pace::after(Duration::ZERO, HOUR);
        assert!(short.left().is_some_and(|left| left <= LEAST));
        assert!(short.has(LEAST_OF_BUILDS / 2) && !short.has(LEAST_OF_BUILDS));
        let early = Pace::after(4 * HOUR, HOUR);
        assert!(early.has(3 * HOUR) && !early.has(4 * HOUR), "what the search left is there for the builds");
        let judged = early.left_to_judge().expect("a time");
        assert!(judged > 3 * HOUR && judged < 4 * HOUR, "and for the cases: {judged:?}");
    }
}
