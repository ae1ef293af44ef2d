//! Input objects that the code under test frees: callers of such a function allocate what they hand over.
//!
//! Freeing an object of the case is noted where the host looks, and its pages become inaccessible until the next run,
//! so that using it again is a fault, and freeing it again is no less wrong than freeing anything else.

use super::CHANGED;
use crate::intact::span_of;
use crate::shared::{COMMAND, Single, freed, request};
use crate::space;
use testwright_abi::command::Span;
use testwright_abi::memory::{MAX_OBJECTS, PAGE};

/// So many objects are made inaccessible in one run; those beyond are only noted.
const MOST: usize = 256;

/// Pages that were made inaccessible since the last reset: start and length.
struct Closed {
    ranges: [(u64, u64); MOST],
    count: usize,
}

static CLOSED: Single<Closed> = Single::new(Closed { ranges: [(0, 0); MOST], count: 0 });

/// The input object that begins at an address and was not freed yet: its number and its length.
pub fn find(address: u64) -> Option<(usize, u64)> {
    // SAFETY: the request area is mapped, and the host does not change it during a run.
    let (command, objects) = unsafe {
        let command = COMMAND.read();
        let count = u64::from(command.object_count).min(MAX_OBJECTS) as usize;
        (command, core::slice::from_raw_parts(request().cast_const().cast::<Span>(), count))
    };
    if address == command.arguments || address == command.result {
        return None;
    }
    let number = objects.iter().position(|object| object.address == address)?;
    // SAFETY: there is a mark for each number below the limit.
    let is_freed = unsafe { freed().add(number).read() } != 0;
    (!is_freed).then_some((number, objects[number].length))
}

/// Frees the input object with this number, which begins at `address`.
pub fn release(number: usize, address: u64, length: u64) {
    CHANGED.write(true);
    // SAFETY: `find` has given a number below the limit; nothing else holds a reference to the ranges.
    let closed = unsafe {
        freed().add(number).write(1);
        &mut *CLOSED.get()
    };
    let start = address / PAGE * PAGE;
    let end = (address + length).next_multiple_of(PAGE);
    if length > 0 && closed.count < MOST && space::close(start, end - start) {
        closed.ranges[closed.count] = (start, end - start);
        closed.count += 1;
    }
}

/// Where that state lies.
pub fn state() -> Vec<Span> {
    vec![span_of(CLOSED.get())]
}

/// Makes everything accessible again, and forgets what was freed.
pub fn reset() {
    // SAFETY: no code under test is running, and nothing else holds a reference.
    let closed = unsafe { &mut *CLOSED.get() };
    for (start, length) in &closed.ranges[..closed.count] {
        space::open(*start, *length);
    }
    closed.count = 0;
    // SAFETY: as many marks as there may be objects.
    unsafe { freed().write_bytes(0, COMMAND.read().object_count.min(MAX_OBJECTS as u32) as usize) };
}
