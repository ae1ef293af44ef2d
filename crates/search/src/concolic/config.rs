//! What a search is told beforehand.

use super::planner::Planning;
use crate::heuristics::Off;
use crate::strategy::Strategy;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use testwright_base::ids::{FunctionId, OutcomeId, SiteId};

/// The weight of sites that are a last resort: they are flipped when nothing else is left, and take turns with the others when
/// those have brought nothing for a while.
pub const LAST_RESORT: i32 = i32::MIN;

/// How a search is done.
#[derive(Debug, Clone)]
pub struct Config {
    /// Which frontiers pick.
    pub strategy: Strategy,
    /// Further strategies, each of which can be asked for a step instead.
    pub others: Vec<Strategy>,
    /// Choose between random runs and flips by reward per cost, if the way of a step is to do so.
    pub planning: Option<Planning>,
    /// Decides all random choices.
    pub seed: u64,
    /// Functions that have a search of their own; what lies in them is left to it.
    pub elsewhere: Rc<BTreeSet<FunctionId>>,
    /// What is searched for; goals at these outcomes only, if any are given.
    pub only: Option<Vec<OutcomeId>>,
    /// Nodes at sites of a higher weight are flipped before all others; sites not named have weight 0.
    pub weights: BTreeMap<SiteId, i32>,
    /// How often a pinned address, size or function pointer is flipped at one node.
    pub pin_flips: u8,
    /// The heuristics that it does without.
    pub off: Off,
    /// How many nodes the tree may have.
    pub max_nodes: usize,
    /// How many expressions, steps and inputs of recent traces are kept; about 60 bytes each.
    pub trace_memory: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            strategy: Strategy::default(),
            others: Vec::new(),
            planning: None,
            seed: 0,
            elsewhere: Rc::default(),
            only: None,
            weights: BTreeMap::new(),
            pin_flips: 4,
            off: Off::default(),
            max_nodes: 1 << 23,
            trace_memory: 1 << 21,
        }
    }
}

/// By what a step chooses the node to flip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The strategy of this number: 0 is [`Config::strategy`], then come the others.
    Strategy(usize),
    /// The planner, which may also choose a random run.
    Planned,
}

/// When a search ends at the latest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits<'a> {
    /// After so many runs in all.
    pub runs: Option<u64>,
    /// At this time, solving included.
    pub deadline: Option<Instant>,
    /// As soon as all goals are met.
    pub until_covered: bool,
    /// As soon as this is set.
    pub interrupted: Option<&'a AtomicBool>,
}

impl Limits<'_> {
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
