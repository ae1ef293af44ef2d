//! One function, explored: what a search in it brought.

use super::bounded::Bounded;
use super::gaps::gaps;
use super::hunt::{self, Hunting};
use super::progress::{Moment, Progress};
use super::reasons::{Evidence, Tally};
use crate::args::TechniqueName;
use crate::code::Code;
use crate::exit::Failure;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, OutcomeId, SiteId};
use testwright_base::start::plainest_case;
use testwright_base::subject::Subject;
use testwright_logic::solve::Chain;
use testwright_search::execute::Execute;
use testwright_search::explore::{Config, Limits, Planning, Search, StepRecord, StopReason};
use testwright_search::plan::cost::CostModel;
use testwright_search::strategy::Strategy;
use testwright_search::tree::RunId;
use testwright_suite::Unmet;

/// So many more runs are made for one that returns when all goals are met by runs that did not.
const TRIES: u64 = 100;

/// So many cases with random values are run in vain when no path is left to flip.
const DRAWS: u32 = 128;

/// A search that is limited by runs ends after so many flips in a row that brought none, because it might not end at
/// all: a loop of a million iterations has as many decisions, and each takes its time to be proved inevitable.
const FUTILE: u64 = 1000;

/// How many elements buffers have at first in random runs.
const ROOM: usize = 8;

/// What the searches of all functions have in common.
pub struct Setting<'a> {
    /// The code under test.
    pub subject: &'a Subject,
    /// Which path to try next.
    pub strategy: Strategy,
    /// Decides all random choices.
    pub seed: u64,
    /// How many runs a function gets; the time decides if there is no number.
    pub runs: Option<u64>,
    /// What users want flipped first.
    pub weights: BTreeMap<SiteId, i32>,
    /// Set when the user wants to stop.
    pub interrupted: &'a AtomicBool,
    /// How random runs and flips are chosen between by the technique that plans.
    pub planning: Option<Planning>,
    /// How goals are searched for, one technique after the other.
    pub techniques: &'a [TechniqueName],
    /// How goals are hunted by techniques that search the inputs.
    pub hunting: Hunting,
}

/// What a technique may use in a function.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// How many runs; the time decides if there is no number.
    pub runs: Option<u64>,
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// What exploring one function brought.
pub struct Explored {
    /// The best cases.
    pub kept: Vec<Kept>,
    /// Cases whose runs ended badly, and what they broke of what is assumed about inputs, if that is why.
    pub findings: Vec<(Case, Option<String>)>,
    /// The goals of the function itself that no run met, and why.
    pub unmet: Vec<Unmet>,
    /// How many runs were made.
    pub runs: u64,
    /// How many runs were judged by a search over inputs.
    pub evaluations: u64,
    /// Runs that did something else than they were made for.
    pub divergences: u64,
    /// What solving is known to cost by now, if the search was planned.
    pub costs: Option<CostModel>,
    /// Why the search ended.
    pub stop: StopReason,
}

/// A case worth keeping.
pub struct Kept {
    /// The case.
    pub case: Case,
    /// The outcomes that it is best for.
    pub goals: Vec<OutcomeId>,
    /// What it broke of what is assumed about inputs, if its run ended badly for that.
    pub broke: Option<String>,
}

/// Explores a function for at most `budget`, or for as many runs as the setting says.
pub fn explore(
    setting: &Setting<'_>,
    function: FunctionId,
    budget: Duration,
    code: &mut Code,
    solver: &mut Chain,
    progress: &mut Progress,
) -> Result<Explored, Failure> {
    let deadline = setting.runs.is_none().then(|| Instant::now() + budget);
    let start = code.with_globals(plainest_case(setting.subject, function)?);
    let start = Bounded::new(code, deadline).with_joined(start);
    let config = Config {
        strategy: setting.strategy.clone(),
        planning: setting.planning.clone(),
        seed: setting.seed,
        weights: setting.weights.clone(),
        ..Config::default()
    };
    let mut search = Search::new(config, setting.subject, function, start.clone());
    if setting.planning.is_some() {
        // Random runs vary what a case has, so there should be something to vary.
        search.offer(hunt::roomy(setting.subject, start.clone(), ROOM, true));
    }
    let mut bounded = Bounded::new(code, deadline);
    let mut tally = Tally::default();
    progress.begin(&setting.subject.function(function).name);
    let (mut stop, mut evaluations, mut left) = (StopReason::Declined, 0, setting.runs);
    for (index, technique) in setting.techniques.iter().enumerate() {
        let parts = (setting.techniques.len() - index) as u32;
        let now = Instant::now();
        let share = Share {
            runs: left.map(|left| left / u64::from(parts)),
            deadline: deadline.map(|deadline| now + deadline.saturating_duration_since(now) / parts),
        };
        let made = search.runs().len() as u64;
        let (reason, spent) = match technique.hunted() {
            Some(technique) => {
                let bounded = &mut bounded;
                let mut session =
                    hunt::Session { setting, technique, function, start: &start, bounded, share };
                let (reason, judged) = session.run(&mut search, solver, &mut tally, progress)?;
                evaluations += judged;
                (reason, judged)
            }
            None => {
                let reason = run(setting, &mut search, &mut bounded, solver, share, &mut tally, progress);
                (reason, search.runs().len() as u64 - made)
            }
        };
        stop = reason;
        left = left.map(|left| left.saturating_sub(spent));
        // Otherwise something is left for the next.
        if matches!(stop, StopReason::GoalsMet | StopReason::Interrupted | StopReason::Failed(_)) {
            break;
        }
    }
    let gaps = gaps(setting.subject, function, &search, &tally, &bounded.opaque, &bounded.most_calls);
    let evidence =
        Evidence { subject: setting.subject, search: &search, tally: &tally, stop: &stop, gaps: &gaps };
    let findings = search.archive().findings();
    Ok(Explored {
        kept: kept(&search, tally.first_returned),
        findings: findings.iter().map(|finding| ((*finding.case).clone(), finding.broke.clone())).collect(),
        unmet: evidence.unmet(function),
        runs: search.runs().len() as u64,
        evaluations,
        divergences: search.counts().divergences,
        costs: search.costs().cloned(),
        // Flips that the solver gave up on may have paths behind them.
        stop: match stop {
            StopReason::Exhausted if search.counts().unknown > 0 => StopReason::Declined,
            stop => stop,
        },
    })
}

