//! Mutants at work: what a point of the mutant build goes on with, and the loop that tries many mutants on one case.
//!
//! The loop runs the original twice, the second time with a look at which mutants would have changed a value; only those are run,
//! each from the same state. No message per run. A run that takes its process with it leaves its place in the list behind, so
//! that the host goes on after it.

use std::time::Instant;

use testwright_abi::command::{Refusal, needs};
use testwright_abi::control::EndKind;
use testwright_abi::memory::MAX_OUTCOMES;
use testwright_abi::mutant::{LOOK, MAX_LISTED, ORIGINAL, Point, result, selecting};

use crate::observe::observed;
use crate::protect::{Way, call_protected};
use crate::replacements::heap;
use crate::request::{Call, Request};
use crate::reset::Reset;
use crate::shared::{control, coverage, end, listed, results};
use crate::{native, signals};

/// A mutant may take so many times the steps of the original, and so many besides. Loops account for 1,024 steps at once.
const TIMES_THE_STEPS: i64 = 4;
const STEPS_BESIDES: i64 = 8_192;

/// The value of a point, or what the selected one of its mutants computes instead.
///
/// # Safety
/// The segment is mapped.
pub unsafe extern "C" fn mutate(first: u32, point: u32, a: u64, b: u64, value: u64) -> u64 {
    // SAFETY: the control block is mapped.
    let selected = unsafe { (*control()).mutant };
    if selected == ORIGINAL { value } else { changed(selected, first, point, (a, b), value) }
}

/// The value of an element of a table, or one more if the selected mutant is that element's.
///
/// # Safety
/// The segment is mapped.
pub unsafe extern "C" fn mutate_element(first: u32, count: u32, index: u64, value: u64) -> u64 {
    // SAFETY: the control block is mapped.
    let selected = unsafe { (*control()).mutant };
    let mutant = u64::from(first) + index;
    if selected == ORIGINAL || index >= u64::from(count) || mutant >= MAX_OUTCOMES {
        return value;
    }
    if selected == LOOK {
        // SAFETY: the map has room for so many marks, and no outcomes of this build stand there.
        unsafe { coverage().add(mutant as usize).write(1) };
    }
    if u64::from(selected) == mutant + 1 { value.wrapping_add(1) } else { value }
}

fn changed(selected: u32, first: u32, point: u32, (a, b): (u64, u64), value: u64) -> u64 {
    if selected != LOOK && selected <= first {
        return value;
    }
    let Some(point) = Point::from_number(point) else { return value };
    let changes = point.operation.changes();
    if selected != LOOK {
        let change = changes.get((selected - selecting(first)) as usize);
        return change.map_or(value, |change| point.changed(*change, a, b, value));
    }
    for (mutant, change) in (u64::from(first)..MAX_OUTCOMES).zip(changes) {
        if point.changed(*change, a, b, value) != value {
            // SAFETY: the map has room for so many marks, and no outcomes of this build stand there.
            unsafe { coverage().add(mutant as usize).write(1) };
        }
    }
    value
}

/// Tries the listed mutants on the case, from the first one that the host names on. Returns the nanoseconds that took.
pub fn run(request: &Request) -> Result<u64, Refusal> {
    let command = &request.command;
    if command.count > MAX_LISTED || command.first > command.count {
        return Err(Refusal::Request);
    }
    // SAFETY: the list is mapped, and its length was checked.
    let list = unsafe { core::slice::from_raw_parts(listed(), command.count as usize) }.to_vec();
    if list.iter().any(|mutant| u64::from(*mutant) >= MAX_OUTCOMES) {
        return Err(Refusal::Request);
    }
    let start = Instant::now();
    let reset = Reset::repeated(request);
    let trial = Trial { request, reset: &reset };
    let (original, steps) = trial.outcome(ORIGINAL, command.steps);
    for mutant in &list {
        // SAFETY: the map is mapped, and the number was checked.
        unsafe { coverage().add(*mutant as usize).write(0) };
    }
    let (again, _) = trial.outcome(LOOK, command.steps);
    let most = command.steps.min(steps.saturating_mul(TIMES_THE_STEPS).saturating_add(STEPS_BESIDES));
    // SAFETY: as above.
    let marks: Vec<bool> =
        list.iter().map(|mutant| unsafe { coverage().add(*mutant as usize).read() } != 0).collect();
    // Locks of the C library, or what it keeps of its streams, do not survive a run that is left in the middle.
    signals::survive(request.library.needs & (needs::STREAMS | needs::UNKNOWN) == 0);
    for (index, mutant) in list.iter().enumerate().skip(command.first as usize) {
        // SAFETY: the control block and the results are mapped, and there are as many results as mutants.
        let put = |result: u8| unsafe {
            (*control()).iteration = index as u64;
            results().add(index).write_volatile(result);
        };
        if original != again {
            put(result::UNSTABLE);
        } else if !marks[index] {
            put(result::SAME);
        } else {
            put(result::KILLED);
            if trial.outcome(selecting(*mutant), most).0 == original {
                put(result::UNSEEN);
            }
        }
    }
    signals::survive(false);
    // SAFETY: the control block is mapped.
    unsafe {
        (*control()).mutant = ORIGINAL;
        (*control()).end = end(EndKind::Returned);
    }
    Ok(start.elapsed().as_nanos() as u64)
}

/// Runs of a case.
struct Trial<'a> {
    request: &'a Request<'a>,
    reset: &'a Reset<'a>,
}

impl Trial<'_> {
    /// What a run with a mutant shows, as a number, and how many steps it took.
    fn outcome(&self, selected: u32, steps: i64) -> (u64, i64) {
        self.reset.full();
        let mut call = self.request.call();
        // SAFETY: the control block is mapped; the driver is called inside a protected call.
        let way = unsafe {
            (*control()).end = end(EndKind::None);
            (*control()).site = u32::MAX;
            (*control()).preparing = 0;
            (*control()).mutant = selected;
            (*control()).steps_left = steps;
            signals::begin_run();
            let way = call_protected(drive, &raw mut call);
            signals::end_run();
            call.escaped();
            (*control()).mutant = ORIGINAL;
            if way == Way::Returned {
                (*control()).end = end(EndKind::Returned);
            }
            way
        };
        heap::report();
        let mut printed = 0;
        if self.reset.has_output() {
            native::flush();
            printed = native::output_digest();
            native::truncate_output();
        }
        // SAFETY: as above.
        let left = unsafe { (*control()).steps_left };
        (observed(self.request, way) ^ printed, steps.saturating_sub(left))
    }
}

unsafe extern "C" fn drive(call: *mut Call) {
    // SAFETY: `outcome` passes a valid call, inside a protected call.
    unsafe { (*call).run() }
}
