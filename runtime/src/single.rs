//! Runs of the case that the host has laid out: one, or many of the same for measuring.

use std::time::Instant;

use testwright_abi::control::EndKind;
use testwright_abi::memory::STACK_SIZE;

use crate::protect::{Way, call_protected};
use crate::replacements::{self, heap};
use crate::request::{Call, Read, Request};
use crate::reset::Reset;
use crate::shared::{control, end};
use crate::space::{self, STACK_LOW};
use crate::{native, signals, stepping, trace};

/// Which build is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The inputs are just values.
    Plain,
    /// The leaves are symbolic.
    Traced,
}

/// One run. Returns the nanoseconds that the function took.
pub fn once(request: &Request, mode: Mode) -> u64 {
    let reset = Reset::once(request);
    // What is left on the stack by earlier runs is visible to code that reads uninitialised variables.
    space::drop_pages(STACK_LOW, STACK_SIZE);
    native::truncate_output();
    let nanoseconds = run(request, &reset, mode, drive);
    if reset.has_output() {
        native::flush();
    }
    native::report_output();
    nanoseconds
}

/// `count` runs, each from the same state. Returns the nanoseconds of all, reset included.
pub fn repeat(request: &Request, mode: Mode) -> u64 {
    let reset = Reset::repeated(request);
    let start = Instant::now();
    for _ in 0..request.command.count {
        run(request, &reset, mode, drive);
        if reset.has_output() {
            native::flush();
            native::truncate_output();
        }
    }
    start.elapsed().as_nanos() as u64
}

/// `count` runs, each from the same state. The control block says how many instructions the last one took.
pub fn count(request: &Request, mode: Mode) -> u64 {
    let reset = Reset::repeated(request);
    let mut nanoseconds = 0;
    for left in (0..request.command.count).rev() {
        nanoseconds = run(request, &reset, mode, if left == 0 { step } else { drive });
        stepping::end();
    }
    nanoseconds
}

fn run(request: &Request, reset: &Reset, mode: Mode, drive: unsafe extern "C" fn(*mut Call)) -> u64 {
    reset.full();
    if mode == Mode::Traced {
        begin_trace(request);
    }
    request.reads.iter().for_each(Read::before);
    let control = control();
    let mut call = request.call();
    // SAFETY: the control block is mapped; the driver is called inside a protected call.
    let (way, nanoseconds) = unsafe {
        (*control).end = end(EndKind::None);
        (*control).site = u32::MAX;
        (*control).preparing = 0;
        (*control).mutant = request.command.mutant;
        (*control).steps_left = request.command.steps;
        signals::begin_run();
        let start = Instant::now();
        let way = call_protected(drive, &raw mut call);
        let nanoseconds = start.elapsed().as_nanos() as u64;
        signals::end_run();
        call.escaped();
        (way, nanoseconds)
    };
    replacements::set_traced(false);
    if way == Way::Returned {
        // SAFETY: as above.
        unsafe { (*control).end = end(EndKind::Returned) };
        request.reads.iter().for_each(|read| read.after(request.library));
    }
    heap::report();
    nanoseconds
}

unsafe extern "C" fn drive(call: *mut Call) {
    // SAFETY: `run` passes a valid call, inside a protected call.
    unsafe { (*call).run() }
}

unsafe extern "C" fn step(call: *mut Call) {
    // SAFETY: as in `drive`; `count` ends the stepping.
    unsafe { (*call).step() }
}

/// A clean shadow, empty argument cells (an escape may have left some), and the leaves symbolic.
fn begin_trace(request: &Request) {
    // SAFETY: the control block is mapped.
    unsafe {
        (*control()).variadic_count = 0;
    }
    trace::reset();
    trace::begin(&request.leaves);
    replacements::set_traced(true);
}
