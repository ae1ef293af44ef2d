//! A running worker: commands with a wall limit, and an orderly end.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use testwright_abi::command::{Command, Refusal, Reply, ReplyKind, StartFailure, status};

use crate::answer::{Answer, CommandError};
use crate::channel::{Channel, Incoming, Line, News, Process, ends};
use crate::segment::{SharedSegment, memory_file};
use crate::start::{Start, StartError, launch};

/// How long the server may take for what takes it microseconds: to report a death, to fork, to end.
const GRACE: Duration = Duration::from_secs(10);
/// How long a new process may take to begin a command.
const START: Duration = Duration::from_millis(20);
/// So many processes get the same command if one after the other ends before it begins it.
const ATTEMPTS: usize = 8;
/// As much of the output is kept for messages.
const MESSAGE: usize = 4096;

/// A process that runs code under test.
#[derive(Debug)]
pub struct Worker {
    server: Child,
    segment: SharedSegment,
    output: File,
    /// `None` once the worker is to end.
    line: Option<Line>,
    /// The process that runs commands.
    process: Process,
    channel: Channel,
    /// Number of the last command.
    number: u64,
    /// How many commands were given.
    count: u64,
    /// How many of them the process has been given that runs commands now.
    given: u64,
    /// Numbers of commands: code under test cannot guess that of the next one, and so not answer it.
    numbers: RandomState,
}

/// What became of a command that was given to one process.
enum Attempt {
    Answered(Answer),
    Refused(i32),
    /// The process ended, or was of no use, before it began the command; there is another one now.
    NotBegun,
}

impl Worker {
    /// Starts a worker and waits until its libraries are loaded.
    ///
    /// # Errors
    /// The program cannot be started, or a library cannot be loaded.
    pub fn spawn(start: &Start) -> Result<Worker, StartError> {
        let segment = SharedSegment::new().map_err(StartError::system("create the shared segment"))?;
        let output = output_file().map_err(StartError::system("create the output file"))?;
        let (line, servers_end) = Line::new().map_err(StartError::system("create a socket"))?;
        let mut server = launch(start, &segment, &output, &servers_end)?;
        // With a copy of our own, the end of the worker would not be seen.
        drop(servers_end);
        let failure = match line.next(Instant::now() + start.wall_limit) {
            Ok(News::Process { process, channel, before: None }) => {
                return Ok(Worker {
                    server,
                    segment,
                    output,
                    line: Some(line),
                    process,
                    channel,
                    number: 0,
                    count: 0,
                    given: 0,
                    numbers: RandomState::new(),
                });
            }
            Ok(News::Failed(number)) => {
                StartError::Failed { failure: StartFailure::from_number(number), message: message(&output) }
            }
            Ok(News::Late) => StartError::TimedOut(start.wall_limit),
            Ok(News::Process { .. } | News::Closed) => {
                drop(line);
                let status = end(&mut server).map_err(StartError::system("wait for the worker"))?;
                return Err(StartError::Ended { status, output: message(&output) });
            }
            Err(error) => StartError::system("read from the worker")(error),
        };
        kill_group(&server);
        let _ = server.wait();
        Err(failure)
    }

    /// Carries out a command; its number is given here. A process that takes longer than `wall_limit` is killed.
    ///
    /// # Errors
    /// The command makes no sense, or the worker is lost: then nothing of it runs any more.
    pub fn command(&mut self, command: &Command, wall_limit: Duration) -> Result<Answer, CommandError> {
        self.count += 1;
        self.number = self.numbers.hash_one(self.count);
        let command = Command { number: self.number, ..*command };
        let mut limit = wall_limit;
        for attempt in 0..ATTEMPTS {
            match self.attempt(&command, limit) {
                // It was killed when it had read the command and not begun it. That word is in the segment: believe it once.
                Ok(Attempt::Answered(Answer::Died { status }))
                    if attempt == 0
                        && may_have_been_waiting(status)
                        && self.segment.status().begun != self.number => {}
                Ok(Attempt::Answered(answer)) => return Ok(answer),
                // What it belongs to may have been overwritten in the first attempt.
                Ok(Attempt::Refused(_)) if attempt > 0 => return Ok(Answer::Damaged),
                Ok(Attempt::Refused(number)) => {
                    return Err(CommandError::Refused(Refusal::from_number(number)));
                }
                Ok(Attempt::NotBegun) => limit = wall_limit.max(START),
                Err(error) => {
                    kill_group(&self.server);
                    return Err(error);
                }
            }
        }
        kill_group(&self.server);
        Err(CommandError::Stuck)
    }

