//! The watch over a confined program: the kernel asks about every call that is an effect.
//!
//! What is answered here names effects; it is not what keeps them from happening. A call that may go on is still
//! subject to landlock, so it does not matter that a program could change a path after it was looked at.

use std::os::fd::RawFd;
use std::path::{Component, Path, PathBuf};

use testwright_abi::command::status;
use testwright_abi::confine::{REPORTS, ReportKind};
use testwright_abi::effect::Effect;

use super::options::{OnEffect, Options};
use super::report;
use crate::calls::{JUDGED, OPENS, SIGNALS, effect_of};
use crate::native;

/// A program that is starting.
pub struct Watched {
    pub pid: libc::pid_t,
    /// Read end of the pipe that tells the number of the file with the kernel's questions.
    pub questions: RawFd,
    pub options: Options,
}

/// What is answered to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The call goes on.
    GoesOn,
    /// It fails with this error.
    Fails(i32),
    /// It is an effect.
    Is(Effect),
}

/// Room for more than the kernel's question, in case it grows.
#[repr(C)]
struct Question {
    known: libc::seccomp_notif,
    more: [u64; 32],
}

#[repr(C)]
struct Answer {
    known: libc::seccomp_notif_resp,
    more: [u64; 32],
}

struct Watch {
    pid: libc::pid_t,
    options: Options,
    /// Whether the program itself was started.
    started: bool,
    /// Bits of the effects that were reported.
    reported: u32,
}

/// Watches until the program has ended, reports that, and ends this process.
pub fn until_end(watched: Watched) -> ! {
    let Watched { pid, questions, options } = watched;
    let mut watch = Watch { pid, options, started: false, reported: 0 };
    // SAFETY: a plain system call; the child is not reaped yet.
    let death = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) as RawFd };
    let watched = |fd, events| libc::pollfd { fd, events, revents: 0 };
    let mut files = [watched(death, libc::POLLIN), watched(REPORTS, 0), watched(questions, libc::POLLIN)];
    let mut listener = -1;
    while files[0].revents == 0 {
        // SAFETY: the list is valid. Errors leave nothing to do but to look again.
        unsafe { libc::poll(files.as_mut_ptr(), 3, -1) };
        if files[1].revents & libc::POLLERR != 0 {
            // The host is gone.
            watch.kill(watch.pid);
        }
        if files[2].revents & libc::POLLIN != 0 {
            if listener < 0 {
                listener = read_number(questions);
                // A negative number is not polled: then the kernel never asks.
                files[2] = watched(listener, libc::POLLIN);
            } else {
                watch.answer(listener);
            }
        } else if files[2].revents != 0 {
            files[2].fd = -1;
        }
    }
    watch.end()
}

fn read_number(file: RawFd) -> RawFd {
    let mut bytes = [0; 4];
    if native::read_exactly(file, &mut bytes) { RawFd::from_ne_bytes(bytes) } else { -1 }
}

