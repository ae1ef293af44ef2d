//! How much a run may put into files: so many files, and the more it opens, the smaller each of them.
//!
//! The n-th file that is opened for writing lowers the limit of every file to [`MAX_FILE`]`/ n`. Files that are larger by then
//! stay so; all together have at most [`MAX_FILE`]` * (1 + 1/2 + .. + 1/MAX_FILES)` bytes, six times as much as one file.

use testwright_abi::command::Span;

use crate::gate;
use crate::intact::span_of;
use crate::sandbox::MAX_FILE;
use crate::shared::Single;

/// How many files, folders and links a run may make or open for writing.
const MAX_FILES: u64 = 256;

static COUNT: Single<u64> = Single::new(0);

/// What runs may change here.
pub fn state() -> Vec<Span> {
    vec![span_of(COUNT.get())]
}

/// Asks for one more file; false if there were too many.
pub fn take() -> bool {
    if COUNT.read() >= MAX_FILES {
        return false;
    }
    COUNT.write(COUNT.read() + 1);
    limit_files(MAX_FILE / COUNT.read());
    true
}

/// The scratch folder is empty again.
pub fn reset() {
    if COUNT.read() > 0 {
        COUNT.write(0);
        limit_files(MAX_FILE);
    }
}

fn limit_files(bytes: u64) {
    set_limit(libc::RLIMIT_FSIZE, bytes);
}

/// Sets the limit of a resource that holds until it is set again. Only the gate lets that pass.
pub fn set_limit(resource: libc::__rlimit_resource_t, value: u64) {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: libc::RLIM_INFINITY };
    let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let ask = [0, u64::from(resource), 0, (&raw mut old).expose_provenance() as u64, 0, 0];
    // SAFETY: the kernel writes a limit to a valid place, then reads one.
    unsafe {
        gate::call(libc::SYS_prlimit64, &ask);
        let limit = libc::rlimit { rlim_cur: limit.rlim_cur.min(old.rlim_max), rlim_max: old.rlim_max };
        let place = (&raw const limit).expose_provenance() as u64;
        gate::call(libc::SYS_prlimit64, &[0, u64::from(resource), place, 0, 0, 0]);
    }
}
