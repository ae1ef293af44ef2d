//! Protected calls: code under test runs on its own stack and can be left from anywhere inside.
//!
//! `escape` is what `longjmp` does, without its signal mask and without its checks: it drops all frames of the
//! protected call. None of those frames owns anything: they are C, or functions of ours without destructors.

use core::arch::naked_asm;

use testwright_abi::memory::STACK_TOP;

use crate::shared::Single;

/// Stack pointer of the protected call under way, 0 if there is none.
static SAVED: Single<u64> = Single::new(0);

/// How a protected call came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The function returned.
    Returned,
    /// [`escape`] was called.
    Escaped,
}

/// Calls `function(argument)` on the stack of the code under test.
///
/// # Safety
/// `function` must be sound to call with `argument`, and to leave at any point without its frames being
/// unwound. Protected calls do not nest.
pub unsafe fn call_protected<T>(function: unsafe extern "C" fn(*mut T), argument: *mut T) -> Way {
    debug_assert_eq!(SAVED.read(), 0, "protected calls do not nest");
    // The top of the stack stays 16-byte aligned, with a little room above for stray reads.
    // SAFETY: the stack is mapped, and the caller vouches for the function.
    let escaped = unsafe { enter(function as *const (), argument.cast(), STACK_TOP - 256) };
    SAVED.write(0);
    if escaped == 0 { Way::Returned } else { Way::Escaped }
}

/// Leaves the protected call under way.
///
/// # Safety
/// The frames up to the protected call must not own anything that has to be dropped.
pub unsafe fn escape() -> ! {
    if SAVED.read() == 0 {
        // Constructors of a library run outside of any run; there is nowhere to go back to.
        // SAFETY: `_exit` has no precondition.
        unsafe { libc::_exit(testwright_abi::command::status::INTERNAL) }
    }
    // SAFETY: a protected call is under way, so the saved stack pointer is that of a live frame of `enter`.
    unsafe { leave() }
}

/// Saves what a callee must preserve (registers, rounding modes), switches stacks and calls.
#[unsafe(naked)]
unsafe extern "C" fn enter(function: *const (), argument: *mut (), stack: u64) -> u64 {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rip + {saved}], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsp, rdx",
        "xor ebp, ebp",
        "call rax",
        "xor eax, eax",
        "jmp {restore}",
        saved = sym SAVED,
        restore = sym restore,
    )
}

#[unsafe(naked)]
unsafe extern "C" fn leave() -> ! {
    naked_asm!("mov eax, 1", "jmp {restore}", restore = sym restore)
}

/// The way back to the caller of `enter`; `eax` is the result.
#[unsafe(naked)]
unsafe extern "C" fn restore() -> ! {
    naked_asm!(
        "mov rsp, [rip + {saved}]",
        // The x87 stack may hold values, the direction flag may be set; both must be clear.
        "cld",
        "fninit",
        "fldcw [rsp + 4]",
        "ldmxcsr [rsp]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        saved = sym SAVED,
    )
}
