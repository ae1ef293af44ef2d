//! Sockets to a worker: whole messages, with a deadline. See [`testwright_abi::command`] for who says what where.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Instant;

use testwright_abi::command::{Command, Reply, ReplyKind};

const REPLY: usize = size_of::<Reply>();

/// The line to the fork server. Code under test cannot write to it.
#[derive(Debug)]
pub(crate) struct Line(OwnedFd);

/// A channel to the process that runs commands. Whatever comes from it may have been sent by code under test.
#[derive(Debug)]
pub(crate) struct Channel(OwnedFd);

/// A process of a worker, which its number may outlive.
#[derive(Debug)]
pub(crate) struct Process(OwnedFd);

/// What came through the line.
#[derive(Debug)]
pub(crate) enum News {
    /// A process waits for commands; if there was one before, this is how it ended.
    Process { process: Process, channel: Channel, before: Option<i32> },
    /// The worker cannot start: number of the reason.
    Failed(i32),
    /// The deadline has passed.
    Late,
    /// The server has ended, or does not say what a server says.
    Closed,
}

/// What came through a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Incoming {
    Reply(Reply),
    /// Something that is no reply.
    Malformed,
    /// The deadline has passed.
    Late,
    /// The process has closed its end; it has probably ended.
    Closed,
    /// The process has ended without having read the last command.
    Unread,
}

impl Line {
    /// A line, and the end that the server listens at.
    pub(crate) fn new() -> io::Result<(Line, OwnedFd)> {
        let mut ends = [0; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        // SAFETY: there is room for two descriptors, which are ours then.
        unsafe {
            if libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok((Line(OwnedFd::from_raw_fd(ends[0])), OwnedFd::from_raw_fd(ends[1])))
        }
    }

    /// Waits for news until the deadline.
    pub(crate) fn next(&self, deadline: Instant) -> io::Result<News> {
        if !readable(&self.0, deadline)? {
            return Ok(News::Late);
        }
        let (bytes, descriptors) = receive_with_descriptors(&self.0)?;
        let Some(reply) = bytes.map(reply_of) else { return Ok(News::Closed) };
        if reply.kind == ReplyKind::Failed as u32 {
            return Ok(News::Failed(reply.status));
        }
        let before = (reply.kind == ReplyKind::Died as u32).then_some(reply.status);
        match descriptors {
            [Some(channel), Some(process)] if before.is_some() || reply.kind == ReplyKind::Hello as u32 => {
                Ok(News::Process { process: Process(process), channel: Channel(channel), before })
            }
            _ => Ok(News::Closed),
        }
    }
}

impl Channel {
    /// Sends a command. False if the process has ended or closed its end. Never blocks, and never raises a signal.
    pub(crate) fn send(&self, command: &Command) -> bool {
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
        let (start, length) = (std::ptr::from_ref(command).cast(), size_of::<Command>());
        // SAFETY: a command is made of numbers and has no padding.
        unsafe { libc::send(self.0.as_raw_fd(), start, length, flags) == length as isize }
    }

    /// Waits for a reply until the deadline.
    pub(crate) fn next(&self, deadline: Instant) -> io::Result<Incoming> {
        if !readable(&self.0, deadline)? {
            return Ok(Incoming::Late);
        }
        let mut bytes = [0; REPLY];
        let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
        // SAFETY: the kernel writes at most the length of the buffer.
        let got = unsafe { libc::recv(self.0.as_raw_fd(), bytes.as_mut_ptr().cast(), REPLY, flags) };
        match got {
            0 => Ok(Incoming::Closed),
            got if got == REPLY as isize => Ok(Incoming::Reply(reply_of(bytes))),
            1.. => Ok(Incoming::Malformed),
            _ => match io::Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::ECONNRESET) => Ok(Incoming::Unread),
                error => Err(error),
            },
        }
    }
}

impl Process {
    /// Kills it, if it has not ended.
    pub(crate) fn kill(&self) {
        let none = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: a plain system call on a process that we hold.
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, self.0.as_raw_fd(), libc::SIGKILL, none, 0) };
    }
}

/// Whether a process of ours ends before the deadline.
pub(crate) fn ends(process: u32, deadline: Instant) -> bool {
    // SAFETY: plain system calls; the descriptor is new and ours.
    let handle = unsafe {
        let handle = libc::syscall(libc::SYS_pidfd_open, process, 0);
        if handle < 0 {
            return false;
        }
        OwnedFd::from_raw_fd(handle as RawFd)
    };
    readable(&handle, deadline).unwrap_or(false)
}

/// Whether something can be read before the deadline.
fn readable(file: &OwnedFd, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let time = libc::timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        let mut watched = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
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

fn reply_of(bytes: [u8; REPLY]) -> Reply {
    // SAFETY: a reply consists of numbers: every bit pattern is one.
    unsafe { std::mem::transmute::<[u8; REPLY], Reply>(bytes) }
}

type Received = (Option<[u8; REPLY]>, [Option<OwnedFd>; 2]);

/// A message, none if it has another length than a reply, and the first two descriptors that came with it.
fn receive_with_descriptors(file: &OwnedFd) -> io::Result<Received> {
    /// Room for two descriptors, aligned as the kernel wants it; it drops those beyond.
    #[repr(C, align(8))]
    struct Room([u8; 24]);
    let mut bytes = [0; REPLY];
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: REPLY };
    let mut room = Room([0; 24]);
    let mut descriptors = [const { None }; 2];
    // SAFETY: message, part and room outlive the call, and the kernel keeps to their lengths. Descriptors in
    // the answer are new and ours; as many are there as the length of their part says.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut room).cast();
        message.msg_controllen = size_of::<Room>();
        let flags = libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC | libc::MSG_TRUNC;
        let got = libc::recvmsg(file.as_raw_fd(), &raw mut message, flags);
        if got < 0 {
            return Err(io::Error::last_os_error());
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if !header.is_null()
            && (*header).cmsg_level == libc::SOL_SOCKET
            && (*header).cmsg_type == libc::SCM_RIGHTS
        {
            let length = ((*header).cmsg_len).saturating_sub(libc::CMSG_LEN(0) as usize);
            let first = libc::CMSG_DATA(header).cast::<RawFd>();
            for (index, descriptor) in descriptors.iter_mut().enumerate().take(length / size_of::<RawFd>()) {
                *descriptor = Some(OwnedFd::from_raw_fd(first.add(index).read_unaligned()));
            }
        }
        Ok(((got == REPLY as isize).then_some(bytes), descriptors))
    }
}
