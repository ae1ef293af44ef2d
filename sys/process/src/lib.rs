//! The host's side of a worker: a process that runs code under test, and the memory shared with it.
//!
//! [`Worker::spawn`] starts `testwright-worker` on some libraries. The host lays out a case in the
//! [`SharedSegment`] of the worker, gives it a command ([`Worker::command`]), and reads in the segment
//! what the run left behind. [`testwright_abi`] describes what stands where.
//!
//! Nothing the code under test does reaches the host: it cannot crash it, hang it (every command has a
//! wall limit), or leave a process behind. Raw memory and file numbers do not leave this crate.

use std::sync::atomic::{AtomicBool, Ordering};

mod answer;
mod bounded;
mod channel;
mod confined;
mod hunt;
mod pipe;
mod segment;
mod start;
mod status;
mod worker;

pub use answer::{Answer, CommandError};
pub use bounded::{Finished, run_within};
pub use confined::{Addresses, Confined, ConfinedLimits, Ended, Forks, OnEffect, Way};
pub use hunt::Quarry;
pub use segment::{OutsideSegment, Request, SharedSegment, global_places};
pub use start::{Start, StartError};
pub use status::Status;
pub use worker::Worker;

/// Lets a closed standard output end this program silently, as other programs of a pipeline do; Rust ignores the
/// signal and fails in the middle of printing instead.
pub fn end_quietly_when_nobody_reads() {
    // SAFETY: a plain system call, before there are other threads.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note_interrupt(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// A flag that the first Ctrl-C sets; the second one ends the program as usual.
pub fn interrupted() -> &'static AtomicBool {
    // SAFETY: the handler only stores to an atomic; it is installed once and for one signal.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = note_interrupt as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
        libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut());
    }
    &INTERRUPTED
}
