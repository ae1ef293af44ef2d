//! How a command can come out.

use std::process::ExitStatus;
use std::time::Duration;

use testwright_abi::command::Refusal;

/// The answer to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It was carried out; the segment says how the run ended.
    Done {
        /// How long it took in the worker.
        time: Duration,
    },
    /// The process that ran it ended. If the segment names no end, it was killed from outside.
    Died {
        /// How the process ended.
        status: ExitStatus,
    },
    /// It took longer than the wall limit and was killed.
    TimedOut,
    /// The run has overwritten what is not its own: memory that later runs depend on, or the channel to the host. Its
    /// process was replaced, and what stands in the segment means nothing.
    Damaged,
}

/// A command could not be given or answered: a fault of ours, or of the system.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The worker found no sense in it.
    #[error("the worker refused the command: {}", reason(*.0))]
    Refused(Option<Refusal>),
    /// The worker itself has ended, not only the process that ran the command.
    #[error("the worker has ended ({status}){}", said(.output))]
    WorkerLost {
        /// How it ended.
        status: ExitStatus,
        /// What it wrote last.
        output: String,
    },
    /// The server does not answer, or its processes end before they do anything.
    #[error("the worker does not answer; it was killed")]
    Stuck,
    /// Reading from a socket failed.
    #[error("cannot talk to the worker: {0}")]
    Pipe(#[from] std::io::Error),
}

fn reason(refusal: Option<Refusal>) -> &'static str {
    match refusal {
        Some(Refusal::Kind) => "there is no such kind of command",
        Some(Refusal::Library) => "there is no such library",
        Some(Refusal::Entry) => "the library has no such driver",
        Some(Refusal::Request) => "it has too many descriptors or outcomes",
        Some(Refusal::Object) => "an object or leaf lies outside its area",
        None => "for a reason that this program does not know",
    }
}

pub(crate) fn said(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!(": {}", output.trim_end()) }
}
