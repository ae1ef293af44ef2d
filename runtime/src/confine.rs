//! The launcher: a finished program runs in the sandbox, with limits, and its effects are noticed.
//!
//! The launcher and the program are two processes. The program's filter lets the kernel ask the launcher about every call
//! that is an effect ([`watch`]); where the kernel cannot do that, such a call kills the program.
//!
//! ```text
//! launcher ─┬─ clone, sharing open files ─▶ limits, landlock, filter ── execve ──▶ program
//!           └─ watch: answers the kernel's questions, reports effects and the end
//! ```
//!
//! Both share the table of open files until the program starts, so the launcher gets the file through which the kernel
//! asks without a word; when the program starts, it loses all files above standard error.

mod options;
mod watch;

use std::ffi::CString;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{env, fs, io};

use landlock::{
    Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use seccompiler::BpfProgram;
use testwright_abi::command::status;
use testwright_abi::confine::{CONFINE, REPORTS, Report, ReportKind};

use crate::filter::{self, Stopped};
use crate::native;
use crate::sandbox::{MAX_OPEN, NEWEST, SYSTEM_FILES, abi_in_force, limit};
use options::{Addresses, Options};

/// Where the system's loader may lie, which the kernel starts for the program.
const LOADERS: &[&str] = &["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store"];

/// Whether this process was started to confine a program.
pub fn is_meant() -> bool {
    env::args_os().nth(1).is_some_and(|argument| argument == CONFINE)
}

/// Starts the program and stays until it has ended.
pub fn main() -> ! {
    let started = Options::parse(env::args_os().skip(2)).and_then(start);
    match started {
        Ok(watched) => watch::until_end(watched),
        Err(message) => fail(&message),
    }
}

/// Says why the program cannot be started, and ends the process.
fn fail(message: &str) -> ! {
    let text = format!("testwright-worker: {message}\n");
    // SAFETY: the buffer is valid; what does not fit is lost.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    report(ReportKind::Failed, 0);
    // SAFETY: `_exit` has no precondition. The process may share its memory's handlers with nobody.
    unsafe { libc::_exit(status::FAILED) }
}

/// Tells the host; false if it is gone.
fn report(kind: ReportKind, value: i32) -> bool {
    let report = Report { kind: kind as u32, value };
    // SAFETY: a report has no padding.
    let bytes = unsafe { core::mem::transmute::<Report, [u8; size_of::<Report>()]>(report) };
    native::write_exactly(REPORTS, &bytes)
}

/// Starts the process that becomes the program.
fn start(options: Options) -> Result<watch::Watched, String> {
    let failed = |what: &str| format!("{what}: {}", io::Error::last_os_error());
    let image = Image::of(&options)?;
    let mut ends = [0; 2];
    // SAFETY: plain system calls. This process has one thread, so a clone without memory of its own is a whole process.
    let pid = unsafe {
        libc::syscall(libc::SYS_close_range, REPORTS, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) < 0 {
            return Err(failed("cannot make a pipe"));
        }
        let flags = libc::c_long::from(libc::CLONE_FILES | libc::SIGCHLD);
        libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) as libc::pid_t
    };
    match pid {
        0 => match become_program(&options, &image, ends[1]) {
            Ok(never) => match never {},
            Err(message) => fail(&message),
        },
        1.. => Ok(watch::Watched { pid, questions: ends[0], options }),
        _ => Err(failed("cannot make a process")),
    }
}

/// What `execve` is given.
struct Image {
    program: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
}

impl Image {
    fn of(options: &Options) -> Result<Image, String> {
        let text = |text: &std::ffi::OsString| {
            CString::new(text.as_bytes()).map_err(|_| "an argument holds a NUL".to_owned())
        };
        let program = fs::canonicalize(&options.program)
            .map_err(|error| format!("cannot find {}: {error}", options.program.display()))?;
        let mut arguments = vec![text(&options.program.clone().into_os_string())?];
        for argument in &options.arguments {
            arguments.push(text(argument)?);
        }
        let environment = options.environment.iter().map(text).collect::<Result<_, _>>()?;
        Ok(Image { program: text(&program.into_os_string())?, arguments, environment })
    }
}

