//! One function, explored: what a search in it brought.

use super::bidder::{self, Hunting};
use super::bounded::Bounded;
use super::gaps::gaps;
use super::ground::Ground;
use super::market::{Traded, trade};
use super::progress::Progress;
use super::reasons::{Evidence, Tally};
use super::steps::Log;
use super::techniques::Techniques;
use crate::code::Code;
use crate::exit::Failure;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, OutcomeId, SiteId};
use testwright_base::start::plainest_case;
use testwright_base::subject::Subject;
use testwright_logic::solve::Chain;
use testwright_search::explore::{Config, Planning, Search, StopReason};
use testwright_search::plan::cost::CostModel;
use testwright_search::strategy::Strategy;
use testwright_search::tree::RunId;
use testwright_suite::Unmet;

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
    /// How goals are searched for.
    pub techniques: Techniques,
    /// How goals are hunted by techniques that search the inputs.
    pub hunting: Hunting<'a>,
}

/// What exploring one function brought.
pub struct Explored {
    /// The function.
    pub function: FunctionId,
    /// The best cases.
    pub kept: Vec<Kept>,
    /// Cases whose runs ended badly, and what they broke of what is assumed about inputs, if that is why.
    pub findings: Vec<(Case, Option<String>)>,
    /// The goals of the function itself that no run met, and why.
    pub unmet: Vec<Unmet>,
    /// How many runs were traced.
    pub runs: u64,
    /// How many runs were drawn at random.
    pub drawn: u64,
    /// How many runs were judged by a search over inputs.
    pub evaluations: u64,
    /// Runs that did something else than they were made for.
    pub divergences: u64,
    /// What solving is known to cost by now, if the search was planned.
    pub costs: Option<CostModel>,
    /// The time that went into choosing between techniques.
    pub planning: Duration,
    /// Why the search ended.
    pub stop: StopReason,
}

impl Explored {
    /// What failed by a fault of ours, if the search ended for that.
    pub fn lost(&self) -> Option<(FunctionId, String)> {
        match &self.stop {
            StopReason::Failed(why) => Some((self.function, why.clone())),
            _ => None,
        }
    }
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
    log: Option<&mut BufWriter<File>>,
) -> Result<Explored, Failure> {
    let mut bidders = setting.techniques.bidders();
    let mut log = Log::new(log, bidders.iter().map(|bidder| bidder.name()).collect());
    log.begin(setting, function)?;
    let deadline = setting.runs.is_none().then(|| Instant::now() + budget);
    let start = code.with_globals(plainest_case(setting.subject, function)?);
    let start = Bounded::new(code, deadline).with_joined(start);
    let config = Config {
        strategy: setting.strategy.clone(),
        others: setting.techniques.strategies()?,
        planning: setting.planning.clone(),
        seed: setting.seed,
        weights: setting.weights.clone(),
        ..Config::default()
    };
    let mut search = Search::new(config, setting.subject, function, start.clone());
    if setting.techniques.is_planned_only() {
        // Random runs vary what a case has, so there should be something to vary.
        search.offer(bidder::roomy(setting.subject, start.clone(), ROOM, true));
    }
    progress.begin(&setting.subject.function(function).name);
    let goals = search.coverage().goals().clone();
    let mut ground = Ground {
        setting,
        function,
        start: &start,
        search,
        bounded: Bounded::new(code, deadline),
        solver,
        tally: Tally::default(),
        progress,
        deadline,
        drawn: 0,
        judged: 0,
        hunter: None,
        has_ruled_out: false,
        turn: String::new(),
        goals,
    };
    let Traded { stop, planning } = trade(&mut ground, &mut bidders, &mut log)?;
    let Ground { search, bounded, tally, drawn, judged, .. } = ground;
    let gaps = gaps(setting.subject, function, &search, &tally, &bounded.opaque, &bounded.most_calls);
    let evidence =
        Evidence { subject: setting.subject, search: &search, tally: &tally, stop: &stop, gaps: &gaps };
    let findings = search.archive().findings();
    Ok(Explored {
        function,
        kept: kept(&search, tally.first_returned),
        findings: findings.iter().map(|finding| ((*finding.case).clone(), finding.broke.clone())).collect(),
        unmet: evidence.unmet(function),
        runs: search.runs().len() as u64 - search.counts().drawn,
        drawn: drawn + search.counts().drawn,
        evaluations: judged,
        divergences: search.counts().divergences,
        costs: search.costs().cloned(),
        planning: planning + search.counts().planning,
        // Flips that the solver gave up on may have paths behind them.
        stop: match stop {
            StopReason::Exhausted if search.counts().unknown > 0 => StopReason::Declined,
            stop => stop,
        },
    })
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
