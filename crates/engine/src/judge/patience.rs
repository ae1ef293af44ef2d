//! Patience: how long cases are made lighter once a search has ended.
//!
//! With a budget in time that is part of what follows a search (`crates/engine/src/verify/pace.rs`); with one in runs it is counted
//! in runs, so that the same seed gives the same suite. Each case has its fair part, and what it leaves goes to those after it.

use crate::verify::Pace;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How many runs one case may take.
const MOST_RUNS: u64 = 600;
/// With a budget in runs all cases of a function together may take so many times that,
const TIMES: u64 = 16;
/// and so many at least: enough to kill what is easily killed, and for a dozen cases, of which most take fewer than a hundred runs.
const LEAST_RUNS: u64 = 4 * MOST_RUNS;

/// What may still be spent.
#[derive(Clone)]
pub struct Patience {
    deadline: Option<Instant>,
    runs: u64,
    /// Set when the user wants to stop.
    interrupted: &'static AtomicBool,
}

impl Patience {
    /// What follows a search of so many functions: part of the time for all, or so many runs for each.
    pub fn after(
        functions: usize,
        runs: Option<u64>,
        pace: &Pace,
        interrupted: &'static AtomicBool,
    ) -> Patience {
        match runs {
            None => Patience {
                deadline: pace.left_to_judge().map(|left| Instant::now() + left),
                runs: u64::MAX,
                interrupted,
            },
            Some(runs) => {
                let each = runs.saturating_mul(TIMES).max(LEAST_RUNS);
                Patience { deadline: None, runs: each.saturating_mul(functions as u64), interrupted }
            }
        }
    }

    /// Whether it is a time: then nothing depends on who is tried first.
    pub fn is_timed(&self) -> bool {
        self.deadline.is_some()
    }

    /// Does something for one of so many that are still to come, within its part; what it leaves is for the others.
    pub fn for_one_of<T>(&mut self, count: usize, act: impl FnOnce(&mut Patience) -> T) -> T {
        let (now, count) = (Instant::now(), count.max(1));
        let share = |deadline: Instant| now + deadline.saturating_duration_since(now) / count as u32;
        let given = self.runs / count as u64;
        let mut part =
            Patience { deadline: self.deadline.map(share), runs: given, interrupted: self.interrupted };
        let result = act(&mut part);
        self.runs -= given - part.runs;
        result
    }

    /// As [`Patience::for_one_of`], for a case: it has a limit of its own.
    pub fn for_case<T>(&mut self, count: usize, act: impl FnOnce(&mut Patience) -> T) -> T {
        self.for_one_of(count, |part| {
            let given = part.runs.min(MOST_RUNS);
            let mut limited =
                Patience { deadline: part.deadline, runs: given, interrupted: part.interrupted };
            let result = act(&mut limited);
            part.runs -= given - limited.runs;
            result
        })
    }

    /// Does something that may take so many runs besides those that are counted; a limit in time stays.
    pub fn besides<T>(&self, runs: u64, act: impl FnOnce(&mut Patience) -> T) -> T {
        act(&mut Patience { deadline: self.deadline, runs, interrupted: self.interrupted })
    }

    /// Whether there is another run; it counts as made.
    pub fn has_run(&mut self) -> bool {
        let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.runs == 0 || is_over || self.interrupted.load(Ordering::Relaxed) {
            return false;
        }
        self.runs -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static GO_ON: AtomicBool = AtomicBool::new(false);

    fn spent(patience: &mut Patience) -> u64 {
        let mut runs = 0;
        while patience.has_run() {
            runs += 1;
        }
        runs
    }

    #[test]
    fn a_budget_in_runs_is_shared_by_cases_and_what_one_leaves_goes_to_the_others() {
        let mut patience = Patience::after(1, Some(1), &Pace::unhurried(), &GO_ON);
        let first = patience.for_case(20, spent);
        patience.for_case(19, |_| ());
        let third = patience.for_case(18, spent);
        assert_eq!((first, third), (LEAST_RUNS / 20, (LEAST_RUNS - first) / 18));
    }

    #[test]
    fn a_single_case_does_not_take_all_runs() {
        assert_eq!(
            Patience::after(1, Some(1_000_000), &Pace::unhurried(), &GO_ON).for_case(1, spent),
            MOST_RUNS
        );
    }

    #[test]
    fn a_budget_in_time_ends_by_itself() {
        let mut patience = Patience::after(1, None, &Pace::until(Instant::now()), &GO_ON);
        assert_eq!(spent(&mut patience), 0);
        assert!(!patience.has_run());
    }
}