/// Runs the search. A test needs a run that returns; if no goal asks for one, a few more runs look for it.
fn run(
    setting: &Setting<'_>,
    search: &mut Search<'_>,
    bounded: &mut Bounded<'_>,
    solver: &mut Chain,
    share: Share,
    tally: &mut Tally,
    progress: &mut Progress,
) -> StopReason {
    let Share { runs, deadline } = share;
    let runs = runs.map(|runs| runs + search.runs().len() as u64);
    let goals = search.coverage().goals().clone();
    let is_interrupted = || setting.interrupted.load(Ordering::Relaxed);
    let enough = AtomicBool::new(is_interrupted());
    let mut observe = |record: &StepRecord| {
        tally.note(record, &goals);
        let is_futile = runs.is_some() && tally.flips_in_vain >= FUTILE;
        enough.store(is_futile || is_interrupted(), Ordering::Relaxed);
        progress.show(&Moment { runs: tally.runs, met: tally.met, goals: goals.len() });
    };
    let limits = Limits { runs, deadline, until_covered: true, interrupted: Some(&enough) };
    let mut stop = search.run(bounded, solver, &limits, &mut observe);
    // What functions answer that are not traced, no solver knows: other values may lead elsewhere.
    let (mut in_vain, mut open) = (0, search.coverage().open_goals().len());
    while stop == StopReason::Exhausted && in_vain < DRAWS && !bounded.opaque.is_empty() {
        let shape = RunId(in_vain % search.runs().len().max(1) as u32);
        let seed = setting.seed.wrapping_add(search.runs().len() as u64);
        let drawn = search.runs().case(shape).and_then(|case| bounded.drawn(case, seed));
        if let Some(case) = drawn.filter(|case| !search.runs().has(case)) {
            search.offer(case);
            stop = search.run(bounded, solver, &limits, &mut observe);
        }
        in_vain = if search.coverage().open_goals().len() < open { 0 } else { in_vain + 1 };
        open = search.coverage().open_goals().len();
    }
    let most = (search.runs().len() as u64 + TRIES).min(runs.unwrap_or(u64::MAX));
    while stop == StopReason::GoalsMet && tally.first_returned.is_none() && tally.runs < most {
        let mut observe = |record: &StepRecord| tally.note(record, &goals);
        let one_more = Limits {
            runs: Some(search.runs().len() as u64 + 1),
            until_covered: false,
            interrupted: Some(setting.interrupted),
            ..limits
        };
        match search.run(bounded, solver, &one_more, &mut observe) {
            StopReason::Runs => {}
            other => stop = other,
        }
    }
    let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
    match stop {
        // The end of the time may be noticed first by a run that it cuts short.
        StopReason::Failed(_) if is_late => StopReason::Deadline,
        StopReason::Interrupted if !is_interrupted() => StopReason::Runs,
        stop => stop,
    }
}

/// The best cases by the run that showed them, and the first that returned: a function without branches needs one too.
fn kept(search: &Search<'_>, first_returned: Option<RunId>) -> Vec<Kept> {
    let fresh = |case: &Case, broke| Kept { case: case.clone(), goals: Vec::new(), broke };
    let mut kept: BTreeMap<RunId, Kept> = BTreeMap::new();
    for (outcome, best) in search.archive().best() {
        let entry = kept.entry(best.run).or_insert_with(|| fresh(&best.case, best.broke.clone()));
        entry.goals.push(*outcome);
    }
    let first = first_returned.and_then(|run| Some((run, search.runs().case(run)?)));
    if let Some((run, case)) = first {
        kept.entry(run).or_insert_with(|| fresh(case, None));
    }
    kept.into_values().collect()
}
