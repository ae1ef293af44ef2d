//! One function, explored in turns, and what that brought.

use super::bounded::{Bounded, Seen};
use super::market::{Market, trade};
use super::seeds::Seeds;
use super::state::SearchState;
use super::steps::Log;
use crate::build::loaded::LoadedSubject;
use crate::failure::Failure;
use crate::judge::doubts::Doubts;
use crate::judge::gaps::Looked;
use crate::judge::reasons::{Evidence, Tally};
use crate::technique::Techniques;
use crate::technique::{self, Bidder, InputSearchSetting};
use crate::watch::{Event, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufWriter;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use testwright_base::case::Case;
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, GoalId, OutcomeId, SiteId};
use testwright_base::start::{example_cases, plainest_case};
use testwright_base::subject::Subject;
use testwright_logic::solve::SolverChain;
use testwright_search::concolic::{Answered, Config, Planning, Search, StepRecord, StopReason};
use testwright_search::goals::Criteria;
use testwright_search::heuristics::{Heuristic, Off};
use testwright_search::plan::cost::CostModel;
use testwright_search::strategy::Strategy;
use testwright_search::tree::RunId;
use testwright_suite::{Stop, Unmet};

/// How many elements buffers have at first in random runs.
const ROOM: usize = 8;

/// What the searches of all functions have in common.
pub struct Setting<'a> {
    /// The code under test.
    pub subject: &'a Subject,
    /// Which of its functions call which.
    pub calls: CallGraph,
    /// Which path to try next.
    pub strategy: Strategy,
    /// What tests should show.
    pub criteria: Rc<Criteria<'a>>,
    /// Decides all random choices.
    pub seed: u64,
    /// How many runs a function gets; the time decides if there is no number.
    pub runs: Option<u64>,
    /// Whether mutants want part of the time, so that a search that brings nothing any more leaves it to them.
    pub shares_time: bool,
    /// What users want flipped first.
    pub weights: BTreeMap<SiteId, i32>,
    /// Set when the user wants to stop.
    pub interrupted: &'a AtomicBool,
    /// How random runs and flips are chosen between by the technique that plans.
    pub planning: Option<Planning>,
    /// How goals are searched for.
    pub techniques: Techniques,
    /// How goals are searched for by techniques that search the inputs.
    pub input_search: InputSearchSetting<'a>,
    /// Functions that have a search of their own, to which callers leave what lies in them.
    pub elsewhere: Rc<BTreeSet<FunctionId>>,
    /// The heuristics that they do without.
    pub off: Off,
    /// What the searches begin with.
    pub seeds: Seeds,
    /// Goals at these outcomes only, if any are given.
    pub only: Option<Vec<OutcomeId>>,
    /// Whether a search goes on when all goals are met.
    pub thorough: bool,
    /// Sees every step.
    pub observe: Option<&'a dyn Fn(&StepRecord)>,
}

/// What exploring one function brought.
pub struct FunctionResult {
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
    /// What was asked of the solver for goals that no flip leads to.
    pub augmented: Answered,
    /// Runs that did something else than they were made for.
    pub divergences: u64,
    /// The time that went into choosing between techniques.
    pub planning: Duration,
    /// Why the search ended.
    pub stop: StopReason,
    /// What went wrong in a technique by a fault of ours, if anything did.
    pub failure: Option<String>,
}

impl FunctionResult {
    /// What failed by a fault of ours, if the search ended for that or might have found more without it.
    pub fn lost(&self) -> Option<(FunctionId, String)> {
        let why = match &self.stop {
            StopReason::Failed(why) => Some(why),
            StopReason::GoalsMet => None,
            _ => self.failure.as_ref(),
        };
        why.map(|why| (self.function, why.clone()))
    }

    /// Why the search ended, for the summary.
    pub fn end(&self) -> (FunctionId, Stop) {
        let stop = match &self.stop {
            StopReason::GoalsMet => Stop::GoalsMet,
            StopReason::Exhausted => Stop::Explored,
            StopReason::Declined => Stop::Declined,
            StopReason::Runs => Stop::Runs,
            StopReason::Deadline => Stop::Time,
            StopReason::Failed(why) => Stop::Failed(why.clone()),
            StopReason::Interrupted => Stop::Interrupted,
        };
        (self.function, stop)
    }
}

