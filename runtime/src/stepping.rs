//! Counting instructions: the processor traps after each one, and the handler counts.
//!
//! The trap flag of the processor does what a debugger's single step does, inside one process: no counter of the
//! processor, no other program and no right to trace is needed, and the count is the same each time. A step takes
//! microseconds, so this is for measuring code, not for running it.
//!
//! ```text
//! popfq            sets the flag
//! call driver      the first step, not counted
//! ..               counted: the driver and everything it calls, in the library, the worker and the C library
//! ret              counted
//! pushfq and popfq cleared again: three more steps, not counted
//! ```

use core::arch::naked_asm;

use crate::library::Driver;
use crate::shared::{Single, control};

/// What a step has as the reason for its signal; `int3` and signals that code raises have others.
const TRACE_TRAP: i32 = 2;
/// Steps of [`enter`] itself.
const OWN_STEPS: u64 = 4;

static STEPPING: Single<bool> = Single::new(false);

/// Calls a driver and leaves in the control block how many instructions that took.
///
/// # Safety
/// As a call of the driver, inside a protected call. [`end`] must follow, also after an escape.
pub unsafe fn call(driver: Driver, arguments: *mut u8, result: *mut u8) {
    STEPPING.write(true);
    // SAFETY: the caller vouches for the driver; the control block is mapped.
    unsafe {
        (*control()).instructions = 0;
        enter(driver as *const (), arguments, result);
        (*control()).instructions = (*control()).instructions.saturating_sub(OWN_STEPS);
    }
    STEPPING.write(false);
}

/// The run is over. If it was left by an escape, the flag is still set.
pub fn end() {
    // SAFETY: only the trap flag changes.
    unsafe { clear() };
    STEPPING.write(false);
}

/// Counts a step. False: the signal is no step of ours. Safe in a signal handler.
pub fn is_step(reason: i32) -> bool {
    let ours = STEPPING.read() && reason == TRACE_TRAP;
    if ours {
        // SAFETY: the control block is mapped.
        unsafe { (*control()).instructions += 1 };
    }
    ours
}

/// Sets the trap flag, calls `driver(arguments, result)` and clears it.
#[unsafe(naked)]
unsafe extern "C" fn enter(driver: *const (), arguments: *mut u8, result: *mut u8) {
    naked_asm!(
        "sub rsp, 8",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "pushfq",
        "or qword ptr [rsp], 0x100",
        "popfq",
        "call rax",
        "pushfq",
        "and qword ptr [rsp], -0x101",
        "popfq",
        "add rsp, 8",
        "ret",
    )
}

#[unsafe(naked)]
unsafe extern "C" fn clear() {
    naked_asm!("pushfq", "and qword ptr [rsp], -0x101", "popfq", "ret")
}
