//! The host's side of a worker: a process that runs code under test, and the memory shared with it.
//!
//! [`Worker::spawn`] starts `testwright-worker` on some libraries. The host lays out a case in the
//! [`SharedSegment`] of the worker, gives it a command ([`Worker::command`]), and reads in the segment
//! what the run left behind. [`testwright_abi`] describes what stands where.
//!
//! Nothing the code under test does reaches the host: it cannot crash it, hang it (every command has a
//! wall limit), or leave a process behind. Raw memory and file numbers do not leave this crate.

mod answer;
mod bounded;
mod channel;
mod confined;
mod exchange;
mod memory;
mod pipe;
mod segment;
mod signals;
mod start;
mod status;
mod target_search;
mod worker;

pub use answer::{Answer, CommandError};
pub use bounded::{Finished, run_within};
pub use confined::{Addresses, Confined, ConfinedLimits, Ended, Forks, OnEffect, Way};
pub use exchange::exchange;
pub use memory::give_back_memory;
pub use segment::{OutsideSegment, Request, SharedSegment, global_places};
pub use signals::{Signal, end_by, end_descendants, end_with_us, on_signals, wait_for_signals};
pub use start::{Start, StartError};
pub use status::Status;
pub use target_search::SearchProblem;
pub use worker::Worker;

/// Lets a closed standard output end this program silently, as other programs of a pipeline do; Rust ignores the
/// signal and fails in the middle of printing instead.
pub fn end_quietly_when_nobody_reads() {
    // SAFETY: a plain system call, before there are other threads.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}
