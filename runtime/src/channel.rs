//! The sockets of a worker: the line of the server to the host, and a channel for each child.

use std::io;
use std::os::fd::RawFd;

use testwright_abi::command::{Command, Reply};

use crate::native;

/// Both ends of a new channel: the host's, and the child's.
pub fn pair() -> io::Result<(RawFd, RawFd)> {
    let mut ends = [-1; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: there is room for two descriptors.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((ends[0], ends[1]))
}

/// Sends a message through the line, with copies of these descriptors; false when nobody reads it.
pub fn announce(line: RawFd, reply: Reply, descriptors: &[RawFd]) -> bool {
    /// Room for two descriptors, aligned as the kernel wants it.
    #[repr(C, align(8))]
    struct Room([u8; 64]);
    let mut bytes = bytes_of(reply);
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut room = Room([0; 64]);
    // SAFETY: the message, its part and the room outlive the calls; the room is large enough for two descriptors.
    unsafe {
        let mut message: libc::msghdr = core::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        if !descriptors.is_empty() {
            let length = size_of_val(descriptors) as u32;
            message.msg_control = (&raw mut room).cast();
            message.msg_controllen = libc::CMSG_SPACE(length) as usize;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(length) as usize;
            libc::CMSG_DATA(header)
                .copy_from_nonoverlapping(descriptors.as_ptr().cast(), size_of_val(descriptors));
        }
        loop {
            let sent = libc::sendmsg(line, &raw const message, libc::MSG_NOSIGNAL);
            if sent == bytes.len() as isize {
                return true;
            }
            if sent >= 0 || *libc::__errno_location() != libc::EINTR {
                return false;
            }
        }
    }
}

/// Waits for a command; none if the channel is broken.
pub fn next_command(channel: RawFd) -> Option<Command> {
    let mut bytes = [0; size_of::<Command>()];
    // SAFETY: a command consists of numbers: every bit pattern is one.
    native::read_exactly(channel, &mut bytes)
        .then(|| unsafe { core::mem::transmute::<[u8; size_of::<Command>()], Command>(bytes) })
}

/// Answers a command; false if the channel is broken.
pub fn answer(channel: RawFd, reply: Reply) -> bool {
    native::write_exactly(channel, &bytes_of(reply))
}

fn bytes_of(reply: Reply) -> [u8; size_of::<Reply>()] {
    // SAFETY: a reply has no padding.
    unsafe { core::mem::transmute(reply) }
}
