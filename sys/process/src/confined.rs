//! A finished program that runs confined: sandbox, limits, bounded output, and what it wanted to do.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testwright_abi::confine::{
    CONFINE, FILE, FIXED, FORKS, GO_ON, MEMORY, PROCESSOR, PROGRAM, READ, REPORTS, Report, ReportKind,
    SCRATCH, SET, WRITE,
};
use testwright_abi::effect::Effect;

use crate::pipe::pipe;
use crate::start::StartError;

/// A program to run, and what it may use.
#[derive(Debug, Clone)]
pub struct Confined<'a> {
    /// The program `testwright-worker`.
    pub worker: &'a Path,
    /// The program to run.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// The folder it starts in, the only one that it may write to.
    pub scratch: &'a Path,
    /// What it may read besides the system's files and the folder of the program.
    pub read: &'a [PathBuf],
    /// What it may write to besides, without an effect.
    pub write: &'a [PathBuf],
    /// All of its environment.
    pub environment: &'a [(OsString, OsString)],
    /// What becomes of effects.
    pub on_effect: OnEffect,
    /// Whether its addresses are random.
    pub addresses: Addresses,
    /// Whether it may start processes.
    pub forks: Forks,
    /// What it may use.
    pub limits: ConfinedLimits,
}

/// What a confined program may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfinedLimits {
    /// Time on the clock, and of the processor.
    pub wall: Duration,
    /// Bytes of address space. Programs with an address sanitizer need terabytes, so they have no such limit.
    pub memory: Option<u64>,
    /// Bytes of each file it writes.
    pub file: u64,
    /// Bytes of output that are kept.
    pub output: usize,
}

impl Default for ConfinedLimits {
    fn default() -> ConfinedLimits {
        ConfinedLimits {
            wall: Duration::from_secs(10),
            memory: Some(1 << 30),
            file: 64 << 20,
            output: 1 << 20,
        }
    }
}

/// What becomes of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnEffect {
    /// The program ends.
    End,
    /// Files change in the scratch folder only, everything else fails, and the program goes on.
    GoOn,
}

/// Whether a confined program may start processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forks {
    /// That is an effect.
    Never,
    /// The program may, but not these processes in turn; and an effect ends only the process that wants it.
    Once,
    /// These processes may too, but not those that they start.
    Twice,
}

/// Whether addresses are the same each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// As the system has it.
    Random,
    /// Always the same; some sanitizers need that.
    Fixed,
}

/// What came of a confined program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub way: Way,
    /// What it wanted to do, each kind once, in this order.
    pub effects: Vec<Effect>,
    /// What it wrote to standard output and standard error, as much of it as is kept.
    pub output: Vec<u8>,
    /// Version of landlock in force; none if the kernel has none.
    pub landlock: Option<u32>,
}

/// How a confined program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended because of an effect.
    Effect,
    /// It took too long.
    TimedOut,
}

impl Confined<'_> {
    /// Runs the program to its end. Nothing of it is left when this returns.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self) -> Result<Ended, StartError> {
        let deadline = Instant::now() + self.limits.wall;
        let (output, output_end) = pipe().map_err(StartError::system("create a pipe"))?;
        let (reports, reports_end) = pipe().map_err(StartError::system("create a pipe"))?;
        let mut launcher = Launcher(self.launch(output_end, &reports_end)?);
        // With a copy of our own, the end of the launcher would not be seen.
        drop(reports_end);
        let mut story = Story { output: Vec::new(), reports: Vec::new(), room: self.limits.output };
        let in_time = story
            .follow(&File::from(output), &File::from(reports), deadline)
            .map_err(StartError::system("read from the launcher"))?;
        launcher.end();
        story.told(in_time, self.on_effect)
    }

    fn launch(&self, output: OwnedFd, reports: &OwnedFd) -> Result<Child, StartError> {
        let mut command = Command::new(self.worker);
        command.arg(CONFINE).arg(SCRATCH).arg(self.scratch);
        for path in self.read {
            command.arg(READ).arg(path);
        }
        for path in self.write {
            command.arg(WRITE).arg(path);
        }
        for (name, value) in self.environment {
            let mut setting = name.clone();
            setting.push("=");
            setting.push(value);
            command.arg(SET).arg(setting);
        }
        if let Some(bytes) = self.limits.memory {
            command.arg(MEMORY).arg(bytes.to_string());
        }
        // One second more, because the limit of the clock explains itself.
        command.arg(PROCESSOR).arg((self.limits.wall.as_secs() + 2).to_string());
        command.arg(FILE).arg(self.limits.file.to_string());
        if self.on_effect == OnEffect::GoOn {
            command.arg(GO_ON);
        }
        if self.addresses == Addresses::Fixed {
            command.arg(FIXED);
        }
        match self.forks {
            Forks::Never => {}
            Forks::Once => drop(command.arg(FORKS).arg("1")),
            Forks::Twice => drop(command.arg(FORKS).arg("2")),
        }
        command.arg(PROGRAM).arg(self.program).args(self.arguments);
        let double = output.try_clone().map_err(StartError::system("double a pipe"))?;
        command.env_clear().stdin(Stdio::null()).stdout(output).stderr(double);
        let from = reports.as_raw_fd();
        // SAFETY: the closure makes system calls only, which is what a child of a process with threads may do.
        unsafe { command.pre_exec(move || place(from)) };
        command.spawn().map_err(StartError::system(format!("start {}", self.worker.display())))
    }
}

