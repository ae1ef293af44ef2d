//! The protocol: what a frontier is told, what it may look at, and what it answers.

use crate::coverage::Coverage;
use crate::heuristics::Off;
use crate::map::CodeMap;
use crate::random::Random;
use crate::run_fitness::RunFitness;
use crate::runs::Runs;
use crate::tree::{Attempt, NodeId, RunId, Tree};
use std::cell::Cell;
use testwright_base::ids::OutcomeId;
use testwright_base::subject::Subject;

/// What frontiers may look at.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The code under test.
    pub subject: &'a Subject,
    /// The execution tree.
    pub tree: &'a Tree,
    /// The runs so far.
    pub runs: &'a Runs,
    /// What was hit.
    pub coverage: &'a Coverage,
    /// How far code is from goals.
    pub map: &'a CodeMap,
    /// How close runs came to targets.
    pub fitness: &'a RunFitness,
    /// The heuristics that the search does without.
    pub off: Off,
    /// Counts the runs, nodes and flips that are looked at to choose one. Tests see from it that a step stays cheap.
    pub looked_at: &'a Cell<u64>,
}

impl View<'_> {
    /// So many more were looked at.
    pub fn look(&self, count: usize) {
        self.looked_at.set(self.looked_at.get() + count as u64);
    }
}

/// A node to flip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// The node.
    pub node: NodeId,
    /// The run whose inputs the new ones should resemble; the one that reached the node first if none.
    pub run: Option<RunId>,
    /// The way to go, which may be one that runs took before with other inputs; if none, any that no run took.
    pub outcome: Option<u16>,
}

impl From<NodeId> for Pick {
    fn from(node: NodeId) -> Pick {
        Pick { node, run: None, outcome: None }
    }
}

/// What came of a flip.
#[derive(Debug, Clone)]
pub struct Flip {
    /// The node that was to be flipped.
    pub node: NodeId,
    /// What came of it.
    pub attempt: Attempt,
    /// The run that was made, if any.
    pub run: Option<RunId>,
    /// The outcomes that this run was the first to hit.
    pub news: Vec<OutcomeId>,
}

/// A rule that picks nodes.
pub trait Frontier {
    /// A node is new, or can be flipped once more. Nodes of one run come from the top down.
    fn added(&mut self, view: &View<'_>, node: NodeId);

    /// A run was made; its nodes will be announced after this.
    fn ran(&mut self, _view: &View<'_>, _run: RunId) {}

    /// A node was flipped, or could not be.
    fn flipped(&mut self, _view: &View<'_>, _flip: &Flip) {}

    /// A node has nothing more to offer.
    fn exhausted(&mut self, _view: &View<'_>, _node: NodeId) {}

    /// The next node to flip; none to decline.
    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick>;

    /// Whether the last node it picked brought what it looks for. Coverage counts without being told here.
    fn progressed(&self) -> bool {
        false
    }
}
