//! The batch loop: draw, run, and keep only what brought news, without a message per run.
//!
//! The loop itself runs inside the protected call, so that an iteration pays for no more than a few
//! stores; it is entered again only after an escape. It must leave nothing in registers that is needed
//! then: the iteration under way stands in the control block.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut, write_unaligned};
use std::time::Instant;

use testwright_abi::command::Kept;
use testwright_abi::control::{Control, End, EndKind};
use testwright_abi::draw::{Draw, DrawKind, Rng, image, value};
use testwright_abi::memory::MAX_KEPT;

use crate::native;
use crate::protect::{Way, call_protected};
use crate::replacements::heap;
use crate::request::{Call, Request};
use crate::reset::Reset;
use crate::shared::{control, end, kept};
use crate::signals;

/// What the loop needs; it lives outside the protected call.
struct Batch<'a> {
    call: Call<'a>,
    draws: &'a [Draw],
    seed: u64,
    steps: i64,
    /// The iteration to begin with, and the one not to run any more.
    first: u64,
    after_last: u64,
    /// News that are accounted for in the kept list.
    counted: u64,
    reset: &'a Reset<'a>,
}

/// Runs a batch. Returns its nanoseconds.
pub fn run(request: &Request) -> u64 {
    let reset = Reset::repeated(request);
    let body = if reset.is_light() { iterate::<false> } else { iterate::<true> };
    let mut ways = Vec::new();
    let mut batch = Batch::new(request, &reset);
    let start = Instant::now();
    // SAFETY: the control block is mapped; the loop owns nothing and may be left anywhere.
    unsafe {
        (*control()).site = u32::MAX;
        (*control()).preparing = 0;
        (*control()).end = end(EndKind::None);
        signals::begin_run();
        while batch.first < batch.after_last && call_protected(body, &raw mut batch) == Way::Escaped {
            after_escape(&mut batch, &mut ways);
        }
        signals::end_run();
    }
    heap::report();
    start.elapsed().as_nanos() as u64
}

/// Draws and calls, nothing else: the yardstick for [`run`]. Returns its nanoseconds.
pub fn run_bare(request: &Request) -> u64 {
    let reset = Reset::once(request);
    let mut batch = Batch::new(request, &reset);
    let start = Instant::now();
    // SAFETY: as in `run`. An escape ends the measurement, and the iteration tells the host.
    unsafe {
        (*control()).steps_left = i64::MAX;
        signals::begin_run();
        call_protected(iterate_bare, &raw mut batch);
        signals::end_run();
    }
    start.elapsed().as_nanos() as u64
}

impl<'a> Batch<'a> {
    fn new(request: &'a Request, reset: &'a Reset<'a>) -> Batch<'a> {
        let command = &request.command;
        Batch {
            call: request.call(),
            draws: &request.draws,
            seed: command.seed,
            steps: command.steps,
            first: command.first,
            after_last: command.first.saturating_add(command.count),
            counted: 0,
            reset,
        }
    }
}

/// The loop. `FULL`: there is more to reset than the light part.
unsafe extern "C" fn iterate<const FULL: bool>(batch: *mut Batch) {
    let control = control();
    // SAFETY: `run` passes a valid batch and does not touch it meanwhile; the control block is mapped. Fields
    // that the code under test or an escape can see are accessed through volatile pointers.
    unsafe {
        let Batch { call, draws, seed, steps, first, after_last, reset, .. } = *batch;
        let mut iteration = first;
        let mut counted = (*batch).counted;
        while iteration < after_last {
            (&raw mut (*control).iteration).write_volatile(iteration);
            if FULL {
                reset.full();
            } else {
                reset.light();
            }
            draw_all(draws, seed, iteration);
            (&raw mut (*control).steps_left).write_volatile(steps);
            call.run();
            if FULL && reset.has_output() {
                native::flush();
                native::truncate_output();
            }
            iteration += 1;
            let news = (&raw const (*control).news).read_volatile();
            if news != counted {
                let kept =
                    Kept { iteration: iteration - 1, news: news - counted, end: end(EndKind::Returned) };
                counted = news;
                (&raw mut (*batch).counted).write_volatile(counted);
                if !keep(control, kept) {
                    break;
                }
            }
        }
        (&raw mut (*control).iteration).write_volatile(iteration);
    }
}

unsafe extern "C" fn iterate_bare(batch: *mut Batch) {
    // SAFETY: `run_bare` passes a valid batch.
    unsafe {
        let Batch { call, draws, seed, first, after_last, .. } = *batch;
        for iteration in first..after_last {
            draw_all(draws, seed, iteration);
            call.run();
        }
        (*control()).iteration = after_last;
    }
}

/// Accounts for an iteration that was left by an escape, and moves on to the next.
unsafe fn after_escape(batch: &mut Batch, ways: &mut Vec<(u32, i32, u32)>) {
    let control = control();
    // SAFETY: the control block is mapped and nothing is running.
    unsafe {
        if batch.reset.has_output() {
            native::flush();
            native::truncate_output();
        }
        batch.call.escaped();
        let ended: End = (*control).end;
        let iteration = (*control).iteration;
        let news = (*control).news - batch.counted;
        let way = (ended.kind, ended.code, ended.site);
        let is_first = !ways.contains(&way);
        if is_first {
            ways.push(way);
        }
        batch.first = iteration + 1;
        batch.counted = (*control).news;
        (*control).iteration = batch.first;
        (*control).end = end(EndKind::None);
        if (news > 0 || is_first) && !keep(control, Kept { iteration, news, end: ended }) {
            batch.after_last = batch.first;
        }
    }
}

/// Appends to the kept list. False: the list is full now, and the batch has to stop.
#[cold]
unsafe fn keep(control: *mut Control, entry: Kept) -> bool {
    // SAFETY: the list is mapped, and the count is below its length: a full list stops the batch.
    unsafe {
        let count = (*control).kept_count.min(MAX_KEPT - 1);
        kept().add(count as usize).write(entry);
        (*control).kept_count = count + 1;
        count + 1 < MAX_KEPT
    }
}

/// Puts the values of an iteration in their places.
#[inline(always)]
unsafe fn draw_all(draws: &[Draw], seed: u64, iteration: u64) {
    let mut rng = Rng::new(seed, iteration);
    for draw in draws {
        let place = with_exposed_provenance_mut::<u8>(draw.address as usize);
        if draw.kind == DrawKind::Same as u32 {
            let other = with_exposed_provenance::<u8>(draw.low as usize);
            // SAFETY: as below; the places of two draws do not overlap.
            unsafe { place.copy_from_nonoverlapping(other, draw.bytes as usize) };
            continue;
        }
        let bits = value(draw, &mut rng);
        // SAFETY: the host names places in input objects; another one faults as an access of the code under test.
        unsafe {
            match draw.bytes {
                1 => write_unaligned(place, bits as u8),
                2 => write_unaligned(place.cast(), bits as u16),
                4 => write_unaligned(place.cast(), bits as u32),
                8 => write_unaligned(place.cast(), bits),
                _ => write_unaligned(place.cast(), image(draw, bits)),
            }
        }
    }
}
