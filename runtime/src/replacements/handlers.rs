//! Signal handlers of the code under test: remembered, and called for signals it sends to itself.
//!
//! They are not installed: a fault must end the run. The worker's own handler asks [`chosen`] when the
//! code under test has raised a signal.

use super::{CHANGED, set_errno, wrote};
use crate::intact::span_of;
use crate::shared::Single;
use testwright_abi::command::Span;

/// `struct sigaction` of glibc: the handler first, then mask, flags and restorer.
type Action = [u64; 19];
const SIGNALS: usize = 65;
const FLAGS_WORD: usize = 17;

static ACTIONS: Single<[Action; SIGNALS]> = Single::new([[0; 19]; SIGNALS]);

/// What the code under test wants done when it raises a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// What the system does.
    Default,
    /// Nothing.
    Ignore,
    /// Call this function.
    Call(u64),
}

/// Where that state lies.
pub fn state() -> Vec<Span> {
    vec![span_of(ACTIONS.get())]
}

pub fn reset() {
    ACTIONS.write([[0; 19]; SIGNALS]);
}

fn action(number: u32) -> Option<&'static mut Action> {
    let catchable = number != libc::SIGKILL as u32 && number != libc::SIGSTOP as u32 && number != 0;
    if !catchable {
        return None;
    }
    // SAFETY: one thread; no caller keeps the reference.
    unsafe { (*ACTIONS.get()).get_mut(number as usize) }
}

/// What to do about signal `number` that the code under test sent to itself.
pub fn chosen(number: i32) -> Disposition {
    let Some(action) = action(number as u32) else { return Disposition::Default };
    match action[0] as usize {
        libc::SIG_DFL => Disposition::Default,
        libc::SIG_IGN => Disposition::Ignore,
        _ => {
            let function = action[0];
            if action[FLAGS_WORD] as u32 & libc::SA_RESETHAND as u32 != 0 {
                action[0] = libc::SIG_DFL as u64;
            }
            Disposition::Call(function)
        }
    }
}

/// `signal`
pub unsafe extern "C" fn c_signal(number: u32, handler: u64) -> u64 {
    CHANGED.write(true);
    let Some(action) = action(number) else {
        set_errno(libc::EINVAL);
        return libc::SIG_ERR as u64;
    };
    let old = action[0];
    *action = [0; 19];
    action[0] = handler;
    old
}

/// `sigaction`
pub unsafe extern "C" fn c_sigaction(number: u32, new: u64, old: u64) -> u32 {
    CHANGED.write(true);
    let Some(action) = action(number) else {
        set_errno(libc::EINVAL);
        return u32::MAX;
    };
    let before = *action;
    if new != 0 {
        // SAFETY: a bad address is the fault of the code under test and ends the run as its own access would.
        *action = unsafe { std::ptr::with_exposed_provenance::<Action>(new as usize).read_unaligned() };
    }
    if old != 0 {
        // SAFETY: as above.
        unsafe { std::ptr::with_exposed_provenance_mut::<Action>(old as usize).write_unaligned(before) };
        wrote(old, size_of::<Action>() as u64);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_action_are_where_the_c_library_has_them() {
        assert_eq!(size_of::<Action>(), size_of::<libc::sigaction>());
        assert_eq!(core::mem::offset_of!(libc::sigaction, sa_sigaction), 0);
        assert_eq!(core::mem::offset_of!(libc::sigaction, sa_flags), FLAGS_WORD * 8);
    }
}