    /// Whether the next command will be the first for the process that gets it: no run before can have changed what it does.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.given == 0
    }

    /// Gives the command to the process that is there now.
    fn attempt(&mut self, command: &Command, wall_limit: Duration) -> Result<Attempt, CommandError> {
        let deadline = Instant::now() + wall_limit;
        self.given += 1;
        if !self.channel.send(command) {
            self.replace()?;
            return Ok(Attempt::NotBegun);
        }
        match self.channel.next(deadline)? {
            Incoming::Reply(reply) => self.judge(reply),
            Incoming::Malformed => {
                self.replace()?;
                Ok(Attempt::Answered(Answer::Damaged))
            }
            Incoming::Unread => {
                self.replace()?;
                Ok(Attempt::NotBegun)
            }
            // Either the process is about to end, or the run has closed the channel and goes on.
            Incoming::Closed => {
                let status = match self.death(deadline)? {
                    Some(status) => status,
                    None => self.replace()?,
                };
                let is_late = Instant::now() >= deadline && libc::WIFSIGNALED(status);
                Ok(Attempt::Answered(if is_late { Answer::TimedOut } else { died(status) }))
            }
            Incoming::Late => {
                self.process.kill();
                // It may have finished the command just now, or not have begun it yet.
                let last = self.channel.next(Instant::now() + GRACE)?;
                self.replace()?;
                Ok(match last {
                    Incoming::Reply(reply) if is_done(&reply, command) => Attempt::Answered(done(&reply)),
                    Incoming::Unread => Attempt::NotBegun,
                    _ => Attempt::Answered(Answer::TimedOut),
                })
            }
        }
    }

    /// What a reply means. If no process of ours would say it now, the run under way or one before it has written to the
    /// channel, and the process is trusted no more.
    fn judge(&mut self, reply: Reply) -> Result<Attempt, CommandError> {
        if reply.number == self.number && reply.kind == ReplyKind::Done as u32 {
            Ok(Attempt::Answered(done(&reply)))
        } else if reply.number == self.number && reply.kind == ReplyKind::Refused as u32 {
            // A process that a run has damaged may refuse everything.
            self.replace()?;
            Ok(Attempt::Refused(reply.status))
        } else {
            self.replace()?;
            Ok(Attempt::Answered(Answer::Damaged))
        }
    }

    /// Kills the process and waits until there is another one. Says how it ended.
    fn replace(&mut self) -> Result<i32, CommandError> {
        self.process.kill();
        self.death(Instant::now() + GRACE)?.ok_or(CommandError::Stuck)
    }

    /// Waits until the process has ended and another one has taken its place; how it ended, `None` if it
    /// lives on at the deadline.
    fn death(&mut self, deadline: Instant) -> Result<Option<i32>, CommandError> {
        let Some(line) = &self.line else { return Err(CommandError::Stuck) };
        match line.next(deadline)? {
            News::Process { process, channel, before: Some(status) } => {
                (self.process, self.channel) = (process, channel);
                self.given = 0;
                Ok(Some(status))
            }
            News::Late => Ok(None),
            News::Process { .. } | News::Failed(_) | News::Closed => Err(self.lost()),
        }
    }

    fn lost(&mut self) -> CommandError {
        match end(&mut self.server) {
            Ok(status) => CommandError::WorkerLost { status, output: message(&self.output) },
            Err(error) => CommandError::Pipe(error),
        }
    }

    /// The memory shared with the worker.
    #[must_use]
    pub fn segment(&self) -> &SharedSegment {
        &self.segment
    }

    /// The memory shared with the worker, to lay out a case.
    pub fn segment_mut(&mut self) -> &mut SharedSegment {
        &mut self.segment
    }

    /// What the last run printed to standard output and standard error, at most `limit` bytes of it.
    ///
    /// # Errors
    /// The output file cannot be read.
    pub fn output(&self, limit: usize) -> io::Result<Vec<u8>> {
        start_of(&self.output, limit)
    }

    /// Process id of the fork server.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.server.id()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // When the line is closed, the server ends its child, reaps it and goes.
        self.line = None;
        // Errors mean that it is gone already.
        let _ = end(&mut self.server);
    }
}

/// Waits for the end of a server that has a reason to go; if it does not, kills it and all that it has started.
fn end(server: &mut Child) -> io::Result<ExitStatus> {
    if !ends(server.id(), Instant::now() + GRACE) {
        kill_group(server);
    }
    server.wait()
}

/// Kills the server and its child. The server is not reaped yet, so that no other group has its number.
fn kill_group(server: &Child) {
    if let Ok(group) = i32::try_from(server.id()) {
        // SAFETY: a plain system call. The server leads a group of its own, which its children cannot leave.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// Whether a process ended as one does that was killed while it waited.
fn may_have_been_waiting(ended: ExitStatus) -> bool {
    ended.signal() == Some(libc::SIGKILL)
}

fn is_done(reply: &Reply, command: &Command) -> bool {
    reply.kind == ReplyKind::Done as u32 && reply.number == command.number
}

fn done(reply: &Reply) -> Answer {
    Answer::Done { time: Duration::from_nanos(reply.nanoseconds) }
}

fn died(status: i32) -> Answer {
    let ended = ExitStatus::from_raw(status);
    let of_ours = [status::DAMAGED, status::INTERNAL, status::FAILED, status::CLOSED];
    if ended.code().is_some_and(|code| of_ours.contains(&code)) {
        Answer::Damaged
    } else {
        Answer::Died { status: ended }
    }
}

/// The start of what the worker has written.
fn message(output: &File) -> String {
    let bytes = start_of(output, MESSAGE).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

fn start_of(output: &File, limit: usize) -> io::Result<Vec<u8>> {
    let length = output.metadata()?.len().min(limit as u64) as usize;
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match output.read_at(&mut bytes[filled..], filled as u64)? {
            0 => break,
            got => filled += got,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Everything written to it is appended, whoever writes.
fn output_file() -> io::Result<File> {
    let file = memory_file(c"testwright-output")?;
    // SAFETY: a plain system call on a file of ours.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(file)
}
