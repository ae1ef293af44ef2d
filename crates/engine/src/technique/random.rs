//! Random runs as a bidder: batches of them inside the worker, near the speed of the code itself.

use super::input_search::roomy;
use super::{Bidder, Step};
use crate::failure::Failure;
use crate::schedule::SearchState;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::run::End;
use testwright_exec::image::{Domains, Image, Root, Start};
use testwright_exec::{Draws, Sample, Variable};
use testwright_search::concolic::StopReason;
use testwright_search::heuristics::Heuristic;
use testwright_search::sbst::Settings;
use testwright_search::tree::RunId;

/// How long a batch should take.
const BATCH: Duration = Duration::from_millis(4);
/// How many runs the first batch has.
const FIRST: u64 = 16;
/// The most runs of a batch whose cost is counted.
const MOST_COUNTED: u64 = 1024;
/// The most runs of a batch.
const MOST: u64 = 1 << 20;
/// How many steps a run may take: one that runs long costs as much as many others.
const STEPS: u64 = 1 << 20;
/// How many elements buffers have.
const ROOM: usize = 8;
/// Every so many batches vary the case of an earlier run instead of the first.
const OTHERS: u64 = 3;

/// Every so many batches have variables that are alike.
const ALIKE: u64 = 2;
/// How many different values such variables have at most.
const MOST_VALUES: usize = 3;

/// Random runs.
pub struct Random {
    shapes: Vec<Case>,
    batches: u64,
    size: u64,
    /// Kinds of ends that were looked at already.
    ends: BTreeSet<(u32, i32, u32)>,
}

impl Random {
    /// Before the first batch.
    pub fn new() -> Random {
        Random { shapes: Vec::new(), batches: 0, size: FIRST, ends: BTreeSet::new() }
    }

    /// The case whose scalars the next batch draws: the plainest with little and with more room, or that of an earlier run.
    fn shape(&mut self, state: &SearchState<'_, '_>) -> Case {
        if self.shapes.is_empty() {
            let (subject, start) = (state.setting.subject, state.start);
            for shape in [
                roomy(subject, start.clone(), ROOM, false),
                roomy(subject, start.clone(), ROOM, true),
                start.clone(),
            ] {
                let is_meant = shape == *start || state.keeps(Heuristic::RandomInRoom);
                if is_meant && !self.shapes.contains(&shape) {
                    self.shapes.push(shape);
                }
            }
        }
        let turn = self.batches / OTHERS;
        let runs = state.search.runs().len() as u64;
        let is_on = state.keeps(Heuristic::RandomFromRuns);
        if self.batches % OTHERS == OTHERS - 1 && runs > 0 && is_on {
            // A step that has no divisor in common with most numbers, so that all runs have their turn.
            let run = RunId((turn.wrapping_mul(0x9e37_79b1) % runs) as u32);
            if let Some(case) = state.search.runs().case(run) {
                return case.as_ref().clone();
            }
        }
        self.shapes[turn as usize % self.shapes.len()].clone()
    }
}

impl Bidder for Random {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn first_cost(&self, timed: bool) -> f64 {
        if timed { BATCH.as_secs_f64() } else { FIRST as f64 }
    }

    fn step(&mut self, state: &mut SearchState<'_, '_>) -> Result<Step, Failure> {
        // A case may have nothing to draw, where another one has.
        let mut found: Option<(Case, Vec<Variable>)> = None;
        for _ in 0..2 * OTHERS as usize * self.shapes.len().max(2) {
            let case = self.shape(state);
            self.batches += 1;
            let variables = variables(state, &case);
            if !variables.is_empty() {
                found = Some((case, variables));
                break;
            }
        }
        let Some((case, variables)) = found else { return Ok(Step::Declined(StopReason::Declined)) };
        let open = state.search.coverage().outcomes_wanted();
        let seed = state.setting.seed.wrapping_add(self.batches << 32);
        let are_alike = self.batches.is_multiple_of(ALIKE) && state.keeps(Heuristic::RandomAlike);
        let same = if are_alike { alike(&variables, seed) } else { Vec::new() };
        let build = Build::RunWithDistances;
        let sample = Sample { case: &case, build, variables: &variables, same: &same, open: &open };
        let count = match state.runs_left() {
            Some(left) => self.size.min((left / 8).max(1)),
            None => self.size,
        };
        let started = Instant::now();
        let session = state.bounded.session();
        let steps = session.limits.steps;
        session.limits.steps = steps.min(STEPS);
        let batch = session.sample(&sample, Draws { seed, first: 0, count, clear: false });
        session.limits.steps = steps;
        let batch = batch?;
        state.drawn += batch.next;
        let time = state.is_timed().then(|| started.elapsed());
        if state.keeps(Heuristic::GrowingBatches) {
            self.resize(batch.next, time);
        }
        let mut worth = Vec::new();
        for kept in &batch.kept {
            let is_new_end = self.ends.insert((kept.end.kind, kept.end.code, kept.end.site));
            let is_bad = !matches!(state.bounded.session().end_of(&kept.end), End::Returned | End::StepLimit);
            if kept.news > 0 || (is_bad && is_new_end) {
                worth.push(kept.iteration);
            }
        }
        if batch.died.is_some_and(|end| end != End::Timeout) {
            worth.push(batch.next - 1);
        }
        for iteration in worth {
            let case = state.bounded.session().sampled(&sample, seed, iteration)?;
            if let Err(reason) = state.offer(case) {
                return Ok(Step::Declined(reason));
            }
        }
        Ok(Step::Taken(None))
    }
}

impl Random {
    /// The next batch should take as long as all do; where cost is counted, batches grow steadily.
    fn resize(&mut self, runs: u64, time: Option<Duration>) {
        let Some(time) = time else {
            self.size = (2 * self.size).min(MOST_COUNTED);
            return;
        };
        let factor = BATCH.as_secs_f64() / time.as_secs_f64().max(1e-6);
        let wanted = (runs as f64 * factor.clamp(0.25, 4.0)) as u64;
        self.size = wanted.clamp(1, MOST);
    }
}

/// Which variables take over the value of an earlier one of the same kind: all have one of a few values, because code
/// often asks whether inputs are alike.
fn alike(variables: &[Variable], seed: u64) -> Vec<Option<usize>> {
    let mut random = testwright_search::random::Random::new(seed);
    let values = 1 + random.below(MOST_VALUES);
    let mut first: Vec<Option<usize>> = vec![None; values];
    let is_alike = |one: &Variable, other: &Variable| {
        (one.kind, one.bytes, one.low, one.high) == (other.kind, other.bytes, other.low, other.high)
    };
    let mut same = Vec::new();
    for (index, variable) in variables.iter().enumerate() {
        let value = random.below(values);
        let other = first[value].filter(|other| is_alike(&variables[*other], variable));
        if first[value].is_none() {
            first[value] = Some(index);
        }
        same.push(other);
    }
    same
}

/// What can be drawn in a case: nothing if it is too large to be run.
fn variables(state: &SearchState<'_, '_>, case: &Case) -> Vec<Variable> {
    let subject = state.setting.subject;
    let Ok(image) = Image::lay_out(subject, case) else { return Vec::new() };
    let precision = Settings::default().precision;
    let domains = Domains { start: Start::Mixed, precision, null_pointers: false };
    let mut rooted = image.rooted_variables(subject, case, &domains);
    // That an allocation fails is for those who need it to.
    rooted.retain(|(_, root)| !matches!(root, Root::Global(global) if subject.says_what_fails(*global)));
    rooted.into_iter().map(|(variable, _)| variable).collect()
}
