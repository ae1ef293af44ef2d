//! The sandbox: no writes outside the scratch folder, no network, no other processes, bounded files and stack.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use testwright_abi::memory::STACK_SIZE;

use crate::shared::{Single, control};
use crate::{filter, own};

/// The largest file that code under test may write, its output included.
const MAX_FILE: u64 = 64 << 20;
/// How many files may be open; the worker's own have the highest numbers.
pub const MAX_OPEN: u64 = 256;

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

/// Everything that holds for the server too. What the kernel does not have is left out, and the control
/// block says so.
pub fn enter(scratch: &Path) -> Result<(), String> {
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, MAX_FILE)?;
    limit(libc::RLIMIT_STACK, STACK_SIZE)?;
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0) };
    std::env::set_current_dir(scratch)
        .map_err(|error| format!("cannot enter the scratch folder {}: {error}", scratch.display()))?;
    let abi = restrict_files(scratch).map_err(|error| format!("landlock refused the rules: {error}"))?;
    let filtered = filter::of_server().and_then(|program| seccompiler::apply_filter(&program));
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

/// Puts the worker's own descriptors out of reach of code under test, where the kernel has filters.
pub fn guard_own_files() -> Result<(), String> {
    if !FILTERED.read() {
        return Ok(());
    }
    in_force(own::guard()).map(|_| ())
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

/// Writing only below `scratch` and to the null device. Returns the landlock ABI, 0 if the kernel has none.
fn restrict_files(scratch: &Path) -> Result<u32, Box<dyn std::error::Error>> {
    let writing = AccessFs::from_write(NEWEST);
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writing)?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new(scratch)?, writing))?
        .add_rule(PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(abi_in_force(&status))
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
