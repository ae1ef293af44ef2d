//! Signals: the end of a run that the process does not survive, recorded before it goes.

use core::ptr::null_mut;

use testwright_abi::command::{Span, status};
use testwright_abi::control::{End, EndKind};
use testwright_abi::memory::{HEAP_BASE, HEAP_MAX, STACK_TOP};

use crate::effects;
use crate::intact::span_of;
use crate::protect::escape;
use crate::replacements::handlers::{self, Disposition};
use crate::replacements::heap;
use crate::shared::{Single, control, end};
use crate::space::STACK_LOW;
use crate::{native, own, stepping};

/// Every signal that would end a process and can be caught.
const FATAL: [i32; 20] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGXFSZ,
    libc::SIGXCPU,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGSTKFLT,
];

const ALTERNATE: usize = 64 << 10;
static ALTERNATE_STACK: Single<[u8; ALTERNATE]> = Single::new([0; ALTERNATE]);

/// Installs the handler for all of them, on a stack of its own. Children inherit both.
pub fn install() {
    let stack = libc::stack_t { ss_sp: ALTERNATE_STACK.get().cast(), ss_flags: 0, ss_size: ALTERNATE };
    // SAFETY: the stack is static and used for nothing else.
    unsafe { libc::sigaltstack(&raw const stack, null_mut()) };
    for number in FATAL {
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = on_signal;
        // SAFETY: all fields may be zero; the handler has the type that SA_SIGINFO asks for. NODEFER, because
        // an escape from a handler of the code under test must not leave the signal blocked.
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(number, &raw const action, null_mut());
        }
    }
}

/// What runs may change here.
pub fn state() -> Vec<Span> {
    vec![span_of(ALTERNATE_STACK.get()), span_of(SURVIVED.get())]
}

/// Whether code under test is running.
static RUNNING: Single<bool> = Single::new(false);

/// Whether a run is under way.
#[inline]
pub fn is_running() -> bool {
    RUNNING.read()
}

/// From here on a signal is the end of a run.
#[inline]
pub fn begin_run() {
    RUNNING.write(true);
}

/// From here on a signal is a fault of ours.
#[inline]
pub fn end_run() {
    RUNNING.write(false);
}

/// Whether a run that ends by a fault of its own leaves its process as it is.
static SURVIVED: Single<bool> = Single::new(false);

/// From here on faults end their run only, or no longer do.
pub fn survive(is_survived: bool) {
    SURVIVED.write(is_survived);
}

/// Signals that an instruction causes, and nobody else.
const FAULTS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

extern "C" fn on_signal(number: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes both; the control block is mapped before handlers are installed. Only
    // functions that are safe in a signal handler are called.
    unsafe {
        if number == libc::SIGSYS && (own::close_others(context.cast()) || effects::answer(info, context)) {
            return;
        }
        if number == libc::SIGTRAP && stepping::is_step((*info).si_code) {
            return;
        }
        if !RUNNING.read() {
            libc::_exit(status::INTERNAL);
        }
        let raised = (*info).si_code <= 0;
        if raised && deliver(number) {
            return;
        }
        end_run();
        let address = if raised { 0 } else { (*info).si_addr() as u64 };
        let stack_pointer = (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RSP as usize];
        (*control()).end = classify(number, address, stack_pointer as u64, (*control()).site);
        if SURVIVED.read() && !raised && FAULTS.contains(&number) {
            escape();
        }
        heap::report();
        native::report_output();
        libc::_exit(status::RECORDED);
    }
}

/// Does what the code under test wants done with a signal that it raised. False: the default.
unsafe fn deliver(number: i32) -> bool {
    match handlers::chosen(number) {
        Disposition::Default => false,
        Disposition::Ignore => number != libc::SIGABRT,
        Disposition::Call(function) => {
            // SAFETY: the code under test registered it as a handler; what it does is its own affair.
            unsafe {
                let function: unsafe extern "C" fn(i32) = core::mem::transmute(function as usize);
                function(number);
            }
            number != libc::SIGABRT
        }
    }
}

fn classify(number: i32, address: u64, stack_pointer: u64, site: u32) -> End {
    let memory = number == libc::SIGSEGV || number == libc::SIGBUS;
    let kind = if memory && is_overflow(address, stack_pointer) {
        EndKind::StackOverflow
    } else if number == libc::SIGABRT {
        EndKind::Abort
    } else {
        EndKind::Signal
    };
    End { code: number, site, address, ..end(kind) }
}

/// Nothing is mapped between heap and stack. A frame of many gigabytes may reach past that gap: then
/// the stack pointer is outside the stack and the access is near it.
fn is_overflow(address: u64, stack_pointer: u64) -> bool {
    let in_gap = (HEAP_BASE + HEAP_MAX..STACK_LOW).contains(&address);
    let off_stack = !(STACK_LOW..STACK_TOP).contains(&stack_pointer);
    in_gap || off_stack && address.abs_diff(stack_pointer) < 64 << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_below_the_stack_is_an_overflow_and_one_elsewhere_is_a_signal() {
        let kind = |address, stack| classify(libc::SIGSEGV, address, stack, 7).kind;
        assert_eq!(kind(STACK_LOW - 8, STACK_LOW + 64), EndKind::StackOverflow as u32);
        assert_eq!(kind(STACK_LOW - (1 << 32), STACK_LOW - (1 << 32)), EndKind::StackOverflow as u32);
        assert_eq!(kind(0, STACK_TOP - 4096), EndKind::Signal as u32);
        assert_eq!(kind(HEAP_BASE + 4096, STACK_TOP - 4096), EndKind::Signal as u32);
        let abort = classify(libc::SIGABRT, 0, STACK_TOP - 4096, 7);
        assert_eq!((abort.kind, abort.site), (EndKind::Abort as u32, 7));
    }
}
