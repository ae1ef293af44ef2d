//! The fields of the control block that tracing keeps.
//!
//! They are read and written in place: the host looks at them even after a crash.

use testwright_abi::control::{Control, Variadic};
use testwright_abi::memory::{CONTROL_OFFSET, SHARED_BASE};

const CONTROL: *mut Control = (SHARED_BASE + CONTROL_OFFSET) as *mut Control;

macro_rules! counters {
    ($($get:ident $set:ident;)*) => {$(
        #[inline]
        pub(super) fn $get() -> u32 {
            // SAFETY: the control block is mapped while the process lives, and the worker has one thread.
            unsafe { (*CONTROL).$get }
        }

        #[inline]
        pub(super) fn $set(value: u32) {
            // SAFETY: as above.
            unsafe { (*CONTROL).$get = value };
        }
    )*};
}

counters! {
    node_count set_node_count;
    event_count set_event_count;
    tables_used set_tables_used;
    table_count set_table_count;
    stale_count set_stale_count;
}

/// Something did not fit; it was made concrete.
#[cold]
pub(super) fn overflow() {
    // SAFETY: the control block is mapped, and the worker has one thread.
    unsafe { (*CONTROL).overflowed = 1 };
}

/// An expression was dropped because the machine disagrees with it.
#[cold]
pub(super) fn stale() {
    set_stale_count(stale_count().saturating_add(1));
}

/// State of the control block at the start of a traced run.
pub(super) fn clear() {
    set_node_count(1);
    set_event_count(0);
    set_tables_used(0);
    set_table_count(0);
    set_stale_count(0);
    // SAFETY: the control block is mapped, the worker has one thread, and no code under test runs now.
    unsafe {
        (*CONTROL).overflowed = 0;
        (*CONTROL).variadic_count = 0;
    }
}

/// The variadic argument at `index` of the call under way, if there is one.
pub(super) fn variadic_argument(index: usize) -> Option<Variadic> {
    // SAFETY: the control block is mapped, and the worker has one thread.
    unsafe {
        let count = usize::try_from((*CONTROL).variadic_count).ok()?;
        let cells = &(*CONTROL).variadic;
        if index < count { cells.get(index).copied() } else { None }
    }
}
