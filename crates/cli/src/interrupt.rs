//! Ctrl-C ends the search and keeps what was found.

use std::sync::atomic::AtomicBool;

/// Set once the user has asked to stop.
pub fn flag() -> &'static AtomicBool {
    testwright_exec::interrupted()
}
