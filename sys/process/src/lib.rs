//! The host's side of a worker: a process that runs code under test, and the memory shared with it.
//!
//! [`Worker::spawn`] starts `testwright-worker` on some libraries. The host lays out a case in the
//! [`SharedSegment`] of the worker, gives it a command ([`Worker::command`]), and reads in the segment
//! what the run left behind. [`testwright_abi`] describes what stands where.
//!
//! Nothing the code under test does reaches the host: it cannot crash it, hang it (every command has a
//! wall limit), or leave a process behind. Raw memory and file numbers do not leave this crate.

mod answer;
mod pipe;
mod segment;
mod start;
mod status;
mod worker;

pub use answer::{Answer, CommandError};
pub use segment::{OutsideSegment, Request, SharedSegment, global_places};
pub use start::{Start, StartError};
pub use status::Status;
pub use worker::Worker;
