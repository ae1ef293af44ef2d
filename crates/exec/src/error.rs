//! What can go wrong when code is loaded and run; how a run ends is not among it.

use crate::image::ImageError;
use std::io;
use std::path::{Path, PathBuf};
use testwright_base::build::Build;
use testwright_process::{CommandError, OutsideSegment, StartError};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// There is no C compiler to link with.
    #[error("cannot start the linker `{program}`: {cause}. Install a C compiler, or name one with CC")]
    NoLinker {
        /// What was tried.
        program: String,
        /// Why it failed.
        cause: io::Error,
    },
    /// The linker refused.
    #[error("the linker failed: {0}")]
    Link(String),
    /// A file cannot be read or written.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
    /// The worker program is not where it should be.
    #[error("the program {} is missing; it is installed together with testwright", .0.display())]
    NoWorker(PathBuf),
    /// The worker does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The code uses a variable that nothing defines; for functions there are stubs.
    #[error("`{0}` is used but not defined. Name the file that defines it too, after the first one")]
    Undefined(String),
    /// The worker failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A case does not fit into memory.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A case does not fit into the shared segment.
    #[error(transparent)]
    Outside(#[from] OutsideSegment),
    /// A case without a call.
    #[error("the case calls no function")]
    NoCall,
    /// A function that no case can call.
    #[error("`{function}` cannot be called: {reason}")]
    Uncallable {
        /// Which.
        function: String,
        /// Why.
        reason: String,
    },
    /// A build that was not loaded.
    #[error("the {} build is not loaded", .0.name())]
    NotLoaded(Build),
    /// What a traced run left behind makes no sense.
    #[error("the record of a traced run is damaged: {0}")]
    Damaged(String),
    /// Code that is to be measured did not return, or cannot be measured here.
    #[error("nothing was measured: {0}")]
    NotMeasured(String),
}

impl ExecError {
    pub(crate) fn io(what: &'static str, path: &Path, cause: io::Error) -> ExecError {
        ExecError::Io { what, path: path.to_owned(), cause }
    }
}
