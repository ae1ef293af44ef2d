//! Effects of code under test: calls that the filter has stopped are noted here, and carried out or refused.
//!
//! ```text
//! system call ──filter──▶ SIGSYS ──▶ note the effect ──▶ refused: the call fails with EPERM
//!                                                   └──▶ about files: through the gate; landlock decides
//! ```
//!
//! Code that makes no such call pays nothing. What stopped calls are answered is put into the registers of the code that
//! made them, so the run goes on. The worker's own calls come here too, while nothing is running, and are just carried out.

use std::ptr::with_exposed_provenance;

use testwright_abi::effect::Effect;

use crate::calls::{JUDGED, OPENS, SIGNALS, effect_of, is_writing};
use crate::replacements::clock;
use crate::shared::{Single, control};
use crate::{gate, quota, sandbox, signals};

/// What a signal that comes from the filter has as its code.
const FROM_FILTER: i32 = 1;

/// Process id of the child that runs code under test.
static PID: Single<u64> = Single::new(0);

/// Remembers which process this is.
pub fn know_process() {
    PID.write(u64::from(std::process::id()));
}

/// Forgets the effects of earlier runs.
pub fn reset() {
    // SAFETY: the control block is mapped.
    unsafe { (*control()).effects = 0 };
}

/// Notes an effect of the code under test.
pub fn note(effect: Effect) {
    if signals::is_running() {
        // SAFETY: the control block is mapped.
        unsafe { (*control()).effects |= effect.bit() };
    }
}

/// Answers the stopped call that a signal tells of; false if it tells of something else.
///
/// # Safety
/// Must be called from the handler of SIGSYS with its arguments.
pub unsafe fn answer(info: *const libc::siginfo_t, context: *mut libc::c_void) -> bool {
    /// Place of the call's number in the kernel's record of the signal: after four numbers and an address.
    const NUMBER: usize = 24;
    // SAFETY: the kernel passes both; a signal of the filter has a number there.
    unsafe {
        if (*info).si_code != FROM_FILTER {
            return false;
        }
        let number = info.cast::<u8>().add(NUMBER).cast::<i32>().read();
        let context = &mut *context.cast::<libc::ucontext_t>();
        let register = |register: i32| context.uc_mcontext.gregs[register as usize] as u64;
        let arguments =
            [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10, libc::REG_R8, libc::REG_R9]
                .map(register);
        let result = match i64::from(number) {
            libc::SYS_rt_sigprocmask => set_mask(&mut context.uc_sigmask, &arguments),
            number => carry_out(number, &arguments),
        };
        context.uc_mcontext.gregs[libc::REG_RAX as usize] = result;
    }
    true
}

fn carry_out(number: i64, arguments: &[u64; 6]) -> i64 {
    match number {
        // The C library then uses the older calls, whose arguments can be seen.
        libc::SYS_clone3 | libc::SYS_openat2 => return -i64::from(libc::ENOSYS),
        // The handler of this signal is ours; code under test believes to have its own.
        libc::SYS_rt_sigaction => return 0,
        libc::SYS_memfd_create => return make(number, arguments),
        _ => {}
    }
    if let Some((_, flags)) = OPENS.iter().find(|(call, _)| *call == number) {
        return open(number, arguments, arguments[usize::from(*flags)]);
    }
    if let Some(own) = to_itself(number, arguments) {
        return own;
    }
    if let Some(effect) = effect_of(number, arguments) {
        note(effect);
    }
    match JUDGED.iter().find(|(call, _)| *call == number) {
        None => -i64::from(libc::EPERM),
        Some((libc::SYS_creat, _) | (_, Effect::Make)) => make(number, arguments),
        // SAFETY: the call of the code under test as it made it; landlock keeps it in the scratch folder.
        Some(_) => unsafe { gate::call(number, arguments) },
    }
}

/// Carries out a call that makes a file.
fn make(number: i64, arguments: &[u64; 6]) -> i64 {
    if !quota::take() {
        return -i64::from(libc::EDQUOT);
    }
    // SAFETY: the call of the code under test as it made it; landlock keeps it in the scratch folder.
    unsafe { gate::call(number, arguments) }
}

