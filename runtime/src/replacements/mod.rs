//! Replacements of C functions that make a run repeatable, or end it.
//!
//! They keep their state here rather than in libc, so that a reset is cheap: [`CHANGED`] says whether any of
//! it was touched since the last one, and a run that allocates nothing and asks no time pays one comparison.

pub mod clock;
pub mod ending;
pub mod handlers;
pub mod heap;
pub mod inputs;
pub mod precondition;
pub mod random;
pub mod stubs;

use crate::intact;
use crate::shared::Single;
use testwright_abi::command::Span;

/// Whether a replacement has changed its state since the last [`reset`].
static CHANGED: Single<bool> = Single::new(false);

/// Whether the run under way is traced: memory that a replacement writes has to be made concrete.
static TRACED: Single<bool> = Single::new(false);

/// Announces whether the coming run is traced.
pub fn set_traced(traced: bool) {
    TRACED.write(traced);
}

/// Where state lies that runs change; [`reset_all`] makes it what it was.
pub fn state() -> Vec<Span> {
    let own = [intact::span_of(CHANGED.get()), intact::span_of(TRACED.get())];
    let parts = [
        heap::state(),
        inputs::state(),
        clock::state(),
        random::state(),
        ending::state(),
        handlers::state(),
        stubs::state(),
    ];
    own.into_iter().chain(parts.into_iter().flatten()).collect()
}

/// Brings heap, clock, random numbers and handlers to their state before the first run.
#[inline]
pub fn reset() {
    if CHANGED.read() {
        reset_all();
    }
}

/// As [`reset`], whatever [`CHANGED`] says.
#[cold]
pub fn reset_all() {
    heap::reset();
    inputs::reset();
    clock::reset();
    random::reset();
    ending::reset();
    handlers::reset();
    stubs::reset();
    CHANGED.write(false);
}

/// A replacement has written `bytes` concrete bytes to `address`.
fn wrote(address: u64, bytes: u64) {
    if TRACED.read() {
        // SAFETY: the caller has just written there, so there is shadow memory for it.
        unsafe { crate::trace::functions::fill(address, 0, bytes) };
    }
}

fn set_errno(number: i32) {
    // SAFETY: libc's own place for it.
    unsafe { *libc::__errno_location() = number };
}