impl Watch {
    /// Answers the next question.
    fn answer(&mut self, listener: RawFd) {
        // SAFETY: all fields may be zero; the kernel asks for a place of zeros, and for an answer to a question it knows.
        unsafe {
            let mut question: Question = core::mem::zeroed();
            if libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut question) < 0 {
                return;
            }
            let mut answer: Answer = core::mem::zeroed();
            answer.known.id = question.known.id;
            let asker = question.known.pid as libc::pid_t;
            match self.decide(asker, &question.known.data) {
                Some(0) => answer.known.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
                Some(error) => answer.known.error = -error,
                None if self.options.forks > 0 => return self.kill(asker),
                None => return self.kill(self.pid),
            }
            libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer);
        }
    }

    /// The error that a call gets, 0 if it goes on, none if the program ends.
    fn decide(&mut self, asker: libc::pid_t, call: &libc::seccomp_data) -> Option<i32> {
        let number = i64::from(call.nr);
        match self.judge(asker, number, &call.args) {
            Verdict::GoesOn => Some(0),
            Verdict::Fails(error) => Some(error),
            Verdict::Is(effect) => {
                self.report(effect);
                let about_files =
                    OPENS.iter().map(|(call, _)| call).chain(JUDGED.iter().map(|(call, _)| call));
                match self.options.on_effect {
                    OnEffect::End => None,
                    OnEffect::GoOn if about_files.into_iter().any(|call| *call == number) => Some(0),
                    OnEffect::GoOn => Some(libc::EPERM),
                }
            }
        }
    }

    fn judge(&mut self, asker: libc::pid_t, number: i64, arguments: &[u64; 6]) -> Verdict {
        match number {
            libc::SYS_execve if !self.started => {
                self.started = true;
                return Verdict::GoesOn;
            }
            // The C library then uses the older calls, whose arguments can be seen.
            libc::SYS_clone3 | libc::SYS_openat2 => return Verdict::Fails(libc::ENOSYS),
            // Sanitizers want no core files either.
            libc::SYS_setrlimit if arguments[0] == u64::from(libc::RLIMIT_CORE) => return Verdict::GoesOn,
            libc::SYS_prlimit64 if arguments[1] == u64::from(libc::RLIMIT_CORE) => return Verdict::GoesOn,
            libc::SYS_open if self.may_write(asker, arguments[0]) => return Verdict::GoesOn,
            libc::SYS_openat if self.may_write(asker, arguments[1]) => return Verdict::GoesOn,
            libc::SYS_fork | libc::SYS_clone if self.may_fork(asker, number, arguments[0]) => {
                return Verdict::GoesOn;
            }
            // The filter knows the program's own number only.
            _ if SIGNALS.contains(&number) && arguments[0] as libc::pid_t == asker => return Verdict::GoesOn,
            _ => {}
        }
        effect_of(number, arguments).map_or(Verdict::GoesOn, Verdict::Is)
    }

    /// Whether this process may start another one, which is not a thread.
    fn may_fork(&self, asker: libc::pid_t, number: i64, flags: u64) -> bool {
        let shares = number == libc::SYS_clone && flags & (libc::CLONE_THREAD | libc::CLONE_VM) as u64 != 0;
        let mut forks = self.options.forks;
        let mut process = asker;
        while forks > 1 && process != self.pid {
            let Some(parent) = parent(process) else { return false };
            (process, forks) = (parent, forks - 1);
        }
        forks > 0 && process == self.pid && !shares
    }

    /// Whether the path at `address` is one that the program was given to write to.
    fn may_write(&self, asker: libc::pid_t, address: u64) -> bool {
        let Some(path) = path(asker, address) else { return false };
        path == Path::new("/dev/null") || self.options.write.iter().any(|allowed| path.starts_with(allowed))
    }

    /// Reports an effect, each kind once.
    fn report(&mut self, effect: Effect) {
        if self.reported & effect.bit() == 0 {
            self.reported |= effect.bit();
            report(ReportKind::Effect, effect as i32);
        }
    }

    fn kill(&self, pid: libc::pid_t) {
        // SAFETY: the process is the program, not reaped yet, or one of its children, which waits for our answer.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }

    /// Reports how the program ended, and ends this process.
    fn end(mut self) -> ! {
        let mut wait_status = 0;
        // SAFETY: a plain system call on our own child, with a valid place for the answer.
        while unsafe { libc::waitpid(self.pid, &raw mut wait_status, 0) } < 0 {}
        if libc::WIFSIGNALED(wait_status) {
            let signal = libc::WTERMSIG(wait_status);
            if signal == libc::SIGSYS && self.reported == 0 {
                self.report(Effect::Foreign);
            }
            report(ReportKind::Killed, signal);
        } else {
            report(ReportKind::Exited, libc::WEXITSTATUS(wait_status));
        }
        if self.options.forks > 0 {
            // What the program left behind is in our group, and so are we.
            // SAFETY: a plain system call.
            unsafe { libc::kill(0, libc::SIGKILL) };
        }
        std::process::exit(status::CLOSED)
    }
}

/// The process that has started another one.
fn parent(pid: libc::pid_t) -> Option<libc::pid_t> {
    // `1234 (name) S 1 ..`: a name may hold anything.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// The path at `address` in the memory of a process, if it is absolute and leads down only.
fn path(pid: libc::pid_t, address: u64) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = vec![0u8; libc::PATH_MAX as usize];
    let mut filled = 0;
    // Memory may end with the page, so pages are read one by one.
    while filled < bytes.len() && !bytes[..filled].contains(&0) {
        let place = address.checked_add(filled as u64)?;
        let length = (4096 - place as usize % 4096).min(bytes.len() - filled);
        let local = libc::iovec { iov_base: bytes[filled..].as_mut_ptr().cast(), iov_len: length };
        let base = std::ptr::with_exposed_provenance_mut(place as usize);
        let remote = libc::iovec { iov_base: base, iov_len: length };
        // SAFETY: the kernel writes at most the length of the rest of the buffer.
        let got = unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
        filled += usize::try_from(got).ok().filter(|got| *got > 0)?;
    }
    let end = bytes.iter().position(|byte| *byte == 0)?;
    bytes.truncate(end);
    let path = PathBuf::from(std::ffi::OsString::from_vec(bytes));
    let leads_down = path.components().all(|part| part != Component::ParentDir);
    (path.is_absolute() && leads_down).then_some(path)
}