/// Opens a file. To write to a device is no effect: landlock lets that be done to the null device only.
fn open(number: i64, arguments: &[u64; 6], flags: u64) -> i64 {
    if !is_writing(flags) {
        // SAFETY: as in `make`.
        let result = unsafe { gate::call(number, arguments) };
        let path = if number == libc::SYS_open { arguments[0] } else { arguments[1] };
        if is_denied(result, path) {
            note(Effect::Read);
        }
        return result;
    }
    let result = make(number, arguments);
    if !is_device(result) {
        note(Effect::Write);
    }
    result
}

/// Whether opening a file failed because it is none of those that may be read. A file that is not there may be one.
fn is_denied(result: i64, path: u64) -> bool {
    const DENIED: i64 = -(libc::EACCES as i64);
    const FORBIDDEN: i64 = -(libc::EPERM as i64);
    const MISSING: i64 = -(libc::ENOENT as i64);
    match result {
        DENIED | FORBIDDEN => true,
        // SAFETY: the kernel has just read a path there, to its end.
        MISSING => !sandbox::is_readable(unsafe {
            core::ffi::CStr::from_ptr(with_exposed_provenance(path as usize))
        }),
        _ => false,
    }
}

fn is_device(file: i64) -> bool {
    // SAFETY: all fields of the answer may be zero; the call writes to it only.
    unsafe {
        let mut answer: libc::stat = core::mem::zeroed();
        file >= 0
            && libc::fstat(file as i32, &raw mut answer) == 0
            && answer.st_mode & libc::S_IFMT == libc::S_IFCHR
    }
}

/// The result of a signal that the code sends to the process it believes to be.
fn to_itself(number: i64, arguments: &[u64; 6]) -> Option<i64> {
    if !SIGNALS.contains(&number) || arguments[0] as u32 != clock::PROCESS {
        return None;
    }
    let mut own = *arguments;
    own[0] = PID.read();
    // SAFETY: a signal to this process, as the code under test asked for. The filter lets it pass.
    Some(unsafe { gate::call(number, &own) })
}

/// Changes the mask of signals that holds when the handler returns, but never masks the signal of the filter: the kernel
/// would kill the process at the next call that is stopped. (The C library masks all signals around `system`.)
///
/// # Safety
/// The arguments must be those of `rt_sigprocmask`.
unsafe fn set_mask(mask: &mut libc::sigset_t, arguments: &[u64; 6]) -> i64 {
    const BLOCK: u64 = libc::SIG_BLOCK as u64;
    const SET: u64 = libc::SIG_SETMASK as u64;
    let [how, new, old, length, ..] = *arguments;
    if length != 8 {
        return -i64::from(libc::EINVAL);
    }
    let word = (&raw mut *mask).cast::<u64>();
    // SAFETY: a set of signals begins with the kernel's word. Bad addresses are the fault of the code under test: the
    // access here ends the run as the kernel's error would have surprised it.
    unsafe {
        let before = *word;
        let new = with_exposed_provenance::<u64>(new as usize).read_unaligned();
        *word = match how {
            BLOCK => before | new,
            SET => new,
            _ => return -i64::from(libc::EINVAL),
        } & !(1 << (libc::SIGSYS - 1));
        if old != 0 {
            std::ptr::with_exposed_provenance_mut::<u64>(old as usize).write_unaligned(before);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signal_of_the_filter_is_never_masked() {
        // SAFETY: sets of signals may be zero; addresses and lengths are right.
        unsafe {
            let mut mask: libc::sigset_t = core::mem::zeroed();
            let (all, mut before) = (u64::MAX, 0u64);
            let place = |place: *const u64| place.expose_provenance() as u64;
            let arguments =
                [libc::SIG_BLOCK as u64, place(&raw const all), place(&raw const before), 8, 0, 0];
            let _ = &mut before;
            assert_eq!(set_mask(&mut mask, &arguments), 0);
            assert_eq!(libc::sigismember(&raw const mask, libc::SIGSYS), 0);
            assert_eq!(libc::sigismember(&raw const mask, libc::SIGINT), 1);
        }
    }
}
