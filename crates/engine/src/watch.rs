//! Watchers: whoever wants to know how far the engine is. The engine itself prints nothing.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Something a watcher may want to know.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A search begins: in so many functions, with so many runs for each, or so much time for all.
    Searching {
        /// How many functions.
        functions: usize,
        /// Runs for each function, if the budget is in runs.
        runs: Option<u64>,
        /// Time for all of them.
        budget: Duration,
    },
    /// The search turns to this function.
    Function(&'a str),
    /// How far the search in it is.
    Moment(Moment<'a>),
    /// Another phase begins.
    PhaseBegins,
    /// What the phase is about, and how far it is.
    Phase(&'a str),
    /// The phase, or the search, is over.
    PhaseEnds,
    /// Something the user should know.
    Note(&'a str),
}

/// What is known of a search at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Runs of the function so far.
    pub runs: u64,
    /// Goals met.
    pub met: usize,
    /// All goals.
    pub goals: usize,
    /// The technique that has the turn.
    pub by: &'a str,
}

/// Whoever wants to know. Events come often; a watcher decides which of them to show.
pub trait Watch {
    /// Something happened.
    fn tell(&mut self, event: Event<'_>);
}

/// Nobody wants to know.
pub struct Unwatched;

impl Watch for Unwatched {
    fn tell(&mut self, _: Event<'_>) {}
}

/// How often a phase tells how far it is.
const INTERVAL: Duration = Duration::from_millis(100);

impl dyn Watch + '_ {
    /// A phase that does this, and tells from time to time how far it is.
    pub fn during<T: Send>(&mut self, act: impl FnOnce() -> T + Send, what: impl Fn() -> String) -> T {
        self.tell(Event::PhaseBegins);
        let (sender, receiver) = mpsc::channel::<()>();
        let result = thread::scope(|scope| {
            let acting = scope.spawn(move || {
                let result = act();
                drop(sender);
                result
            });
            while receiver.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                self.tell(Event::Phase(&what()));
            }
            acting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        self.tell(Event::PhaseEnds);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Phases(Vec<String>);

    impl Watch for Phases {
        fn tell(&mut self, event: Event<'_>) {
            self.0.push(format!("{event:?}"));
        }
    }

    #[test]
    fn a_phase_tells_how_far_it_is_until_it_is_over() {
        let mut phases = Phases(Vec::new());
        let watch: &mut dyn Watch = &mut phases;
        let told = AtomicUsize::new(0);
        let act = || {
            while told.load(Ordering::Relaxed) < 2 {
                thread::yield_now();
            }
            7
        };
        let what = || {
            told.fetch_add(1, Ordering::Relaxed);
            "half".to_owned()
        };
        assert_eq!(watch.during(act, what), 7);
        assert_eq!(phases.0.first().map(String::as_str), Some("PhaseBegins"));
        assert_eq!(phases.0.last().map(String::as_str), Some("PhaseEnds"));
        assert!(phases.0[1..phases.0.len() - 1].iter().all(|event| event == "Phase(\"half\")"));
        assert!(phases.0.len() > 3);
    }
}
