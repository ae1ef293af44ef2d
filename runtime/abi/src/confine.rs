//! How a finished program is run confined: `testwright-worker --confine OPTION.. -- PROGRAM ARGUMENT..`.
//!
//! The launcher starts the program in the sandbox, with the null device as standard input and the launcher's own
//! standard output and error, stays beside it, and tells through the open file [`REPORTS`] what happens: any number of
//! effects, then how the program ended.

/// The first argument.
pub const CONFINE: &str = "--confine";
/// The folder that the program starts in and may write to.
pub const SCRATCH: &str = "--scratch";
/// A file or folder that it may read; may be repeated.
pub const READ: &str = "--read";
/// A file or folder that it may write to without an effect; may be repeated.
pub const WRITE: &str = "--write";
/// A variable of its environment, `NAME=VALUE`; may be repeated. It has no others.
pub const SET: &str = "--set";
/// Bytes of address space that it may use. Without this option there is no limit.
pub const MEMORY: &str = "--memory";
/// Seconds of processor time that it may use.
pub const PROCESSOR: &str = "--processor";
/// Bytes that a file of its own may have.
pub const FILE: &str = "--file";
/// Effects on files happen inside the scratch folder, others fail. Without this option an effect ends the program.
pub const GO_ON: &str = "--go-on";
/// Addresses are not randomised.
pub const FIXED: &str = "--fixed-addresses";
/// The program may start processes, as test programs do, and these in turn, so many times; and an effect ends only the process
/// that wants it.
pub const FORKS: &str = "--forks";
/// What follows is the program and its arguments.
pub const PROGRAM: &str = "--";

/// Number of the open file to which the launcher writes [`Report`]s.
pub const REPORTS: i32 = 3;

/// A message of the launcher; always this size.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// One of [`ReportKind`].
    pub kind: u32,
    /// What goes with it.
    pub value: i32,
}

/// The kinds of [`Report`].
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportKind {
    /// The program is about to start; the value is the landlock ABI in force, 0 if there is none.
    Ready = 1,
    /// The program wanted the [`crate::effect::Effect`] of this number.
    Effect = 2,
    /// The program ended by itself, with this status.
    Exited = 3,
    /// The program ended by this signal.
    Killed = 4,
    /// The program cannot be started; standard error says why.
    Failed = 5,
}
