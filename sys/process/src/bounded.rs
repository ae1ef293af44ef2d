//! A command that is given so much time, with all processes that it starts.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::pipe::pipe;

/// What came of a command.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output and standard error.
    pub output: Vec<u8>,
}

/// Runs a command; none if it takes longer than the limit. Then it is ended, with what it started.
///
/// # Errors
/// If it cannot be started.
pub fn run_within(command: &mut Command, limit: Duration) -> io::Result<Option<Finished>> {
    let (reader, writer) = pipe()?;
    let double = writer.try_clone()?;
    // A group of its own, so that all of it can be ended.
    command.stdin(Stdio::null()).stdout(writer).stderr(double).process_group(0);
    let mut child = command.spawn()?;
    // The command holds copies of the pipe's end, and must not outlive this call.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (sender, receiver) = mpsc::channel();
    let listener = thread::spawn(move || {
        let mut output = Vec::new();
        let read = io::Read::read_to_end(&mut std::fs::File::from(reader), &mut output);
        // If nobody listens any more, the time was up.
        let _ = sender.send(read.map(|_| output));
    });
    let heard = receiver.recv_timeout(limit);
    if heard.is_err()
        && let Ok(group) = i32::try_from(child.id())
    {
        // SAFETY: a plain system call. The child is not reaped, so the number of its group is not used for another.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    let status = child.wait()?;
    let _ = listener.join();
    match heard {
        Ok(output) => Ok(Some(Finished { status, output: output? })),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_status_are_told() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        let finished = run_within(&mut command, Duration::from_secs(60)).unwrap().unwrap();
        assert_eq!((finished.status.code(), finished.output.as_slice()), (Some(3), &b"out\nerr\n"[..]));
    }

    #[test]
    fn what_takes_too_long_is_ended_with_all_that_it_started() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & sleep 1000"]);
        // If one of them were left, it would hold the pipe, and this would not return.
        assert!(run_within(&mut command, Duration::from_millis(200)).unwrap().is_none());
    }
}
