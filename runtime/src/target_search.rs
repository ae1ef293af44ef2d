//! The loops of a target search: ask for values, run, judge, tell; or judge rows of values. No message per run.
//!
//! As in the batch loop, everything goes on inside the protected call until a run escapes, and nothing that is needed then
//! may be in registers only: the state of the target search stands in shared memory. That also lets the host judge a run that took
//! the process with it, and go on from there.

use std::ptr::{with_exposed_provenance_mut, write_unaligned};
use std::time::{Duration, Instant};

use testwright_abi::climb::Variable;
use testwright_abi::command::Refusal;
use testwright_abi::control::EndKind;
use testwright_abi::draw::image;
use testwright_abi::fitness::{Fitness, Level};
use testwright_abi::memory::DISTANCE_NONE;
use testwright_abi::target_search::{
    KnownEnd, MAX_KNOWN, MAX_LEVELS, MAX_ROW_VALUES, MAX_ROWS, MAX_VARIABLES, Stop, TargetSearch, judge,
};

use crate::native;
use crate::protect::{Way, call_protected};
use crate::replacements::heap;
use crate::request::{Call, Request};
use crate::reset::Reset;
use crate::shared::{control, coverage, distances, end, target_search};
use crate::{readable, shared, signals};

/// After so many runs the clock is looked at.
const RUNS_PER_LOOK: u64 = 64;

/// What the loop needs; it lives outside the protected call.
struct Chase<'a> {
    call: Call<'a>,
    variables: Vec<Variable>,
    levels: Vec<Level>,
    steps: i64,
    reset: &'a Reset<'a>,
    runs: u64,
    deadline: Instant,
}

/// Moves the climber on. Returns the nanoseconds that took.
pub fn climb(request: &Request) -> Result<u64, Refusal> {
    chase::<true>(request)
}

/// Evaluates the rows. Returns the nanoseconds that took.
pub fn score(request: &Request) -> Result<u64, Refusal> {
    chase::<false>(request)
}

fn chase<const CLIMB: bool>(request: &Request) -> Result<u64, Refusal> {
    let reset = Reset::repeated(request);
    let mut chase = Chase::read::<CLIMB>(request, &reset)?;
    let body = if reset.is_light() { iterate::<CLIMB, false> } else { iterate::<CLIMB, true> };
    readable::set(request);
    let start = Instant::now();
    // SAFETY: the control block and the area of target searches are mapped; the loop owns nothing and may be left anywhere.
    unsafe {
        (*target_search()).stop = Stop::None as u32;
        (*control()).site = u32::MAX;
        (*control()).preparing = 0;
        (*control()).end = end(EndKind::None);
        signals::begin_run();
        while call_protected(body, &raw mut chase) == Way::Escaped {
            if reset.has_output() {
                native::flush();
                native::truncate_output();
            }
            chase.call.escaped();
            let ended = (*control()).end;
            let way = KnownEnd { kind: ended.kind, code: ended.code, site: ended.site };
            let known =
                &(&(*target_search()).known)[..((*target_search()).known_count as usize).min(MAX_KNOWN)];
            if (*target_search()).stop_at_new_end == 1 && !known.contains(&way) {
                (*target_search()).stop = Stop::NewEnd as u32;
                break;
            }
            (*control()).end = end(EndKind::None);
            if chase.finish::<CLIMB>() {
                break;
            }
        }
        signals::end_run();
    }
    heap::report();
    Ok(start.elapsed().as_nanos() as u64)
}

