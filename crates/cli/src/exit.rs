//! Exit codes, and failures on their way to one.

use std::process::ExitCode;
use testwright_base::json::CaseError;
use testwright_code::CodeError;
use testwright_exec::ExecError;

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

/// What to say, and how to end.
#[derive(Debug)]
pub struct Failure {
    /// How the program ends.
    pub exit: Exit,
    /// One clear message.
    pub message: String,
}

impl Failure {
    /// The user asked for something that makes no sense.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Usage, message: message.into() }
    }

    /// Something that should not happen.
    pub fn bug(message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Bug, message: message.into() }
    }
}

impl From<CodeError> for Failure {
    fn from(error: CodeError) -> Failure {
        let exit = match error {
            CodeError::NotC(_)
            | CodeError::Missing(_)
            | CodeError::NoDatabase(_)
            | CodeError::Condition { .. } => Exit::Usage,
            CodeError::Llvm(_) => Exit::Bug,
            _ => Exit::TargetDoesNotBuild,
        };
        let message = match &error {
            CodeError::Compile(error) => format!("the target does not compile:\n{error}"),
            other => other.to_string(),
        };
        Failure { exit, message }
    }
}

impl From<ExecError> for Failure {
    fn from(error: ExecError) -> Failure {
        let exit = match error {
            ExecError::Undefined(_) | ExecError::NoLinker { .. } | ExecError::Link(_) => {
                Exit::TargetDoesNotBuild
            }
            ExecError::Image(_) | ExecError::Uncallable { .. } | ExecError::NoCall => Exit::Usage,
            ExecError::NoWorker(_) | ExecError::Io { .. } => Exit::Usage,
            _ => Exit::Bug,
        };
        Failure { exit, message: error.to_string() }
    }
}

impl From<CaseError> for Failure {
    fn from(error: CaseError) -> Failure {
        Failure::usage(format!("the case does not fit: {error}"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::usage(format!("cannot read or write a file: {error}"))
    }
}
