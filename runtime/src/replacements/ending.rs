//! Ways in which code under test ends a run without returning.

use core::ffi::CStr;

use testwright_abi::control::{End, EndKind};

use super::CHANGED;
use crate::intact::span_of;
use crate::protect::escape;
use crate::shared::{Single, control, end};
use testwright_abi::command::Span;

/// How many functions `atexit` remembers; C asks for 32.
const MAX_AT_EXIT: usize = 256;

struct AtExit {
    count: usize,
    functions: [u64; MAX_AT_EXIT],
}

static AT_EXIT: Single<AtExit> = Single::new(AtExit { count: 0, functions: [0; MAX_AT_EXIT] });

/// Where that state lies.
pub fn state() -> Vec<Span> {
    vec![span_of(AT_EXIT.get())]
}

pub fn reset() {
    // SAFETY: one thread; no reference is held.
    unsafe { (*AT_EXIT.get()).count = 0 };
}

/// Records the end and leaves the run.
pub fn finish(end: End) -> ! {
    // SAFETY: the control block is mapped; the frames in between are C, or functions of this folder.
    unsafe {
        (*control()).end = end;
        escape()
    }
}

fn exit(status: u32) -> ! {
    let mut end = end(EndKind::Exit);
    end.code = status as i32;
    finish(end)
}

/// A sanitizer check failed.
pub unsafe extern "C" fn trap(site: u32, kind: u32) -> ! {
    let mut end = end(EndKind::Trap);
    end.site = site;
    end.code = kind as i32;
    finish(end)
}

/// The step limit was reached.
pub unsafe extern "C" fn step_limit() -> ! {
    finish(end(EndKind::StepLimit))
}

/// `exit`
pub unsafe extern "C" fn c_exit(status: u32) -> ! {
    loop {
        // SAFETY: one thread; the reference ends before a handler runs, which may register another.
        let function = unsafe {
            let at_exit = &mut *AT_EXIT.get();
            if at_exit.count == 0 {
                break;
            }
            at_exit.count -= 1;
            at_exit.functions[at_exit.count]
        };
        // SAFETY: the code under test registered it as such a function; what it does is its own affair.
        unsafe {
            let function: unsafe extern "C" fn() = core::mem::transmute(function as usize);
            function();
        }
    }
    exit(status)
}

/// `_exit`
#[expect(non_snake_case, reason = "this is the C name")]
pub unsafe extern "C" fn c__exit(status: u32) -> ! {
    exit(status)
}

/// `_Exit`
#[expect(non_snake_case, reason = "this is the C name")]
pub unsafe extern "C" fn c__Exit(status: u32) -> ! {
    exit(status)
}

/// `quick_exit`
pub unsafe extern "C" fn c_quick_exit(status: u32) -> ! {
    exit(status)
}

/// `abort`
pub unsafe extern "C" fn c_abort() -> ! {
    finish(end(EndKind::Abort))
}

/// `__assert_fail`
#[expect(non_snake_case, reason = "this is the C name")]
pub unsafe extern "C" fn c___assert_fail(text: u64, file: u64, line: u32, function: u64) -> ! {
    {
        // Whatever this allocates is dropped before the escape.
        // SAFETY: `assert` passes string literals; null only for a function without a name.
        let (text, file, function) = unsafe { (string(text), string(file), string(function)) };
        let colon = if function.is_empty() { "" } else { ": " };
        say(&format!("{file}:{line}: {function}{colon}Assertion `{text}' failed.\n"));
    }
    finish(end(EndKind::Abort))
}

/// `__stack_chk_fail`
#[expect(non_snake_case, reason = "this is the C name")]
pub unsafe extern "C" fn c___stack_chk_fail() -> ! {
    say("*** stack smashing detected ***: terminated\n");
    finish(end(EndKind::Abort))
}

/// `atexit`
pub unsafe extern "C" fn c_atexit(function: u64) -> u32 {
    CHANGED.write(true);
    // SAFETY: one thread; no other reference is held.
    let at_exit = unsafe { &mut *AT_EXIT.get() };
    let Some(place) = at_exit.functions.get_mut(at_exit.count) else { return 1 };
    *place = function;
    at_exit.count += 1;
    0
}

unsafe fn string<'a>(address: u64) -> std::borrow::Cow<'a, str> {
    if address == 0 {
        return "".into();
    }
    // SAFETY: the caller vouches for the string.
    unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(address as usize)) }.to_string_lossy()
}

/// Writes to standard error, after what the code under test has printed so far.
fn say(message: &str) {
    CHANGED.write(true);
    // SAFETY: plain libc calls on a valid buffer; output that does not fit is lost as it would be natively.
    unsafe {
        libc::fflush(core::ptr::null_mut());
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
    }
}
