//! Instrumented code and a case to a run.
//!
//! ```text
//! library::link   object file -> shared library          Session::start  libraries -> worker
//! Image::lay_out  case -> memory of the worker           Session::run    case -> Run
//!                                                        Session::trace  case -> Trace (run, expressions, path)
//! ```
//!
//! The code under test never runs in our own process.
#![forbid(unsafe_code)]

pub mod check;
pub mod effect;
mod error;
mod fault;
pub mod image;
pub mod library;
mod session;
mod trace;

pub use error::ExecError;
pub use fault::is_near_null;
pub use session::{Batch, Draws, Limits, Sample, Sandbox, SearchEnd, SearchLimits, SearchTarget, Session};
pub use testwright_abi::climb::{Climber, Variable};
pub use testwright_abi::fitness::{Fitness, Level};
pub use testwright_abi::memory::HEAP_MAX;
pub use testwright_abi::target_search::KnownEnd;
pub use testwright_process::{
    Addresses, Confined, ConfinedLimits, Ended, Finished, Forks, OnEffect, Signal, Way, end_by,
    end_descendants, end_quietly_when_nobody_reads, end_with_us, exchange, give_back_memory, on_signals,
    run_within, wait_for_signals,
};
pub use trace::Trace;