/// A session of its own, and the reports where the launcher expects them; all other files are closed at its start.
fn place(reports: i32) -> io::Result<()> {
    // SAFETY: plain system calls on numbers. A file that has its number already is not changed by `dup2`, so its mark goes.
    unsafe {
        if libc::setsid() < 0
            || libc::dup2(reports, REPORTS) < 0
            || libc::fcntl(REPORTS, libc::F_SETFD, 0) < 0
        {
            return Err(io::Error::last_os_error());
        }
        // Kernels before 5.11 do not know this; there, everything else is expected to be marked already.
        libc::syscall(libc::SYS_close_range, REPORTS + 1, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    }
    Ok(())
}

/// The launcher; the program dies with it.
struct Launcher(Child);

impl Launcher {
    /// Ends both, if they have not ended yet.
    fn end(&mut self) {
        if let (Ok(group), Ok(None)) = (i32::try_from(self.0.id()), self.0.try_wait()) {
            // SAFETY: a plain system call. The launcher is not reaped, so the number of its group is not used for another.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = self.0.wait();
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.end();
    }
}

/// What was heard of a program.
struct Story {
    output: Vec<u8>,
    reports: Vec<Report>,
    /// How much output is still kept.
    room: usize,
}

impl Story {
    /// Listens until both pipes are closed; false if the deadline passes first.
    fn follow(&mut self, output: &File, reports: &File, deadline: Instant) -> io::Result<bool> {
        let watched = |file: &File| libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut files = [watched(output), watched(reports)];
        let mut buffer = vec![0; 1 << 16];
        while files.iter().any(|file| file.fd >= 0) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let wait = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
            // SAFETY: the list is valid; negative numbers are passed over.
            if unsafe { libc::poll(files.as_mut_ptr(), 2, wait) } < 0 {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
                continue;
            }
            if files[0].revents != 0 && !self.hear(output, &mut buffer)? {
                files[0].fd = -1;
            }
            if files[1].revents != 0 && !self.learn(reports)? {
                files[1].fd = -1;
            }
        }
        Ok(true)
    }

    /// Reads some output; false at its end.
    fn hear(&mut self, mut output: &File, buffer: &mut [u8]) -> io::Result<bool> {
        let got = output.read(buffer)?;
        let kept = got.min(self.room);
        self.output.extend_from_slice(&buffer[..kept]);
        self.room -= kept;
        Ok(got > 0)
    }

    /// Reads a report; false after the last.
    fn learn(&mut self, mut reports: &File) -> io::Result<bool> {
        let mut bytes = [0; size_of::<Report>()];
        match reports.read_exact(&mut bytes) {
            Ok(()) => {
                // SAFETY: a report consists of numbers: every bit pattern is one.
                self.reports.push(unsafe { std::mem::transmute::<[u8; size_of::<Report>()], Report>(bytes) });
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What it comes to.
    fn told(self, in_time: bool, on_effect: OnEffect) -> Result<Ended, StartError> {
        let value = |kind: ReportKind| {
            self.reports.iter().find(|report| report.kind == kind as u32).map(|report| report.value)
        };
        let of_effects = self.reports.iter().filter(|report| report.kind == ReportKind::Effect as u32);
        let effects: Vec<Effect> =
            of_effects.filter_map(|report| Effect::from_number(report.value as u32)).collect();
        let message = || String::from_utf8_lossy(&self.output).trim_end().to_owned();
        if value(ReportKind::Failed).is_some() {
            return Err(StartError::Failed { failure: None, message: message() });
        }
        let way = match (value(ReportKind::Exited), value(ReportKind::Killed)) {
            (Some(status), _) => Way::Exited(status),
            (_, Some(_)) if on_effect == OnEffect::End && !effects.is_empty() => Way::Effect,
            (_, Some(signal)) => Way::Signal(signal),
            _ if !in_time => Way::TimedOut,
            _ => {
                let message = format!("the launcher has ended early: {}", message());
                return Err(StartError::Failed { failure: None, message });
            }
        };
        let landlock =
            value(ReportKind::Ready).and_then(|abi| u32::try_from(abi).ok()).filter(|abi| *abi > 0);
        Ok(Ended { way, effects, output: self.output, landlock })
    }
}