/// A case worth keeping.
pub struct Kept {
    /// The case.
    pub case: Case,
    /// The goals that it is best for.
    pub goals: Vec<GoalId>,
    /// What it broke of what is assumed about inputs, if its run ended badly for that.
    pub broke: Option<String>,
}

/// What all functions are explored with, one after the other.
pub struct Tools<'t> {
    /// The code under test.
    pub code: &'t mut LoadedSubject,
    /// The solver.
    pub solver: &'t mut SolverChain,
    /// Hears how far the search is.
    pub watch: &'t mut dyn Watch,
    /// Where steps are written, if anybody wants to know.
    pub log: Option<&'t mut BufWriter<File>>,
}

/// A function that is explored in one or more turns.
pub struct FunctionSearch<'s> {
    function: FunctionId,
    /// Why the last turn ended.
    pub stop: StopReason,
    /// How long all turns took.
    pub spent: Duration,
    start: Case,
    search: Search<'s>,
    doubts: Doubts<'s>,
    bidders: Vec<Box<dyn Bidder>>,
    market: Market,
    tally: Tally,
    goals: BTreeSet<GoalId>,
    seen: Seen,
    drawn: u64,
    judged: u64,
    has_ruled_out: bool,
}

impl<'s> FunctionSearch<'s> {
    /// Before the first turn, which ends at the deadline.
    pub fn new(
        setting: &Setting<'s>,
        function: FunctionId,
        code: &mut LoadedSubject,
        deadline: Option<Instant>,
    ) -> Result<FunctionSearch<'s>, Failure> {
        let start = code.with_globals(plainest_case(setting.subject, function)?);
        let start = match setting.off.keeps(Heuristic::JoinedPointers) {
            true => Bounded::new(code, deadline, Seen::default()).with_joined(start),
            false => start,
        };
        FunctionSearch::beginning_with(start, setting, function, code)
    }

    /// As [`FunctionSearch::new`], with this case first.
    pub fn beginning_with(
        start: Case,
        setting: &Setting<'s>,
        function: FunctionId,
        code: &mut LoadedSubject,
    ) -> Result<FunctionSearch<'s>, Failure> {
        let config = Config {
            strategy: setting.strategy.clone(),
            others: setting.techniques.strategies(setting.off)?,
            planning: setting.planning.clone(),
            seed: setting.seed,
            weights: setting.weights.clone(),
            elsewhere: Rc::clone(&setting.elsewhere),
            only: setting.only.clone(),
            off: setting.off,
            ..Config::default()
        };
        let criteria = Rc::clone(&setting.criteria);
        let mut search = Search::with_criteria(config, criteria, setting.subject, function, start.clone());
        if setting.off.keeps(Heuristic::EarlierCases) {
            setting.seeds.of(function).iter().for_each(|seed| search.offer(seed.clone()));
        }
        if setting.off.keeps(Heuristic::FormattedCases) {
            let formatted = example_cases(setting.subject, function).into_iter();
            formatted.for_each(|case| search.offer(code.with_globals(case)));
        }
        if setting.off.keeps(Heuristic::Sequences) {
            let sequences = code.sequences(function).into_iter();
            sequences.for_each(|case| search.offer(code.with_globals(case)));
        }
        if setting.techniques.is_planned_only() {
            // Random runs vary what a case has, so there should be something to vary.
            search.offer(technique::roomy(setting.subject, start.clone(), ROOM, true));
        }
        let bidders = setting.techniques.bidders(&setting.criteria, setting.off);
        Ok(FunctionSearch {
            function,
            stop: StopReason::Deadline,
            spent: Duration::ZERO,
            start,
            goals: search.coverage().goals().clone(),
            search,
            doubts: Doubts::new(setting.subject, &setting.calls, function),
            market: Market::new(&bidders, setting.runs.is_none()),
            bidders,
            tally: Tally::default(),
            seen: Seen::default(),
            drawn: 0,
            judged: 0,
            has_ruled_out: false,
        })
    }

    /// Explores until the deadline, or for as many runs as the setting says.
    pub fn turn(
        mut self,
        setting: &Setting<'s>,
        tools: &mut Tools<'_>,
        deadline: Option<Instant>,
    ) -> Result<FunctionSearch<'s>, Failure> {
        let names = self.bidders.iter().map(|bidder| bidder.name()).collect();
        let mut log = Log::new(tools.log.as_deref_mut(), names);
        log.begin(setting, self.function)?;
        tools.watch.tell(Event::Function(&setting.subject.function(self.function).name));
        let mut state = SearchState {
            setting,
            function: self.function,
            start: &self.start,
            search: self.search,
            bounded: Bounded::new(tools.code, deadline, self.seen),
            solver: tools.solver,
            tally: self.tally,
            watch: tools.watch,
            deadline,
            drawn: self.drawn,
            judged: self.judged,
            analysis: None,
            has_ruled_out: self.has_ruled_out,
            turn: String::new(),
            doubts: &self.doubts,
            goals: self.goals,
        };
        let stop = trade(&mut state, &mut self.market, &mut self.bidders, &mut log);
        let SearchState { mut search, bounded, tally, drawn, judged, has_ruled_out, goals, .. } = state;
        let seen = bounded.seen;
        search.rest();
        Ok(FunctionSearch { stop, search, seen, tally, drawn, judged, has_ruled_out, goals, ..self })
    }

    /// The search itself.
    pub fn search(&self) -> &Search<'s> {
        &self.search
    }

    /// What solving is known to cost by now, if the search is planned.
    pub fn costs(&self) -> Option<&CostModel> {
        self.search.costs()
    }

    /// What it brought.
    pub fn finish(self, setting: &Setting<'_>) -> FunctionResult {
        let FunctionSearch { function, search, tally, stop, start, doubts, seen, .. } = self;
        let looked = Looked {
            subject: setting.subject,
            function,
            start: &start,
            search: &search,
            tally: &tally,
            seen: &seen,
            doubts: &doubts,
        };
        let gaps = looked.gaps();
        let evidence = Evidence {
            subject: setting.subject,
            search: &search,
            tally: &tally,
            stop: &stop,
            gaps: &gaps,
            criteria: &setting.criteria,
        };
        let findings = search.archive().findings();
        FunctionResult {
            function,
            kept: kept(setting.subject, &search, tally.first_returned),
            findings: findings
                .iter()
                .map(|finding| ((*finding.case).clone(), finding.broke.clone()))
                .collect(),
            unmet: evidence.unmet(function),
            runs: search.runs().len() as u64 - search.counts().drawn,
            drawn: self.drawn + search.counts().drawn,
            evaluations: self.judged,
            augmented: search.counts().augmented,
            divergences: search.counts().divergences,
            planning: self.market.planning + search.counts().planning,
            failure: self.market.failure,
            // Flips that the solver gave up on may have paths behind them.
            stop: match stop {
                StopReason::Exhausted if search.counts().unknown > 0 => StopReason::Declined,
                stop => stop,
            },
        }
    }
}

/// The best cases by the run that showed them, and the first that returned: a function without branches needs one too. What files
/// show that were not named is not asked for.
fn kept(subject: &Subject, search: &Search<'_>, first_returned: Option<RunId>) -> Vec<Kept> {
    let goals = search.coverage().all_goals();
    let is_named = |goal: &GoalId| !subject.function(goals.get(*goal).function).companion;
    let fresh = |case: &Case, broke| Kept { case: case.clone(), goals: Vec::new(), broke };
    let mut kept: BTreeMap<RunId, Kept> = BTreeMap::new();
    for (goal, best) in search.archive().best().iter().filter(|(goal, _)| is_named(goal)) {
        let entry = kept.entry(best.run).or_insert_with(|| fresh(&best.case, best.broke.clone()));
        entry.goals.push(*goal);
    }
    let first = first_returned.and_then(|run| Some((run, search.runs().case(run)?)));
    // One that strays is worth a look by a sanitizer, whatever others show.
    for (run, case) in first.into_iter().chain(search.archive().strayed()) {
        kept.entry(run).or_insert_with(|| fresh(case, None));
    }
    kept.into_values().collect()
}
