//! The fork server: always one child that serves commands, and a new one when it has died.

use std::io;
use std::os::fd::RawFd;

use testwright_abi::command::{Reply, ReplyKind, status};

use crate::child::LoadedCode;
use crate::{channel, child, native, sandbox};

/// A child that has not been waited for.
struct Forked {
    pid: libc::pid_t,
    /// The process, for waiting.
    handle: RawFd,
    /// The host's end of its channel.
    channel: RawFd,
}

/// Forks children until the line is closed. What code under test does to its process and its channel ends there: the
/// server takes nothing from either but the wait status.
pub fn serve(code: LoadedCode, line: RawFd) -> ! {
    let mut reply = Reply { kind: ReplyKind::Hello as u32, ..Reply::default() };
    loop {
        let forked = fork(code, line).unwrap_or_else(|error| {
            native::say(&format!("cannot fork: {error}\n"));
            std::process::exit(status::FAILED)
        });
        let announced = channel::announce(line, reply, &[forked.channel, forked.handle]);
        // SAFETY: the descriptor is ours, and the host has its own copy.
        unsafe { libc::close(forked.channel) };
        if !announced {
            end(forked.pid);
        }
        let status = wait(&forked, line);
        reply = Reply { kind: ReplyKind::Died as u32, status, ..Reply::default() };
    }
}

fn fork(code: LoadedCode, line: RawFd) -> io::Result<Forked> {
    let server = std::process::id();
    let (channel, own) = channel::pair()?;
    // SAFETY: this process has one thread, so its child is whole.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: the child has no use for these; with them, it could talk like the server.
            unsafe {
                libc::close(line);
                libc::close(channel);
            }
            begin(code, own, server)
        }
        -1 => Err(io::Error::last_os_error()),
        pid => {
            // SAFETY: the child's end is the child's. The child is not reaped, so its number is not used for another process.
            let handle = unsafe {
                libc::close(own);
                libc::syscall(libc::SYS_pidfd_open, pid, 0) as RawFd
            };
            if handle < 0 { Err(io::Error::last_os_error()) } else { Ok(Forked { pid, handle, channel }) }
        }
    }
}

fn begin(code: LoadedCode, channel: RawFd, server: u32) -> ! {
    let ready = native::keep_aside(channel)
        .map_err(|error| format!("cannot keep the channel: {error}\n"))
        .and_then(|channel| {
            sandbox::guard_own_files()?;
            sandbox::enter_child(server).map(|()| channel)
        });
    match ready {
        Ok(channel) => child::serve(code, channel),
        Err(message) => {
            native::say(&message);
            // SAFETY: `_exit` has no precondition.
            unsafe { libc::_exit(status::FAILED) }
        }
    }
}

/// Waits until the child has died and returns its wait status. If the host goes away first, both end.
fn wait(forked: &Forked, line: RawFd) -> i32 {
    let watched = |fd, events| libc::pollfd { fd, events, revents: 0 };
    let mut files = [watched(line, 0), watched(forked.handle, libc::POLLIN)];
    // SAFETY: plain system calls with valid places for the answers.
    unsafe {
        while files[1].revents == 0 {
            libc::poll(files.as_mut_ptr(), 2, -1);
            if files[0].revents & (libc::POLLHUP | libc::POLLERR) != 0 {
                end(forked.pid);
            }
        }
        let mut wait_status = 0;
        while libc::waitpid(forked.pid, &raw mut wait_status, 0) < 0 {}
        libc::close(forked.handle);
        wait_status
    }
}

/// The host is gone: leaves no process behind.
fn end(pid: libc::pid_t) -> ! {
    // SAFETY: the child is ours and not reaped yet.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        libc::waitpid(pid, core::ptr::null_mut(), 0);
    }
    std::process::exit(status::CLOSED)
}