/// Shuts the process in and starts the program. The number of the file with the kernel's questions goes to `questions`.
fn become_program(
    options: &Options,
    image: &Image,
    questions: RawFd,
) -> Result<core::convert::Infallible, String> {
    let failed = |what: &str| format!("{what}: {}", io::Error::last_os_error());
    // SAFETY: a plain system call. The launcher cannot have died unnoticed: it watches this process from now on, and
    // when it dies, all its files are closed.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    if options.addresses == Addresses::Fixed {
        // SAFETY: a plain system call. Where it is refused, addresses stay random.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
    }
    env::set_current_dir(&options.scratch)
        .map_err(|error| format!("cannot enter {}: {error}", options.scratch.display()))?;
    let program = Path::new(std::ffi::OsStr::from_bytes(image.program.as_bytes()));
    let abi =
        restrict_files(options, program).map_err(|error| format!("landlock refused the rules: {error}"))?;
    limit_resources(options)?;

    let pointers = |texts: &[CString]| {
        texts.iter().map(|text| text.as_ptr()).chain([core::ptr::null()]).collect::<Vec<_>>()
    };
    let (arguments, environment) = (pointers(&image.arguments), pointers(&image.environment));
    let listener = install_filter(image)?;
    report(ReportKind::Ready, abi as i32);
    native::write_exactly(questions, &listener.to_ne_bytes());
    // SAFETY: both lists are null-terminated and outlive the call, which returns only on failure.
    unsafe { libc::execve(image.program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    Err(failed(&format!("cannot start {}", program.display())))
}

fn limit_resources(options: &Options) -> Result<(), String> {
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_NOFILE, MAX_OPEN)?;
    limit(libc::RLIMIT_FSIZE, options.file)?;
    limit(libc::RLIMIT_CPU, options.processor)?;
    options.memory.map_or(Ok(()), |bytes| limit(libc::RLIMIT_AS, bytes))
}

/// Returns the number of the file through which the kernel asks, -1 if it kills instead.
fn install_filter(image: &Image) -> Result<RawFd, String> {
    let pid = std::process::id();
    let refused = |error| format!("the system call filter cannot be made: {error}");
    let asking = filter::of_program(pid, Stopped::Asked).map_err(refused)?;
    // SAFETY: a plain system call; filters need it.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    let listener = set_filter(&asking);
    if listener >= 0 {
        return Ok(listener);
    }
    let name = image.program.as_ptr().expose_provenance() as u64;
    let killing = filter::of_program(pid, Stopped::Killed { name }).map_err(refused)?;
    seccompiler::apply_filter(&killing)
        .map_err(|error| format!("the system call filter was refused: {error}"))?;
    Ok(-1)
}

/// Installs a filter and returns the file through which the kernel asks, negative if it was refused.
fn set_filter(program: &BpfProgram) -> RawFd {
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_ptr().cast::<libc::sock_filter>().cast_mut(),
    };
    // SAFETY: the program is valid during the call, which does not write to it.
    unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const filter,
        ) as RawFd
    }
}

/// Reading what the system has and what is named, writing to the scratch folder and what is named, executing the program
/// and its loader. Returns the landlock ABI, 0 if the kernel has none.
fn restrict_files(options: &Options, program: &Path) -> Result<u32, Box<dyn std::error::Error>> {
    let (all, of_files) = (AccessFs::from_all(NEWEST), AccessFs::from_file(NEWEST));
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let own = Path::new("/proc/self");
    let read = SYSTEM_FILES.iter().map(Path::new).chain(options.read.iter().map(AsRef::as_ref));
    let read = read.chain(program.parent()).chain([own]).map(|path| (path, reading));
    let write = options.write.iter().map(AsRef::as_ref).chain([options.scratch.as_path()]);
    let write = write.map(|path| (path, all & !BitFlags::from(AccessFs::Execute)));
    let start = LOADERS.iter().map(Path::new).chain([program]);
    let start = start.map(|path| (path, reading | AccessFs::Execute));
    let null = (Path::new("/dev/null"), AccessFs::ReadFile | AccessFs::WriteFile);

    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for (path, access) in read.chain(write).chain(start).chain([null]) {
        // What is not there cannot be accessed anyway.
        let Ok(place) = PathFd::new(path) else { continue };
        let access = if path.is_dir() { access } else { access & of_files };
        rules = rules.add_rule(PathBeneath::new(place, access))?;
    }
    Ok(abi_in_force(&rules.restrict_self()?))
}
