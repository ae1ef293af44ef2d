//! Pipes to and from a worker: whole messages, with a deadline.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use testwright_abi::command::Reply;

/// Both ends of a new pipe: (read, write). Other programs do not inherit them.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors, which are ours then.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// Where replies come from.
#[derive(Debug)]
pub(crate) struct Replies(std::fs::File);

/// What was found in the reply pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Incoming {
    Reply(Reply),
    /// The deadline has passed.
    Late,
    /// The worker has closed the pipe.
    Closed,
}

impl Replies {
    pub(crate) fn new(end: OwnedFd) -> Replies {
        Replies(end.into())
    }

    /// Waits for a reply until the deadline.
    pub(crate) fn next(&mut self, deadline: Instant) -> io::Result<Incoming> {
        if !self.wait(deadline)? {
            return Ok(Incoming::Late);
        }
        let mut bytes = [0; size_of::<Reply>()];
        match self.0.read_exact(&mut bytes) {
            Ok(()) => {
                // SAFETY: a reply consists of numbers: every bit pattern is one.
                let reply = unsafe { std::mem::transmute::<[u8; size_of::<Reply>()], Reply>(bytes) };
                Ok(Incoming::Reply(reply))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Incoming::Closed),
            Err(error) => Err(error),
        }
    }

    /// Whether something can be read before the deadline.
    fn wait(&self, deadline: Instant) -> io::Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let time = libc::timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            };
            let mut watched = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one descriptor and a valid time.
            match unsafe { libc::ppoll(&raw mut watched, 1, &raw const time, std::ptr::null()) } {
                0 => return Ok(false),
                1.. => return Ok(true),
                _ => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
    }
}

/// What wakes the worker, and tells it by closing that the host is done.
#[derive(Debug)]
pub(crate) struct Bell(UnixStream);

impl Bell {
    /// A bell, and the end that the worker listens at.
    pub(crate) fn new() -> io::Result<(Bell, OwnedFd)> {
        let (host, worker) = UnixStream::pair()?;
        Ok((Bell(host), worker.into()))
    }

    /// A worker that is gone is an error, never a signal: programs may have that signal end them.
    pub(crate) fn ring(&mut self) -> io::Result<()> {
        let byte = [1u8];
        // SAFETY: one byte of ours.
        match unsafe { libc::send(self.0.as_raw_fd(), byte.as_ptr().cast(), 1, libc::MSG_NOSIGNAL) } {
            1 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
