//! Shares: how the functions of a target divide the time.
//!
//! Each has an equal share of what is left, so what one does not need goes to those after it. When all had their turn and time is
//! left, those that are still in search have another one, until the time is over: "time spent" is true then. A function whose
//! turn would come after the end is not searched, and that is told. A budget in runs holds for each function by itself. There may
//! be a limit for each function besides, in all of its turns together. Where mutants are goals too, a turn that brings nothing any more
//! ends early, and there are further ones for part of the time only: the rest is for cases that kill mutants (`crate::judge`).
//!
//! A search whose turn is over keeps its tree and gives back its traces.

mod bounded;
mod costs;
mod function;
mod market;
mod seeds;
mod solo;
mod state;
mod steps;

pub use bounded::{Opaque, RUN, Seen};
pub use costs::{load as known_costs, save as keep_costs};
pub use function::{FunctionResult, Kept, Setting, Tools};
pub use seeds::Seeds;
pub use solo::Solo;
pub use state::SearchState;
pub use steps::create as create_log;

use crate::failure::Failure;
use crate::request::Times;
use function::FunctionSearch;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use testwright_base::goal::Goals;
use testwright_base::ids::FunctionId;
use testwright_search::concolic::StopReason;
use testwright_suite::{Reason, Stop, Unmet};

/// With less time left a turn cannot begin: it is about what a first run takes.
const LEAST: Duration = Duration::from_millis(1);

/// What came of all functions.
pub struct Shared {
    /// Those that were searched.
    pub explored: Vec<FunctionResult>,
    /// Those for which there was no time.
    not_searched: Vec<FunctionId>,
    /// Those whose search could not begin by a fault of ours, and why.
    failed: BTreeMap<FunctionId, String>,
    /// `budget 10.0 s for 2500 functions`
    budget: String,
}

impl Shared {
    /// Keeps what a turn brought. The function waits for another turn if its time was over and there is more for it.
    fn keep<'s>(
        &mut self,
        search: FunctionSearch<'s>,
        clock: &Clock,
        paused: &mut Vec<FunctionSearch<'s>>,
        setting: &Setting<'_>,
    ) {
        let has_time = clock.own_left(search.spent).is_none_or(|left| left >= LEAST);
        match search.stop {
            StopReason::Deadline if has_time => paused.push(search),
            _ => self.explored.push(search.finish(setting)),
        }
    }

    /// Why the search in each function ended.
    pub fn stops(&self) -> BTreeMap<FunctionId, Stop> {
        let not_searched = self.not_searched.iter();
        let not_searched = not_searched.map(|function| (*function, Stop::NotSearched(self.budget.clone())));
        let failed = self.failed.iter().map(|(function, why)| (*function, Stop::Failed(why.clone())));
        self.explored.iter().map(FunctionResult::end).chain(not_searched).chain(failed).collect()
    }

    /// What failed by a fault of ours, by function.
    pub fn lost(&self) -> impl Iterator<Item = (FunctionId, String)> {
        let failed = self.failed.iter().map(|(function, why)| (*function, why.clone()));
        self.explored.iter().filter_map(FunctionResult::lost).chain(failed)
    }

    /// The goals that no run met, and why.
    pub fn unmet<'a>(&'a self, goals: &'a Goals) -> impl Iterator<Item = Unmet> + 'a {
        let late = Reason::NotSearched(self.budget.clone());
        let late = self.not_searched.iter().map(move |function| (*function, late.clone()));
        let failed = |why: &String| Reason::NeverReached(format!("the search failed, {why}"));
        let failed = self.failed.iter().map(move |(function, why)| (*function, failed(why)));
        let reasons: BTreeMap<FunctionId, Reason> = late.chain(failed).collect();
        let goals = goals.iter().filter_map(move |(goal, about)| {
            Some(Unmet { goal, reason: reasons.get(&about.function)?.clone() })
        });
        self.explored.iter().flat_map(|function| function.unmet.clone()).chain(goals)
    }
}

/// Where mutants want time, too, functions have further turns until this part of the time is over.
const FURTHER: f64 = 0.6;

/// Explores all functions within the budget.
pub fn explore_all<'s>(
    setting: &mut Setting<'s>,
    functions: &[FunctionId],
    times: &Times,
    tools: &mut Tools<'_>,
) -> Result<Shared, Failure> {
    let budget = times.budget(functions.len());
    let begun = Instant::now();
    let end = |part: f64| setting.runs.is_none().then(|| begun.checked_add(budget.mul_f64(part))).flatten();
    let further = if setting.shares_time { FURTHER } else { 1.0 };
    let (clock, later) = (end(1.0), end(further));
    let [clock, later] = [clock, later].map(|end| Clock { end, most: times.per_function });
    let budget = format!("budget {:.1} s for {} functions", budget.as_secs_f64(), functions.len());
    let (explored, not_searched) = (Vec::new(), Vec::new());
    let mut shared = Shared { explored, not_searched, failed: BTreeMap::new(), budget };
    let mut paused: Vec<FunctionSearch<'s>> = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        if clock.is_over() {
            shared.not_searched.extend(&functions[index..]);
            break;
        }
        let deadline = clock.share(functions.len() - index, Duration::ZERO);
        match FunctionSearch::new(setting, *function, tools.code, deadline) {
            Ok(search) => {
                let search = take_turn(search, setting, tools, deadline)?;
                shared.keep(search, &clock, &mut paused, setting);
            }
            Err(failure) => _ = shared.failed.insert(*function, failure.message),
        }
    }
    while !paused.is_empty() && !later.is_over() && !setting.interrupted.load(Ordering::Relaxed) {
        let round = std::mem::take(&mut paused);
        let count = round.len();
        for (index, search) in round.into_iter().enumerate() {
            let deadline = later.share(count - index, search.spent);
            let search = take_turn(search, setting, tools, deadline)?;
            shared.keep(search, &later, &mut paused, setting);
        }
    }
    shared.explored.extend(paused.into_iter().map(|search| search.finish(setting)));
    // Findings and tests are told in one order, however many turns their function had.
    let place = |explored: &FunctionResult| functions.iter().position(|id| *id == explored.function);
    shared.explored.sort_by_cached_key(place);
    Ok(shared)
}

/// One turn of a function.
fn take_turn<'s>(
    search: FunctionSearch<'s>,
    setting: &mut Setting<'s>,
    tools: &mut Tools<'_>,
    deadline: Option<Instant>,
) -> Result<FunctionSearch<'s>, Failure> {
    let started = Instant::now();
    let mut search = search.turn(setting, tools, deadline)?;
    search.spent += started.elapsed();
    if let (Some(planning), Some(costs)) = (&mut setting.planning, search.costs()) {
        planning.costs = costs.clone();
    }
    Ok(search)
}

/// When the time is over; never if the budget is in runs.
struct Clock {
    end: Option<Instant>,
    /// The most time for one function.
    most: Option<Duration>,
}

impl Clock {
    fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left < LEAST)
    }

    /// When the turn of one of so many that are still to come ends; it has spent so much before.
    fn share(&self, count: usize, spent: Duration) -> Option<Instant> {
        let share = self.left()? / u32::try_from(count).unwrap_or(u32::MAX);
        let own = self.own_left(spent).unwrap_or(share);
        Some(Instant::now() + share.min(own))
    }

    /// What is left for a function that has spent so much; none if it has no limit of its own.
    fn own_left(&self, spent: Duration) -> Option<Duration> {
        self.most.map(|most| most.saturating_sub(spent))
    }
}
