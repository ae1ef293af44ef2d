//! How often stubs were called, and in which order: the number of the call decides which answer they give.

use super::CHANGED;
use crate::intact::span_of;
use crate::shared::{Single, stub_calls, stub_order};
use testwright_abi::command::Span;
use testwright_abi::memory::{MAX_STUB_ORDER, MAX_STUBS};

/// One more than the largest number of a stub that was called since the last reset.
static CALLED: Single<u32> = Single::new(0);

/// How many calls there were since the last reset.
static ORDERED: Single<u64> = Single::new(0);

/// Counts a call; gives how many there were before.
///
/// # Safety
/// The segment is mapped.
pub unsafe extern "C" fn c_tw_stub_call(stub: u32) -> u64 {
    let stub = stub.min(MAX_STUBS as u32 - 1);
    CHANGED.write(true);
    CALLED.write(CALLED.read().max(stub + 1));
    let ordered = ORDERED.read();
    ORDERED.write(ordered + 1);
    // SAFETY: there is a counter for each number below the limit, and a place for each call below it.
    unsafe {
        if ordered < MAX_STUB_ORDER {
            stub_order().add(ordered as usize).write(stub as u16);
        }
        let calls = stub_calls().add(stub as usize);
        let before = calls.read();
        calls.write(before + 1);
        before
    }
}

/// The calls since the last reset, in order; of very many the first ones.
pub fn called() -> &'static [u16] {
    // SAFETY: so many places were written, and nothing is running.
    unsafe { core::slice::from_raw_parts(stub_order(), ORDERED.read().min(MAX_STUB_ORDER) as usize) }
}

/// Where that state lies.
pub fn state() -> Vec<Span> {
    vec![span_of(CALLED.get()), span_of(ORDERED.get())]
}

/// No stub was called yet.
pub fn reset() {
    // SAFETY: as many counters as were counted on.
    unsafe { stub_calls().write_bytes(0, CALLED.read() as usize) };
    CALLED.write(0);
    ORDERED.write(0);
}
