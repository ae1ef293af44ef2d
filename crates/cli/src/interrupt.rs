//! Signals that ask to end: Ctrl-C ends the search and keeps what was found; a second one, or any other, ends the
//! program at once and leaves nothing behind.

use std::sync::atomic::{AtomicBool, Ordering};
use testwright_exec::{Signal, end_by, end_descendants, on_signals};

/// Set once the user has asked to stop.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Whether somebody looks at it.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Deals with signals from now on.
pub fn listen() {
    // Without a thread for them, signals end the program as usual; the next start removes what is left then.
    let _ = on_signals(|signal| {
        let is_polite = signal == Signal::Interrupt && WATCHED.load(Ordering::SeqCst);
        if is_polite && !INTERRUPTED.swap(true, Ordering::SeqCst) {
            return;
        }
        // Compilers would go on to write to folders that are being removed.
        end_descendants();
        testwright_scratch::remove_all();
        end_by(signal);
    });
}

/// Set once the user has asked to stop. Whoever calls this looks at it from now on.
pub fn flag() -> &'static AtomicBool {
    WATCHED.store(true, Ordering::SeqCst);
    &INTERRUPTED
}
