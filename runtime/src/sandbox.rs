//! The sandbox: no writes outside the scratch folder, no reads but of the system and what is named, no network, no other
//! processes, bounded files, memory and stack.

use core::ffi::CStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use testwright_abi::command::Span;
use testwright_abi::memory::STACK_SIZE;

use crate::intact::span_of;
use crate::shared::{Single, control};
use crate::{effects, filter, gate, own, quota};

/// The largest file that code under test may write, its output included.
pub const MAX_FILE: u64 = 64 << 20;
/// How many files may be open; the worker's own have the highest numbers.
pub const MAX_OPEN: u64 = 256;
/// Memory that the worker itself may take during a command, copies of input objects above all.
const OWN_MEMORY: u64 = 128 << 20;

/// Whether the kernel has filters. Not in the segment, where a run could take them from the next process.
static FILTERED: Single<bool> = Single::new(false);

/// The newest landlock that we know.
pub const NEWEST: ABI = ABI::V8;

/// What every program of the system reads: libraries, tables of time zones and locales, numbers about the machine.
pub const SYSTEM_FILES: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/locale.alias",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
];

/// What may be read: the system's files and what was named.
static READABLE: Single<Vec<PathBuf>> = Single::new(Vec::new());
/// Bytes of address space that are in use before the first run, most of them reserved only.
static MAPPED: Single<u64> = Single::new(0);
/// Bytes that the code under test may map now.
static MEMORY: Single<u64> = Single::new(u64::MAX);

/// Everything that holds for the server too. What the kernel does not have is left out, and the control
/// block says so. `named` is what may be read besides the system's files.
pub fn enter(scratch: &Path, named: &[PathBuf]) -> Result<(), String> {
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, MAX_FILE)?;
    limit(libc::RLIMIT_STACK, STACK_SIZE)?;
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0) };
    std::env::set_current_dir(scratch)
        .map_err(|error| format!("cannot enter the scratch folder {}: {error}", scratch.display()))?;
    let readable: Vec<PathBuf> =
        SYSTEM_FILES.iter().map(PathBuf::from).chain(named.iter().cloned()).collect();
    let abi =
        restrict_files(scratch, &readable).map_err(|error| format!("landlock refused the rules: {error}"))?;
    // SAFETY: nothing else refers to the list.
    unsafe { *READABLE.get() = readable };
    let of_files = filter::of_files(gate::address());
    let filtered = of_files
        .and_then(|program| seccompiler::apply_filter(&program))
        .and_then(|()| filter::of_server().and_then(|program| seccompiler::apply_filter(&program)));
    // SAFETY: the control block is mapped.
    unsafe {
        (*control()).landlock_abi = abi;
        FILTERED.write(in_force(filtered)?);
        (*control()).seccomp = u32::from(FILTERED.read());
    }
    Ok(())
}

/// What only holds for the processes that run code under test.
pub fn enter_child(server: u32) -> Result<(), String> {
    effects::know_process();
    // SAFETY: plain system calls.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The server may have died before that call.
        if libc::getppid() as u32 != server {
            libc::_exit(testwright_abi::command::status::CLOSED);
        }
    }
    if !FILTERED.read() {
        return Ok(());
    }
    let filtered =
        filter::of_child(std::process::id()).and_then(|program| seccompiler::apply_filter(&program));
    in_force(filtered).map(|_| ())
}

/// What commands change here.
pub fn state() -> Vec<Span> {
    vec![span_of(MEMORY.get())]
}

/// Puts the worker's own descriptors out of reach of code under test, where the kernel has filters.
pub fn guard_own_files() -> Result<(), String> {
    if !FILTERED.read() {
        return Ok(());
    }
    in_force(own::guard()).map(|_| ())
}

/// Whether a path leads to what may be read, as far as its text tells. Relative ones start in the scratch folder. Safe in a
/// signal handler.
pub fn is_readable(path: &CStr) -> bool {
    let bytes = path.to_bytes();
    // SAFETY: the list does not change after the start.
    let readable = unsafe { &*READABLE.get() };
    let below = |folder: &PathBuf| {
        let rest = bytes.strip_prefix(folder.as_os_str().as_bytes());
        rest.is_some_and(|rest| rest.first().is_none_or(|byte| *byte == b'/'))
    };
    bytes.first() != Some(&b'/') || readable.iter().any(below)
}

/// Lowers a limit.
pub fn limit(resource: libc::__rlimit_resource_t, value: u64) -> Result<(), String> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a valid place.
    let changed = unsafe {
        libc::getrlimit(resource, &raw mut limit);
        limit.rlim_cur = value.min(limit.rlim_max);
        libc::setrlimit(resource, &raw const limit)
    };
    if changed == 0 {
        Ok(())
    } else {
        Err(format!("cannot set a resource limit: {}", io::Error::last_os_error()))
    }
}

/// Lowers the number of files that may be open, so that it does not depend on who started the worker.
pub fn limit_open_files() -> Result<(), String> {
    limit(libc::RLIMIT_NOFILE, MAX_OPEN)
}

/// Remembers how much address space is in use; `sizes` is what `/proc/self/statm` says, in pages.
pub fn remember_mapped(sizes: &str) {
    let pages = sizes.split_whitespace().next().and_then(|text| text.parse::<u64>().ok());
    MAPPED.write(pages.unwrap_or(0) * testwright_abi::memory::PAGE);
}

/// Lets the code under test map so many bytes, besides the heap, which has its own limit.
pub fn limit_memory(bytes: u64) {
    if MEMORY.read() == bytes || MAPPED.read() == 0 {
        return;
    }
    MEMORY.write(bytes);
    quota::set_limit(libc::RLIMIT_AS, MAPPED.read().saturating_add(bytes).saturating_add(OWN_MEMORY));
}

/// Writing only below `scratch` and to the null device, reading what is named. Returns the landlock ABI, 0 if the kernel has
/// none.
fn restrict_files(scratch: &Path, readable: &[PathBuf]) -> Result<u32, Box<dyn std::error::Error>> {
    let (all, of_files) = (AccessFs::from_all(NEWEST), AccessFs::from_file(NEWEST));
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new(scratch)?, all & !BitFlags::from(AccessFs::Execute)))?
        .add_rule(PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::ReadFile | AccessFs::WriteFile))?;
    for path in readable {
        // What is not there cannot be read anyway.
        let Ok(place) = PathFd::new(path) else { continue };
        let access = if path.is_dir() { reading } else { reading & of_files };
        rules = rules.add_rule(PathBeneath::new(place, access))?;
    }
    Ok(abi_in_force(&rules.restrict_self()?))
}

/// Whether the filter is in force; an error if it was refused by a kernel that has filters.
fn in_force(filtered: Result<(), seccompiler::Error>) -> Result<bool, String> {
    match filtered {
        Ok(()) => Ok(true),
        Err(seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error))
            if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) =>
        {
            Ok(false)
        }
        Err(error) => Err(format!("the system call filter was refused: {error}")),
    }
}

/// The landlock ABI that a ruleset is enforced with, 0 if it is not.
pub fn abi_in_force(status: &RestrictionStatus) -> u32 {
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } if status.ruleset != RulesetStatus::NotEnforced => {
            effective_abi as u32
        }
        _ => 0,
    }
}
