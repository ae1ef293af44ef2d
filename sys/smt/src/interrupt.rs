//! Interruption: whatever Z3 is doing ends soon after somebody says so.
//!
//! A check takes as long as its budget allows, and the thread that asked cannot do anything meanwhile. So another
//! thread watches, and tells Z3 to give up; checks are then answered with "unknown".

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use z3::Context;

/// How often the flag is looked at, and Z3 is told again.
const INTERVAL: Duration = Duration::from_millis(20);

/// Does `work` on this thread; once `flag` is set, no check of a [`crate::Z3`] of this thread takes long any more.
pub fn interruptible<T>(flag: &AtomicBool, work: impl FnOnce() -> T) -> T {
    watched(|| (!flag.load(Ordering::Relaxed)).then_some(INTERVAL), work)
}

/// Does `work` on this thread; after `end`, no check takes long any more. Unlike a limit that Z3 is told, this leaves Z3 as it
/// is until then, so that its answers do not depend on how much time there is.
pub(crate) fn until<T>(end: Instant, work: impl FnOnce() -> T) -> T {
    let left = || Some(end.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero());
    watched(left, work)
}

/// Does `work` while another thread waits for as long as it is told to `wait`, and then interrupts.
fn watched<T>(wait: impl Fn() -> Option<Duration> + Send, work: impl FnOnce() -> T) -> T {
    let context = Context::thread_local();
    let handle = context.handle();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_over = &is_done;
        let watcher = scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                let wait = wait().unwrap_or_else(|| {
                    // Again and again, because between two checks there is nothing to interrupt.
                    handle.interrupt();
                    INTERVAL
                });
                thread::park_timeout(wait);
            }
        });
        // Also if the work panics: the watcher is waited for.
        let _end = End { is_done: &is_done, watcher: watcher.thread() };
        work()
    })
}

/// Ends the watcher when it goes.
struct End<'a> {
    is_done: &'a AtomicBool,
    watcher: &'a thread::Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}
