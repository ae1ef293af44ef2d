//! The runs of a search: where each came from, what it brought, and its case for as long as it may be needed.

use crate::tree::{Inserted, NodeId, RunId};
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use testwright_base::case::Case;

/// What is remembered of a run.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// The node that was flipped to get it, and the run whose path was followed; none for cases given from outside.
    pub parent: Option<(NodeId, RunId)>,
    /// How many outcomes it hit first.
    pub news: u32,
    /// The last decision of its path.
    pub leaf: Option<NodeId>,
    /// The outcome taken there.
    pub last_outcome: u16,
    case: Option<Rc<Case>>,
    /// How many nodes that it reached first can still be flipped.
    open: u32,
}

/// All runs.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    runs: Vec<RunInfo>,
    /// Fingerprints of all cases.
    known: HashSet<u64>,
    /// Runs whose own nodes are all exhausted, in the order in which that happened.
    idle: VecDeque<RunId>,
}

/// How many cases are kept whose own nodes are all exhausted; nodes they share with others may still be flipped.
const IDLE_CASES: usize = 4096;

impl Runs {
    /// Adds a run.
    pub fn add(&mut self, case: Rc<Case>, parent: Option<(NodeId, RunId)>) -> RunId {
        self.known.insert(fingerprint(&case));
        self.runs.push(RunInfo { parent, news: 0, leaf: None, last_outcome: 0, case: Some(case), open: 0 });
        self.latest().expect("a run was just added")
    }

    /// The run that was made last.
    #[must_use]
    pub fn latest(&self) -> Option<RunId> {
        (self.runs.len() as u32).checked_sub(1).map(RunId)
    }

    /// Whether a run was made with this case.
    #[must_use]
    pub fn has(&self, case: &Case) -> bool {
        self.known.contains(&fingerprint(case))
    }

    /// How many runs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// What is known about a run.
    #[must_use]
    pub fn get(&self, run: RunId) -> &RunInfo {
        &self.runs[run.index()]
    }

    /// The case of a run, unless it was dropped.
    #[must_use]
    pub fn case(&self, run: RunId) -> Option<&Rc<Case>> {
        self.get(run).case.as_ref()
    }

    /// Completes what is known about a run.
    pub fn describe(&mut self, run: RunId, news: u32, inserted: &Inserted, open: u32) {
        let info = &mut self.runs[run.index()];
        (info.news, info.leaf, info.open) = (news, inserted.leaf, open);
        info.last_outcome = inserted.last_outcome;
        if open == 0 {
            self.rest(run);
        }
    }

    /// A node that `run` reached first is exhausted.
    pub fn exhausted(&mut self, run: RunId) {
        let info = &mut self.runs[run.index()];
        info.open = info.open.saturating_sub(1);
        if info.open == 0 {
            self.rest(run);
        }
    }

    fn rest(&mut self, run: RunId) {
        self.idle.push_back(run);
        if self.idle.len() > IDLE_CASES
            && let Some(oldest) = self.idle.pop_front()
        {
            self.runs[oldest.index()].case = None;
        }
    }
}

/// A number that hardly any two cases share.
fn fingerprint(case: &Case) -> u64 {
    let mut hasher = DefaultHasher::new();
    case.hash(&mut hasher);
    hasher.finish()
}
