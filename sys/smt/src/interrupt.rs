//! Interruption: whatever Z3 is doing ends soon after somebody says so.
//!
//! A check takes as long as its budget allows, and the thread that asked cannot do anything meanwhile. So another
//! thread watches, and tells Z3 to give up; checks are then answered with "unknown".

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use z3::Context;

/// How often the flag is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// Does `work` on this thread; once `flag` is set, no check of a [`crate::Z3`] of this thread takes long any more.
pub fn interruptible<T>(flag: &AtomicBool, work: impl FnOnce() -> T) -> T {
    let context = Context::thread_local();
    let handle = context.handle();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                // Again and again, because between two checks there is nothing to interrupt.
                if flag.load(Ordering::Relaxed) {
                    handle.interrupt();
                }
                thread::park_timeout(INTERVAL);
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
