//! The virtual clock: it starts at the same moment in every run and moves only when it is asked.
//!
//! A call takes one virtual millisecond, so that code which waits for time to pass comes to an end.

use super::{CHANGED, set_errno, wrote};
use crate::effects;
use crate::intact::span_of;
use crate::shared::Single;
use testwright_abi::command::Span;
use testwright_abi::effect::Effect;

/// A second in nanoseconds.
const SECOND: u64 = 1_000_000_000;
/// When every run starts: 1,000,000,000 seconds after 1970 began.
const START: u64 = 1_000_000_000 * SECOND;
/// What every look at the clock takes.
const TICK: u64 = SECOND / 1000;
/// How long the machine has been up at the start, for monotonic clocks.
const UPTIME: u64 = 1000 * SECOND;

/// Code that wants to sleep longer than this in a run makes tests wait.
const MOMENT: u64 = SECOND;
/// The process id that code under test sees.
pub const PROCESS: u32 = 4242;

static SLEPT: Single<u64> = Single::new(0);
static NOW: Single<u64> = Single::new(START);

/// Where that state lies.
pub fn state() -> Vec<Span> {
    vec![span_of(NOW.get()), span_of(SLEPT.get())]
}

pub fn reset() {
    NOW.write(START);
    SLEPT.write(0);
}

fn advance(nanoseconds: u64) -> u64 {
    CHANGED.write(true);
    NOW.write(NOW.read().saturating_add(nanoseconds));
    NOW.read()
}

/// Lets time pass while the code sleeps.
fn sleep(nanoseconds: u64) {
    advance(nanoseconds);
    SLEPT.write(SLEPT.read().saturating_add(nanoseconds));
    if SLEPT.read() > MOMENT {
        effects::note(Effect::Sleep);
    }
}

/// Writes seconds and a fraction, as `struct timespec` and `struct timeval` have them.
fn put(target: u64, seconds: u64, fraction: u64) {
    let place = std::ptr::with_exposed_provenance_mut::<[u64; 2]>(target as usize);
    // SAFETY: a bad address is the fault of the code under test and ends the run as its own access would.
    unsafe { place.write_unaligned([seconds, fraction]) };
    wrote(target, 16);
}

/// `time`
pub unsafe extern "C" fn c_time(target: u64) -> u64 {
    let seconds = advance(TICK) / SECOND;
    if target != 0 {
        let place = std::ptr::with_exposed_provenance_mut::<u64>(target as usize);
        // SAFETY: as in `put`.
        unsafe { place.write_unaligned(seconds) };
        wrote(target, 8);
    }
    seconds
}

/// `clock`
pub unsafe extern "C" fn c_clock() -> u64 {
    (advance(TICK) - START) / 1000
}

/// `gettimeofday`
pub unsafe extern "C" fn c_gettimeofday(target: u64, zone: u64) -> u32 {
    let now = advance(TICK);
    if target != 0 {
        put(target, now / SECOND, now % SECOND / 1000);
    }
    if zone != 0 {
        let place = std::ptr::with_exposed_provenance_mut::<u64>(zone as usize);
        // SAFETY: as in `put`; a time zone is two 32-bit numbers, both 0 for UTC.
        unsafe { place.write_unaligned(0) };
        wrote(zone, 8);
    }
    0
}

/// `clock_gettime`
pub unsafe extern "C" fn c_clock_gettime(clock: u32, target: u64) -> u32 {
    let now = advance(TICK);
    let shown = match clock as i32 {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => now,
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME => now - START + UPTIME,
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => now - START,
        _ => {
            set_errno(libc::EINVAL);
            return u32::MAX;
        }
    };
    put(target, shown / SECOND, shown % SECOND);
    0
}

/// `getpid`
pub unsafe extern "C" fn c_getpid() -> u32 {
    PROCESS
}

/// `sleep`
pub unsafe extern "C" fn c_sleep(seconds: u32) -> u32 {
    sleep(u64::from(seconds) * SECOND);
    0
}

/// `usleep`
pub unsafe extern "C" fn c_usleep(microseconds: u32) -> u32 {
    sleep(u64::from(microseconds) * 1000);
    0
}

/// `nanosleep`
pub unsafe extern "C" fn c_nanosleep(time: u64, rest: u64) -> u32 {
    let place = std::ptr::with_exposed_provenance::<[u64; 2]>(time as usize);
    // SAFETY: as in `put`.
    let [seconds, nanoseconds] = unsafe { place.read_unaligned() };
    if seconds > i64::MAX as u64 || nanoseconds >= SECOND {
        set_errno(libc::EINVAL);
        return u32::MAX;
    }
    sleep(seconds.saturating_mul(SECOND).saturating_add(nanoseconds));
    if rest != 0 {
        put(rest, 0, 0);
    }
    0
}
