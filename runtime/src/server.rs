//! The fork server: always one child that serves commands, and a new one when it has died.

use std::io;
use std::os::fd::RawFd;

use testwright_abi::command::{Reply, ReplyKind, status};

use crate::library::Library;
use crate::native::Files;
use crate::shared::control;
use crate::{child, sandbox};

/// Forks children until the command pipe is closed.
pub fn serve(libraries: &[Library], files: Files) -> ! {
    let mut reply = Reply { kind: ReplyKind::Hello as u32, ..Reply::default() };
    loop {
        let pid = fork(libraries, files);
        // The host learns of a death when the next child can already be named.
        // SAFETY: the control block is mapped.
        unsafe { (*control()).pid = pid as u32 };
        if !child::answer(files, reply) {
            end(pid);
        }
        let wait_status = wait(pid, files.commands);
        if libc::WIFEXITED(wait_status) && libc::WEXITSTATUS(wait_status) == status::CLOSED {
            std::process::exit(status::CLOSED);
        }
        // SAFETY: as above.
        let number = unsafe { (*control()).command };
        let kind = ReplyKind::Died as u32;
        reply = Reply { kind, status: wait_status, nanoseconds: 0, number, pid: pid as u64 };
    }
}

fn fork(libraries: &[Library], files: Files) -> libc::pid_t {
    let server = std::process::id();
    // SAFETY: this process has one thread, so its child is whole.
    match unsafe { libc::fork() } {
        0 => {
            if let Err(message) = sandbox::enter_child(server) {
                crate::native::say(&message);
                // SAFETY: `_exit` has no precondition.
                unsafe { libc::_exit(status::FAILED) };
            }
            child::serve(libraries, files)
        }
        -1 => {
            crate::native::say(&format!("cannot fork: {}\n", io::Error::last_os_error()));
            std::process::exit(status::FAILED)
        }
        pid => pid,
    }
}

/// Waits until the child has died and returns its wait status. If the host goes away first, both end.
fn wait(pid: libc::pid_t, commands: RawFd) -> i32 {
    // SAFETY: plain system calls with valid places for the answers. The child is not reaped before
    // `waitpid`, so its number is not used for another process.
    unsafe {
        let handle = libc::syscall(libc::SYS_pidfd_open, pid, 0) as RawFd;
        let watched = |fd, events| libc::pollfd { fd, events, revents: 0 };
        // Only the closing of the command pipe counts here: its contents are for the child.
        let mut files = [watched(commands, 0), watched(handle, libc::POLLIN)];
        while handle >= 0 && files[1].revents == 0 {
            libc::poll(files.as_mut_ptr(), 2, -1);
            if files[0].revents & (libc::POLLHUP | libc::POLLERR) != 0 {
                end(pid);
            }
        }
        let mut wait_status = 0;
        while libc::waitpid(pid, &raw mut wait_status, 0) < 0 {}
        libc::close(handle);
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
