//! Failures on their way to whoever asked: what to say, and whose fault it is.

use testwright_base::json::CaseError;
use testwright_code::CodeError;
use testwright_exec::ExecError;

/// Whose fault a failure is, or what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The request or a case makes no sense, or something it needs cannot be used.
    Request,
    /// The target does not build.
    Target,
    /// Ours.
    Engine,
}

/// What to say, and whose fault it is.
#[derive(Debug)]
pub struct Failure {
    /// Whose fault it is.
    pub fault: Fault,
    /// One clear message.
    pub message: String,
}

impl Failure {
    /// The user asked for something that makes no sense.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { fault: Fault::Request, message: message.into() }
    }

    /// Something that should not happen.
    pub fn bug(message: impl Into<String>) -> Failure {
        Failure { fault: Fault::Engine, message: message.into() }
    }
}

impl From<CodeError> for Failure {
    fn from(error: CodeError) -> Failure {
        let fault = match error {
            CodeError::NotC(_)
            | CodeError::Missing(_)
            | CodeError::NoDatabase(_)
            | CodeError::Condition { .. } => Fault::Request,
            CodeError::Llvm(_) => Fault::Engine,
            _ => Fault::Target,
        };
        let message = match &error {
            CodeError::Compile(error) => format!("the target does not compile:\n{error}"),
            other => other.to_string(),
        };
        Failure { fault, message }
    }
}

impl From<ExecError> for Failure {
    fn from(error: ExecError) -> Failure {
        let fault = match error {
            ExecError::Undefined(_) | ExecError::NoLinker { .. } | ExecError::Link(_) => Fault::Target,
            ExecError::Image(_) | ExecError::Uncallable { .. } | ExecError::NoCall => Fault::Request,
            ExecError::NoWorker(_) | ExecError::Io { .. } => Fault::Request,
            _ => Fault::Engine,
        };
        Failure { fault, message: error.to_string() }
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
