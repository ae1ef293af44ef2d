//! A running worker: commands with a wall limit, and an orderly end.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use testwright_abi::command::{Command, Refusal, Reply, ReplyKind, StartFailure};

use crate::answer::{Answer, CommandError};
use crate::pipe::{Bell, Incoming, Replies, pipe};
use crate::segment::{SharedSegment, memory_file};
use crate::start::{Start, StartError, launch};

/// How long the worker may take to say that a process was killed.
const GRACE: Duration = Duration::from_secs(5);
/// How long a new process may take to begin a command.
const START: Duration = Duration::from_millis(20);
/// As much of the output is kept for messages.
const MESSAGE: usize = 4096;

/// A process that runs code under test.
#[derive(Debug)]
pub struct Worker {
    server: Child,
    segment: SharedSegment,
    output: File,
    /// `None` once the worker is to end.
    bell: Option<Bell>,
    replies: Replies,
    /// Number of the last command.
    number: u64,
}

impl Worker {
    /// Starts a worker and waits until its libraries are loaded.
    ///
    /// # Errors
    /// The program cannot be started, or a library cannot be loaded.
    pub fn spawn(start: &Start) -> Result<Worker, StartError> {
        let segment = SharedSegment::new().map_err(StartError::system("create the shared segment"))?;
        let output = output_file().map_err(StartError::system("create the output file"))?;
        let (bell, commands_read) = Bell::new().map_err(StartError::system("create a pipe"))?;
        let (replies, replies_write) = pipe().map_err(StartError::system("create a pipe"))?;
        let server = launch(start, &segment, &output, &commands_read, &replies_write)?;
        // With a copy of our own, the end of the worker would not be seen.
        drop((commands_read, replies_write));
        let (bell, replies) = (Some(bell), Replies::new(replies));
        let mut worker = Worker { server, segment, output, bell, replies, number: 0 };
        let deadline = Instant::now() + start.wall_limit;
        match worker.replies.next(deadline).map_err(StartError::system("read from the worker"))? {
            Incoming::Reply(reply) if reply.kind == ReplyKind::Hello as u32 => Ok(worker),
            Incoming::Reply(reply) => Err(StartError::Failed {
                failure: StartFailure::from_number(reply.status),
                message: worker.message(),
            }),
            Incoming::Late => Err(StartError::TimedOut(start.wall_limit)),
            Incoming::Closed => {
                let status = worker.server.wait().map_err(StartError::system("wait for the worker"))?;
                Err(StartError::Ended { status, output: worker.message() })
            }
        }
    }

    /// Carries out a command; its number is given here. A process that takes longer than `wall_limit` is killed.
    ///
    /// # Errors
    /// The command makes no sense, or the worker is lost.
    pub fn command(&mut self, command: &Command, wall_limit: Duration) -> Result<Answer, CommandError> {
        self.number += 1;
        self.segment.give(&Command { number: self.number, ..*command });
        if self.bell.as_mut().is_none_or(|bell| bell.ring().is_err()) {
            return Err(self.lost());
        }
        match self.reply(Instant::now() + wall_limit)? {
            Some(reply) => Worker::answer(reply),
            None => self.kill_child(wall_limit),
        }
    }

    /// The reply to the last command; `None` if the deadline passes.
    fn reply(&mut self, deadline: Instant) -> Result<Option<Reply>, CommandError> {
        loop {
            match self.next(deadline)? {
                // News of an earlier command: its process died later, or before it began this one; the next will.
                Some(reply) if reply.number != self.number => {}
                other => return Ok(other),
            }
        }
    }

    fn next(&mut self, deadline: Instant) -> Result<Option<Reply>, CommandError> {
        match self.replies.next(deadline)? {
            Incoming::Reply(reply) => Ok(Some(reply)),
            Incoming::Late => Ok(None),
            Incoming::Closed => Err(self.lost()),
        }
    }

    fn answer(reply: Reply) -> Result<Answer, CommandError> {
        if reply.kind == ReplyKind::Done as u32 {
            Ok(Answer::Done { time: Duration::from_nanos(reply.nanoseconds) })
        } else if reply.kind == ReplyKind::Died as u32 {
            Ok(Answer::Died { status: ExitStatus::from_raw(reply.status) })
        } else {
            Err(CommandError::Refused(Refusal::from_number(reply.status)))
        }
    }

    /// Kills the process that runs the command and waits until another one has taken its place. The process may
    /// not have begun the command yet, or may just have finished it, or may be the successor of one that died.
    fn kill_child(&mut self, wall_limit: Duration) -> Result<Answer, CommandError> {
        loop {
            let (finished, died) = self.kill_current_child()?;
            if let Some(reply) = finished {
                return Worker::answer(reply);
            }
            if died.number == self.number {
                return Ok(Answer::TimedOut);
            }
            // It had not begun the command; the next process begins it and gets the time that this one did not use.
            if let Some(reply) = self.reply(Instant::now() + wall_limit.max(START))? {
                return Worker::answer(reply);
            }
        }
    }

    /// Kills the child and waits for the report of its death. Also returns the answer to the command if it
    /// comes before that.
    fn kill_current_child(&mut self) -> Result<(Option<Reply>, Reply), CommandError> {
        let pid = self.segment.status().pid;
        if pid > 1 {
            // SAFETY: a plain system call. The number is that of a child of the server, which has not
            // reported its death.
            unsafe { libc::kill(pid as i32, libc::SIGKILL) };
        }
        let mut finished = None;
        while let Some(reply) = self.next(Instant::now() + GRACE)? {
            if reply.kind == ReplyKind::Died as u32 && reply.pid == u64::from(pid) {
                return Ok((finished, reply));
            }
            if reply.number == self.number {
                finished = Some(reply);
            }
        }
        let _ = self.server.kill();
        Err(CommandError::Stuck)
    }

    fn lost(&mut self) -> CommandError {
        let _ = self.server.kill();
        match self.server.wait() {
            Ok(status) => CommandError::WorkerLost { status, output: self.message() },
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
        let length = self.output.metadata()?.len().min(limit as u64) as usize;
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            match self.output.read_at(&mut bytes[filled..], filled as u64)? {
                0 => break,
                got => filled += got,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Process id of the fork server.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.server.id()
    }

    fn message(&self) -> String {
        let bytes = self.output(MESSAGE).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // When the pipe is closed, the server ends its child, reaps it and goes; both close the reply pipe then.
        self.bell = None;
        let deadline = Instant::now() + GRACE;
        while matches!(self.replies.next(deadline), Ok(Incoming::Reply(_))) {}
        // If it did not, its child has asked to be killed together with it. Errors mean that it is gone already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
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
