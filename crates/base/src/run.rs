//! A run: what one execution of a case showed.

use crate::case::Value;
use crate::effect::Effects;
use crate::ids::{GlobalId, OutcomeId, SiteId, StubId};
use crate::site::CheckKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What one execution showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// The returned value, if it returned one.
    pub result: Option<Value>,
    /// The objects of the case afterwards, in the order of its statements; only after a return.
    pub objects: Vec<Option<Value>>,
    /// The outcomes that were hit.
    pub outcomes: Vec<OutcomeId>,
    /// For outcomes that were not hit: how close the run came.
    pub distances: Vec<(OutcomeId, u64)>,
    /// What it wrote to standard output and standard error.
    pub output: Vec<u8>,
    /// Steps taken: function entries and loop iterations.
    pub steps: u64,
    /// The most heap bytes in use.
    pub heap_peak: u64,
    /// How often each stub of the subject was called.
    pub stub_calls: Vec<u64>,
    /// The stubs that were called, in the order of the calls; of very many the first ones.
    #[serde(default)]
    pub stub_order: Vec<StubId>,
    /// The statements whose objects the code freed; such an object holds nothing afterwards.
    #[serde(default)]
    pub freed: Vec<usize>,
    /// Whether it ended at an object that the code had freed.
    #[serde(default)]
    pub used_after_free: bool,
    /// The globals that were looked at; only after a return.
    #[serde(default)]
    pub globals: Vec<Seen>,
    /// What the result points to, if that was looked at: a text with its end, or one element.
    #[serde(default)]
    pub behind: Option<Value>,
    /// What it wanted beyond its own memory.
    #[serde(default)]
    pub effects: Effects,
}

/// What a global held before and after the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Which.
    pub global: GlobalId,
    /// What it held before.
    pub before: Value,
    /// What it held afterwards.
    pub after: Value,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum End {
    /// The function returned.
    Returned,
    /// A sanitizer check failed.
    Trap {
        /// Which.
        kind: CheckKind,
        /// Where.
        site: Option<SiteId>,
    },
    /// A signal.
    Signal {
        /// Its number.
        signal: i32,
        /// The fault address.
        address: u64,
        /// The memory access or call under way, if known.
        site: Option<SiteId>,
    },
    /// `exit` or one of its relatives.
    Exit(i32),
    /// `abort` or a failed assertion.
    Abort,
    /// The stack was used up.
    StackOverflow,
    /// The step limit was reached.
    StepLimit,
    /// The memory limit was reached.
    OutOfMemory,
    /// `free` or `realloc` of something that is not a live allocation.
    BadFree,
    /// The wall clock limit was reached.
    Timeout,
    /// A stated precondition does not hold for the case; the function was not called.
    Outside,
    /// A call before the one under test did not return; the function was not called.
    Before,
    /// The run overwrote what the process that ran it depends on, or took the worker with it; nothing else is known of it.
    Damaged,
}

impl End {
    /// The kind in a word or two, for counting.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            End::Returned => "returned",
            End::Trap { .. } => "trapped",
            End::Signal { .. } => "signal",
            End::Exit(_) => "exit",
            End::Abort => "abort",
            End::StackOverflow => "stack overflow",
            End::StepLimit => "step limit",
            End::OutOfMemory => "out of memory",
            End::BadFree => "bad free",
            End::Timeout => "timeout",
            End::Outside => "outside the contract",
            End::Before => "a call before it did not return",
            End::Damaged => "damage",
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Trap { kind, .. } => write!(formatter, "trapped: {kind}"),
            End::Signal { signal, address, .. } => {
                write!(formatter, "signal {} ({}) at address {address:#x}", signal, signal_name(*signal))
            }
            End::Exit(status) => write!(formatter, "exit({status})"),
            End::BadFree => formatter.write_str("free of something that is not allocated"),
            End::Damaged => formatter.write_str("overwrote memory or files of the process that ran it"),
            _ => formatter.write_str(self.name()),
        }
    }
}

/// The usual name of a signal.
#[must_use]
pub fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => "illegal instruction",
        5 => "trap",
        6 => "abort",
        7 => "bus error",
        8 => "arithmetic error",
        11 => "segmentation fault",
        25 => "file too large",
        31 => "bad system call",
        _ => "signal",
    }
}
