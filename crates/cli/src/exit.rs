//! Exit codes.

use std::process::ExitCode;
pub use testwright_engine::Failure;
use testwright_engine::Fault;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The command line or a case makes no sense, or something it needs cannot be used.
    Usage = 1,
    /// What was looked for was found: saved cases that behave differently now, or findings.
    Found = 2,
    /// The target does not build.
    TargetDoesNotBuild = 3,
    /// Part of the work was lost or could not be verified; the report names it.
    Incomplete = 4,
    /// A fault of ours.
    Bug = 70,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Exit {
        match fault {
            Fault::Request => Exit::Usage,
            Fault::Target => Exit::TargetDoesNotBuild,
            Fault::Engine => Exit::Bug,
        }
    }
}
