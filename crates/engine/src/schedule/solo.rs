//! A search in one function of code that is loaded already: for experiments, by the loop that users run.

use super::function::{FunctionSearch, Setting, Tools};
use super::seeds::Seeds;
use crate::build::loaded::LoadedSubject;
use crate::failure::Failure;
use crate::technique::{FunctionAnalysis, InputSearchSetting, TechniqueName, Techniques};
use crate::watch::Unwatched;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use testwright_base::case::Case;
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::subject::Subject;
use testwright_logic::solve::SolverChain;
use testwright_search::concolic::{Search, StepRecord};
use testwright_search::goals::Criteria;
use testwright_search::heuristics::Off;
use testwright_search::sbst::Settings;
use testwright_search::strategy::Strategy;

/// What is searched for, and how.
pub struct Solo<'a> {
    /// The code under test.
    pub subject: &'a Subject,
    /// The function.
    pub function: FunctionId,
    /// The first case; the plainest if none is given.
    pub start: Option<Case>,
    /// Goals at these outcomes only, if any are given.
    pub only: Option<Vec<OutcomeId>>,
    /// Which path to try next.
    pub strategy: Strategy,
    /// The heuristics that the search does without.
    pub off: Off,
    /// Decides all random choices.
    pub seed: u64,
    /// The most runs.
    pub runs: u64,
    /// Whether the search goes on when all goals are met.
    pub thorough: bool,
    /// When the time is over.
    pub deadline: Option<Instant>,
    /// Set when the user wants to stop.
    pub interrupted: &'a AtomicBool,
    /// Sees every step.
    pub observe: Option<&'a dyn Fn(&StepRecord)>,
}

impl Solo<'_> {
    /// Flips paths until a limit is reached or the goals are met; shows the search to whoever wants to look at it.
    pub fn search<T>(
        self,
        code: &mut LoadedSubject,
        solver: &mut SolverChain,
        look: impl FnOnce(&mut LoadedSubject, &Search<'_>) -> T,
    ) -> Result<T, Failure> {
        let prepare = |_: FunctionId, _: &BTreeSet<FunctionId>, _: Option<u32>| {
            Ok(FunctionAnalysis { symbolic: None, influences: BTreeMap::new() })
        };
        let reachable = |_: FunctionId| Ok(None);
        let setting = Setting {
            subject: self.subject,
            calls: CallGraph::new(self.subject),
            criteria: Rc::new(Criteria::usual(self.subject)),
            strategy: self.strategy,
            seed: self.seed,
            runs: Some(self.runs),
            shares_time: false,
            weights: BTreeMap::new(),
            interrupted: self.interrupted,
            planning: None,
            techniques: Techniques::new(&[TechniqueName::Concolic])?,
            input_search: InputSearchSetting {
                settings: Settings::default(),
                prepare: &prepare,
                reachable: &reachable,
            },
            elsewhere: Rc::default(),
            off: self.off,
            seeds: Seeds::default(),
            only: self.only,
            thorough: self.thorough,
            observe: self.observe,
        };
        let search = match self.start {
            Some(start) => FunctionSearch::beginning_with(start, &setting, self.function, code)?,
            None => FunctionSearch::new(&setting, self.function, code, self.deadline)?,
        };
        let mut tools = Tools { code: &mut *code, solver, watch: &mut Unwatched, log: None };
        let search = search.turn(&setting, &mut tools, self.deadline)?;
        Ok(look(code, search.search()))
    }
}
