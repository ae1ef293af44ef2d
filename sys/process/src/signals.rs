//! Signals that ask this program to end, handed to a thread that may do what a handler may not.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A signal that asks this program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// What `kill` sends.
    Terminate,
    /// The terminal is gone.
    HangUp,
}

impl Signal {
    const ALL: [Signal; 3] = [Signal::Interrupt, Signal::Terminate, Signal::HangUp];

    fn number(self) -> libc::c_int {
        match self {
            Signal::Interrupt => libc::SIGINT,
            Signal::Terminate => libc::SIGTERM,
            Signal::HangUp => libc::SIGHUP,
        }
    }
}

/// The end of the pipe that the handler writes to.
static PIPE: AtomicI32 = AtomicI32::new(-1);
/// How many signals have come that nobody has dealt with.
static PENDING: AtomicUsize = AtomicUsize::new(0);

extern "C" fn hand_over(number: libc::c_int) {
    PENDING.fetch_add(1, Ordering::SeqCst);
    let byte = number as u8;
    // SAFETY: the pipe stays open until the program ends. A handler may write, and must leave `errno` as it was. If
    // the pipe is full, so many signals wait that one more makes no difference.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        if libc::write(PIPE.load(Ordering::SeqCst), (&raw const byte).cast(), 1) != 1 {
            PENDING.fetch_sub(1, Ordering::SeqCst);
        }
        *errno = before;
    }
}

/// Has a thread of its own deal with each signal that asks this program to end. A hang-up that is ignored stays so:
/// that is what `nohup` is for.
///
/// # Errors
/// If there is no pipe or thread left.
pub fn on_signals(act: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    let (read, write) = io::pipe()?;
    set_nonblocking(write.as_raw_fd())?;
    let mut read = File::from(OwnedFd::from(read));
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut byte = [0];
        while read.read_exact(&mut byte).is_ok() {
            let signal = Signal::ALL.into_iter().find(|signal| signal.number() == i32::from(byte[0]));
            if let Some(signal) = signal {
                act(signal);
            }
            PENDING.fetch_sub(1, Ordering::SeqCst);
        }
    })?;
    PIPE.store(write.into_raw_fd(), Ordering::SeqCst);
    for signal in Signal::ALL {
        install(signal);
    }
    Ok(())
}

fn set_nonblocking(file: RawFd) -> io::Result<()> {
    // SAFETY: plain system calls on a file of ours.
    let result = unsafe { libc::fcntl(file, libc::F_SETFL, libc::O_NONBLOCK) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn install(signal: Signal) {
    // SAFETY: the handler only does what handlers may do; the structures are valid for the calls.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal.number(), std::ptr::null(), &raw mut before);
        if signal == Signal::HangUp && before.sa_sigaction == libc::SIG_IGN {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = hand_over as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal.number(), &raw const action, std::ptr::null_mut());
    }
}

/// Has a program asked to end when the thread that starts it does, even if that is killed.
pub fn end_with_us(command: &mut Command) {
    // SAFETY: the closure makes one system call, which is what a child of a process with threads may do.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
            Ok(())
        });
    }
}

/// Ends all processes that this one has started, and those that they have started.
pub fn end_descendants() {
    const ROUNDS: usize = 100;
    for _ in 0..ROUNDS {
        let living = descendants(std::process::id());
        if living.is_empty() {
            break;
        }
        for process in living {
            // SAFETY: a plain system call. Nobody has waited for these processes: they were alive a moment ago, and their
            // parents are being ended too.
            unsafe { libc::kill(process, libc::SIGKILL) };
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The living processes that descend from this one.
fn descendants(ancestor: u32) -> Vec<libc::pid_t> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: BTreeMap<u32, u32> =
        processes.filter_map(|process| Some((process, living_parent(process)?))).collect();
    let descends = |process: u32| {
        let line = std::iter::successors(Some(process), |process| parents.get(process).copied());
        line.skip(1).any(|process| process == ancestor)
    };
    parents.keys().filter(|process| descends(**process)).map(|process| *process as libc::pid_t).collect()
}

/// The parent of a process that has not ended.
fn living_parent(process: u32) -> Option<u32> {
    // `1234 (name) S 1 ..`: a name may hold anything.
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (state, rest) = stat.rsplit_once(") ")?.1.split_once(' ')?;
    if state == "Z" { None } else { rest.split(' ').next()?.parse().ok() }
}

/// Waits until all signals that have come are dealt with. One that ends the program is never dealt with otherwise.
pub fn wait_for_signals() {
    while PENDING.load(Ordering::SeqCst) > 0 {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Ends this program as the signal does by itself, so that whoever waits for it sees the reason.
pub fn end_by(signal: Signal) -> ! {
    // SAFETY: plain system calls.
    unsafe {
        libc::signal(signal.number(), libc::SIG_DFL);
        libc::kill(libc::getpid(), signal.number());
    }
    // The signal may be blocked by whoever started this program.
    std::process::exit(128 + signal.number());
}
