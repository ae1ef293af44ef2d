//! The shared segment as the worker sees it, and statics of a process that has one thread.

use core::cell::UnsafeCell;
use std::ptr::with_exposed_provenance_mut;

use crate::intact;
use testwright_abi::climb::Variable;
use testwright_abi::command::{Command, Kept, Span};
use testwright_abi::control::{Control, End, EndKind};
use testwright_abi::fitness::{Fitness, Level};
use testwright_abi::memory::{
    CONTROL_OFFSET, COVERAGE_OFFSET, DISTANCE_OFFSET, FREED_OFFSET, KEPT_OFFSET, REQUEST_OFFSET, SHARED_BASE,
    STUB_CALLS_OFFSET, STUB_ORDER_OFFSET, TARGET_SEARCH_OFFSET,
};
use testwright_abi::mutant::{LIST_OFFSET, RESULTS_OFFSET};
use testwright_abi::target_search::{
    CELLS_OFFSET, LEVELS_OFFSET, NODES_OFFSET, ROWS_OFFSET, SCORES_OFFSET, TargetSearch, VALUES_OFFSET,
    VARIABLES_OFFSET, WORDS_OFFSET,
};

/// A static of a process that has only one thread.
pub struct Single<T>(UnsafeCell<T>);

// SAFETY: a worker has one thread, and its filter refuses new ones to the code under test.
unsafe impl<T> Sync for Single<T> {}

impl<T> Single<T> {
    pub const fn new(value: T) -> Single<T> {
        Single(UnsafeCell::new(value))
    }

    /// Where the value is. Whoever dereferences it must not hold another reference at that time.
    pub const fn get(&self) -> *mut T {
        self.0.get()
    }
}

impl<T: Copy> Single<T> {
    pub fn read(&self) -> T {
        // SAFETY: the value is initialised and nothing runs at the same time.
        unsafe { self.0.get().read() }
    }

    pub fn write(&self, value: T) {
        // SAFETY: as above; a `Copy` value needs no drop.
        unsafe { self.0.get().write(value) }
    }
}

/// The command that is carried out.
pub static COMMAND: Single<Command> = Single::new(Command::NONE);

/// What each command sets.
pub fn state() -> Vec<Span> {
    vec![intact::span_of(COMMAND.get())]
}

/// The control block; may be dereferenced once `space::map` has succeeded.
pub const fn control() -> *mut Control {
    at(CONTROL_OFFSET)
}

/// The coverage map.
pub const fn coverage() -> *mut u8 {
    at(COVERAGE_OFFSET)
}

/// The calls of stubs, as many as there may be stubs.
pub const fn stub_calls() -> *mut u64 {
    at(STUB_CALLS_OFFSET)
}

/// The order of the calls of stubs.
pub const fn stub_order() -> *mut u16 {
    at(STUB_ORDER_OFFSET)
}

/// Which input objects were freed.
pub const fn freed() -> *mut u8 {
    at(FREED_OFFSET)
}

/// The distance map.
pub const fn distances() -> *mut u64 {
    at(DISTANCE_OFFSET)
}

/// The descriptors that go with the command.
pub const fn request() -> *mut u8 {
    at(REQUEST_OFFSET)
}

/// The list of kept iterations.
pub const fn kept() -> *mut Kept {
    at(KEPT_OFFSET)
}

/// The mutants that a command is about.
pub const fn listed() -> *mut u32 {
    at(LIST_OFFSET)
}

/// What came of them.
pub const fn results() -> *mut u8 {
    at(RESULTS_OFFSET)
}

/// The start of the area of target searches.
pub const fn target_search() -> *mut TargetSearch {
    at(TARGET_SEARCH_OFFSET)
}

/// The variables of the target search.
pub const fn variables() -> *const Variable {
    at(VARIABLES_OFFSET)
}

/// The outcomes on the way to the target.
pub const fn levels() -> *const Level {
    at(LEVELS_OFFSET)
}

/// The values of the climber.
pub const fn values() -> *mut u64 {
    at(VALUES_OFFSET)
}

/// Where the words of each node start.
pub const fn search_nodes() -> *const u32 {
    at(NODES_OFFSET)
}

/// The words of path conditions.
pub const fn words() -> *const u32 {
    at(WORDS_OFFSET)
}

/// The distance cells.
pub const fn cells() -> *const u64 {
    at(CELLS_OFFSET)
}

/// The fitness of the rows.
pub const fn scores() -> *mut Fitness {
    at(SCORES_OFFSET)
}

/// The rows.
pub const fn rows() -> *mut u64 {
    at(ROWS_OFFSET)
}

const fn at<T>(offset: u64) -> *mut T {
    with_exposed_provenance_mut((SHARED_BASE + offset) as usize)
}

/// An end without details.
pub const fn end(kind: EndKind) -> End {
    End { kind: kind as u32, code: 0, site: u32::MAX, reserved: 0, address: 0 }
}
