//! Giving commands to the worker, and to another one if it is lost.

use super::{Plan, Session, reads, writes};
use crate::ExecError;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testwright_abi::command::{CommandKind, Leaf};
use testwright_process::{Answer, CommandError, Request, Start, StartError, Worker};

/// How long a worker may take to load its libraries.
const LOADING: Duration = Duration::from_secs(30);
/// So many commands in a row may come to nothing; after that the code cannot be run.
const MOST_FAILURES: u32 = 5;

/// A library that a worker has loaded. It can be loaded again when its file has been removed.
#[derive(Debug)]
pub(super) struct Library {
    name: OsString,
    file: File,
}

impl Library {
    pub(super) fn open(path: &Path) -> Result<Library, ExecError> {
        let file = File::open(path).map_err(|cause| ExecError::io("open", path, cause))?;
        Ok(Library { name: path.file_name().unwrap_or_default().to_owned(), file })
    }

    fn copy_to(&self, folder: &Path) -> Result<PathBuf, ExecError> {
        let path = folder.join(&self.name);
        let copy = || {
            let mut file = &self.file;
            file.rewind()?;
            io::copy(&mut file, &mut File::create(&path)?)
        };
        copy().map_err(|cause| ExecError::io("write", &path, cause))?;
        Ok(path)
    }
}

impl Session {
    /// Gives the command. A case whose run takes its process with it, or finds it damaged, gets a new process if another run
    /// was there before: what that one did is not its fault.
    pub(super) fn send(&mut self, plan: &mut Plan) -> Result<Answer, ExecError> {
        let is_single = [CommandKind::Run as u32, CommandKind::Trace as u32].contains(&plan.command.kind);
        let was_fresh = self.worker.is_fresh();
        match self.attempt(plan)? {
            Answer::Damaged | Answer::Died { .. } if is_single && !was_fresh => self.attempt(plan),
            answer => Ok(answer),
        }
    }

    /// Lays out the case and gives the command. A worker that is lost is started anew, and costs this command.
    fn attempt(&mut self, plan: &mut Plan) -> Result<Answer, ExecError> {
        self.write(plan)?;
        match self.worker.command(&plan.command, self.limits.wall) {
            Ok(answer) => {
                self.failures = 0;
                Ok(answer)
            }
            Err(error) => {
                self.failures += 1;
                if self.failures > MOST_FAILURES {
                    return Err(error.into());
                }
                // A process that refuses a command may have been made to say so; it has been replaced.
                if !matches!(error, CommandError::Refused(_)) {
                    self.worker = self.another_worker()?;
                }
                Ok(Answer::Damaged)
            }
        }
    }

    fn another_worker(&self) -> Result<Worker, ExecError> {
        let folder = folder()?;
        spawn(&self.program, &self.copies_in(folder.path())?, &self.readable, self.scratch.path())
    }

    /// Another session of the same code with the same limits, for another thread.
    ///
    /// # Errors
    /// As [`Session::start`].
    pub fn twin(&self) -> Result<Session, ExecError> {
        let (scratch, folder) = (folder()?, folder()?);
        let paths = self.copies_in(folder.path())?;
        Ok(Session {
            subject: self.subject.clone(),
            worker: spawn(&self.program, &paths, &self.readable, scratch.path())?,
            program: self.program.clone(),
            libraries: paths.iter().map(|path| Library::open(path)).collect::<Result<_, _>>()?,
            readable: self.readable.clone(),
            sandbox: self.sandbox,
            failures: 0,
            builds: self.builds.clone(),
            limits: self.limits,
            scratch,
            own_outcomes: self.own_outcomes,
        })
    }

    /// The libraries as files in this folder.
    fn copies_in(&self, folder: &Path) -> Result<Vec<PathBuf>, ExecError> {
        self.libraries.iter().map(|library| library.copy_to(folder)).collect()
    }

    fn write(&mut self, plan: &mut Plan) -> Result<(), ExecError> {
        let segment = self.worker.segment_mut();
        segment.clear_stub_calls(self.subject.stubs.len());
        segment.clear_freed(plan.image.spans.len());
        for (address, bytes) in &plan.image.writes {
            segment.write_input(*address, bytes)?;
        }
        let leaves: Vec<Leaf> = plan.leaves.iter().map(|leaf| leaf.leaf).collect();
        let globals = writes(&plan.image);
        let reads = reads(&self.subject, plan);
        let request = Request {
            objects: &plan.image.spans,
            leaves: &leaves,
            draws: &plan.draws,
            globals: &globals,
            reads: &reads,
            steps: &plan.image.steps,
        };
        Ok(segment.write_request(&mut plan.command, &request)?)
    }
}

/// A folder that is removed with what it is for.
pub(super) fn folder() -> Result<testwright_scratch::Folder, ExecError> {
    testwright_scratch::folder()
        .map_err(|cause| ExecError::io("make a folder in", &std::env::temp_dir(), cause))
}

/// Starts a worker.
pub(super) fn spawn(
    program: &Path,
    libraries: &[PathBuf],
    readable: &[PathBuf],
    scratch: &Path,
) -> Result<Worker, ExecError> {
    Worker::spawn(&Start { program, libraries, scratch, readable, wall_limit: LOADING })
        .map_err(|error| undefined_symbol(&error).unwrap_or_else(|| error.into()))
}

/// A library that cannot be loaded because something is defined nowhere: whose name it is.
fn undefined_symbol(error: &StartError) -> Option<ExecError> {
    let StartError::Failed { message, .. } = error else { return None };
    let (_, rest) = message.split_once("undefined symbol: ")?;
    let name = rest.split([' ', ',', '\n']).next()?;
    Some(ExecError::Undefined(name.to_owned()))
}
