//! Tracing: what instrumented code does when at least one operand is symbolic.
//!
//! The worker calls [`begin`] before a traced run and [`reset`] after it; in between, instrumented
//! code calls the table functions in [`functions`]. They build expressions (`arena`, `simplify`), keep track
//! of where in memory expressions lie (`shadow`, `access`), and record the path (`path`, `tables`).
//!
//! All state is fixed memory of a process with one thread. A run may end at any instruction, by a
//! signal or a jump out of it: what was recorded until then is complete, and the next [`begin`] starts anew.

use std::cell::UnsafeCell;
use std::io;

use testwright_abi::command::{Leaf, Span};

mod access;
mod apply;
mod arena;
mod counters;
pub mod functions;
mod index;
mod path;
mod region;
mod shadow;
mod simplify;
mod tables;
mod term;
mod variadic;
mod word;

#[cfg(test)]
mod tests;

/// The state of the traced run under way.
struct Trace {
    arena: arena::Arena,
    shadow: shadow::Shadow,
    path: path::Path,
    tables: tables::Tables,
}

struct State(UnsafeCell<Option<Trace>>);

// SAFETY: a worker has one thread; nothing else refers to the state.
unsafe impl Sync for State {}

static STATE: State = State(UnsafeCell::new(None));

/// The state, if it is prepared.
///
/// # Safety
/// No other reference to it is in use.
#[inline]
unsafe fn state() -> &'static mut Option<Trace> {
    // SAFETY: by contract.
    unsafe { &mut *STATE.0.get() }
}

/// Reserves the private memory that tracing needs, once; a fork server does it before it forks.
///
/// # Errors
/// The system refuses to map it.
pub fn prepare() -> io::Result<()> {
    prepared().map(drop)
}

fn prepared() -> io::Result<&'static mut Trace> {
    // SAFETY: the worker has one thread, and is not inside a table function.
    let state = unsafe { state() };
    if state.is_none() {
        let shadow = shadow::Shadow::map()?;
        // SAFETY: the worker mapped the shared segment at start, and its parts are lent out once: a state is
        // made only while there is none, and an attempt that fails keeps none of them.
        let (arena, path, tables) =
            unsafe { (arena::Arena::map()?, path::Path::map()?, tables::Tables::map()) };
        *state = Some(Trace { arena, shadow, path, tables });
    }
    Ok(state.as_mut().expect("set above"))
}

/// Where the state lies.
pub fn place() -> Vec<Span> {
    vec![crate::intact::span_of(STATE.0.get())]
}

/// Starts a traced run in which the `leaves`, at absolute addresses, are symbolic with their present values.
///
/// # Panics
/// The memory that [`prepare`] reserves cannot be mapped; workers call that at start to find out.
pub fn begin(leaves: &[Leaf]) {
    let trace = prepared().expect("private memory for tracing can be reserved");
    trace.shadow.clear();
    trace.arena.clear(counters::node_count());
    trace.path.clear();
    trace.tables.clear();
    counters::clear();
    for (number, leaf) in leaves.iter().enumerate() {
        let mut value = [0; 16];
        let bytes = leaf.bytes.clamp(1, 16);
        // SAFETY: a leaf lies in an input object or a global of the library; at most 16 bytes are copied.
        unsafe {
            core::ptr::copy_nonoverlapping(leaf.address as *const u8, value.as_mut_ptr(), bytes as usize);
        }
        let value = u128::from_le_bytes(value);
        let input = trace.arena.input(number as u32, 8 * bytes, value, leaf.pointer == Leaf::POINTER);
        trace.store(input, leaf.address, bytes.into());
    }
}

/// Makes all memory concrete again, at the cost of what the run touched.
pub fn reset() {
    // SAFETY: the worker has one thread, and is not inside a table function.
    if let Some(trace) = unsafe { state() } {
        trace.shadow.clear();
    }
}

/// The worker has copied `bytes` bytes from `source` to `target`: what was symbolic there is so here.
pub fn copied(target: u64, source: u64, bytes: u64) {
    // SAFETY: the worker has one thread, and is not inside a table function.
    if let Some(trace) = unsafe { state() } {
        trace.shadow.copy(target, source, bytes);
    }
}

/// Makes a range of memory concrete: it was allocated or freed.
pub fn forget(address: u64, length: u64) {
    shadow::clear(address, length);
}

/// Names the constant globals of the library in use, from which symbolic reads may be made.
///
/// # Panics
/// As [`begin`].
pub fn set_tables(tables: &[Span]) {
    prepared().expect("private memory for tracing can be reserved").tables.set(tables);
}
