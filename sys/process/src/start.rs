//! Starting a worker process with the open files it expects.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;
use std::{fs, io, process};

use testwright_abi::command::{StartFailure, descriptor};
use testwright_abi::confine::READ;

use crate::answer::said;
use crate::segment::SharedSegment;

/// How to start a worker.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The program `testwright-worker`.
    pub program: &'a Path,
    /// The libraries to load.
    pub libraries: &'a [PathBuf],
    /// The only folder that code under test may write to. Its contents are removed between runs of code
    /// that may have written there. No two workers may share one.
    pub scratch: &'a Path,
    /// Files and folders that code under test may read, besides the system's.
    pub readable: &'a [PathBuf],
    /// How long loading may take.
    pub wall_limit: Duration,
}

/// A worker cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system refuses something.
    #[error("cannot {what}: {cause}")]
    System {
        /// What was tried.
        what: String,
        /// What the system says.
        #[source]
        cause: io::Error,
    },
    /// The worker says why.
    #[error("the worker cannot start: {message}")]
    Failed {
        /// What failed, if this program knows the number.
        failure: Option<StartFailure>,
        /// The worker's own words.
        message: String,
    },
    /// The worker ended, probably in a constructor of a library.
    #[error("the worker ended while it loaded the libraries ({status}){}", said(.output))]
    Ended {
        /// How.
        status: ExitStatus,
        /// What it wrote.
        output: String,
    },
    /// Loading took too long.
    #[error("the worker was not ready after {0:?}: a library takes too long to load")]
    TimedOut(Duration),
}

impl StartError {
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> StartError {
        let what = what.into();
        move |cause| StartError::System { what, cause }
    }
}

/// Starts the process; `line` is its end of the line.
pub(crate) fn launch(
    start: &Start,
    segment: &SharedSegment,
    output: &File,
    line: &OwnedFd,
) -> Result<Child, StartError> {
    let absolute =
        |path: &Path| fs::canonicalize(path).map_err(StartError::system(format!("find {}", path.display())));
    let double = || output.try_clone().map_err(StartError::system("double the output file"));
    let mut command = process::Command::new(absolute(start.program)?);
    command.arg(absolute(start.scratch)?);
    for path in start.readable {
        command.arg(READ).arg(path);
    }
    for library in start.libraries {
        command.arg(absolute(library)?);
    }
    command.env_clear().stdin(Stdio::null()).stdout(double()?).stderr(double()?);
    // A group of its own: what is typed at the terminal is for the host.
    command.process_group(0);
    let passed = [(segment.file().as_raw_fd(), descriptor::SHARED), (line.as_raw_fd(), descriptor::LINE)];
    // SAFETY: the closure makes system calls only, which is what a child of a process with threads may do.
    unsafe { command.pre_exec(move || place(passed)) };
    command.spawn().map_err(StartError::system(format!("start {}", start.program.display())))
}

/// Gives open files the numbers the worker expects, and closes all others when the program starts.
fn place(passed: [(RawFd, RawFd); 2]) -> io::Result<()> {
    /// Above all numbers that are given.
    const ASIDE: RawFd = 64;
    let checked = |result: RawFd| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    let mut aside = [0; 2];
    // SAFETY: plain system calls on numbers. First all are moved aside, because one may have the
    // number that another is to get.
    unsafe {
        for (own, (from, _)) in aside.iter_mut().zip(passed) {
            *own = checked(libc::fcntl(from, libc::F_DUPFD_CLOEXEC, ASIDE))?;
        }
        for (own, (_, to)) in aside.iter().zip(passed) {
            checked(libc::dup2(*own, to))?;
        }
        // Kernels before 5.11 do not know this; there, everything else is expected to be marked already.
        libc::syscall(libc::SYS_close_range, descriptor::LINE + 1, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    }
    Ok(())
}