impl<'a> Chase<'a> {
    /// Copies what the host has described out of shared memory, where the code under test could change it.
    fn read<const CLIMB: bool>(request: &'a Request, reset: &'a Reset<'a>) -> Result<Chase<'a>, Refusal> {
        // SAFETY: the area of target searches is mapped, and its parts have room for what their limits say.
        unsafe {
            let area: TargetSearch = target_search().read();
            let values = u64::from(area.row_count) * u64::from(area.variable_count);
            let fits = u64::from(area.variable_count) <= MAX_VARIABLES
                && u64::from(area.level_count) <= MAX_LEVELS
                && (CLIMB || u64::from(area.row_count) <= MAX_ROWS && values <= MAX_ROW_VALUES);
            if !fits {
                return Err(Refusal::Request);
            }
            let mut variables =
                core::slice::from_raw_parts(shared::variables(), area.variable_count as usize).to_vec();
            for variable in &mut variables {
                variable.address = request.place(variable.address);
            }
            let levels = core::slice::from_raw_parts(shared::levels(), area.level_count as usize).to_vec();
            let outcomes = request.command.outcome_count;
            if levels.iter().any(|level| level.outcome >= outcomes) || area.target >= outcomes {
                return Err(Refusal::Request);
            }
            let deadline = Instant::now() + Duration::from_nanos(area.nanoseconds);
            let (call, steps) = (request.call(), request.command.steps);
            Ok(Chase { call, variables, levels, steps, reset, runs: 0, deadline })
        }
    }

    /// Whether there is something to evaluate next; its values then stand in the climber's values or the row.
    #[inline(always)]
    unsafe fn begin<const CLIMB: bool>(&mut self) -> Option<*mut u64> {
        let search = target_search();
        // SAFETY: the area of target searches is mapped, and nothing else holds a reference to it while no run is under way.
        unsafe {
            if self.runs.is_multiple_of(RUNS_PER_LOOK) && Instant::now() >= self.deadline {
                (*search).stop = Stop::Time as u32;
                return None;
            }
            self.runs += 1;
            if CLIMB {
                if (*search).climber.evaluations >= (*search).evaluations {
                    (*search).stop = Stop::Evaluations as u32;
                    return None;
                }
                let values = core::slice::from_raw_parts_mut(shared::values(), self.variables.len());
                (*search).climber.ask(&self.variables, values);
                return Some(shared::values());
            }
            if (*search).row >= (*search).row_count {
                (*search).stop = Stop::Evaluations as u32;
                return None;
            }
            Some(shared::rows().add((*search).row as usize * self.variables.len()))
        }
    }

    /// Judges the run that is over, and tells. Whether the target was hit.
    #[inline(always)]
    unsafe fn finish<const CLIMB: bool>(&mut self) -> bool {
        let search = target_search();
        // SAFETY: as in `begin`; outcomes were checked to lie in the maps.
        unsafe {
            let is_hit = |outcome: u32| coverage().add(outcome as usize).read() != 0;
            let distance = |outcome: u32| {
                Some(distances().add(outcome as usize).read()).filter(|distance| *distance != DISTANCE_NONE)
            };
            let fitness = judge(&*search, &self.levels, is_hit, distance);
            if CLIMB {
                let values = core::slice::from_raw_parts_mut(shared::values(), self.variables.len());
                (*search).climber.tell(&self.variables, values, fitness);
            } else {
                shared::scores().add(((*search).row as usize).min(MAX_ROWS as usize - 1)).write(fitness);
            }
            if fitness.is_hit() {
                (*search).stop = Stop::Hit as u32;
                return true;
            }
            if !CLIMB {
                (*search).row += 1;
            }
            false
        }
    }

    /// Forgets what the run before left in the maps.
    #[inline(always)]
    unsafe fn clear(&self) {
        // SAFETY: outcomes were checked to lie in the maps, which are mapped as the area of target searches is.
        unsafe {
            for level in &self.levels {
                coverage().add(level.outcome as usize).write_volatile(0);
                distances().add(level.outcome as usize).write_volatile(DISTANCE_NONE);
            }
            (&raw mut (*target_search()).fitness).write_volatile(Fitness::WORST);
        }
    }
}

/// The loop. `FULL`: there is more to reset than the light part.
unsafe extern "C" fn iterate<const CLIMB: bool, const FULL: bool>(chase: *mut Chase) {
    // SAFETY: `chase` passes a valid one and does not touch it meanwhile.
    unsafe {
        while let Some(values) = (*chase).begin::<CLIMB>() {
            if FULL {
                (*chase).reset.full();
            } else {
                (*chase).reset.light();
            }
            put_all(&(*chase).variables, values);
            (*chase).clear();
            (&raw mut (*control()).steps_left).write_volatile((*chase).steps);
            (*chase).call.run();
            if FULL && (*chase).reset.has_output() {
                native::flush();
                native::truncate_output();
            }
            if (*chase).finish::<CLIMB>() {
                return;
            }
        }
    }
}

/// Puts values in their places.
#[inline(always)]
unsafe fn put_all(variables: &[Variable], values: *const u64) {
    for (index, variable) in variables.iter().enumerate() {
        let place = with_exposed_provenance_mut::<u8>(variable.address as usize);
        // SAFETY: there is a value for each variable. The host names places in input objects and globals; another one
        // faults as an access of the code under test.
        unsafe {
            let bits = values.add(index).read();
            match variable.bytes {
                1 => write_unaligned(place, bits as u8),
                2 => write_unaligned(place.cast(), bits as u16),
                4 => write_unaligned(place.cast(), bits as u32),
                8 => write_unaligned(place.cast(), bits),
                _ => write_unaligned(place.cast(), image(&variable.draw(), bits)),
            }
        }
    }
}
