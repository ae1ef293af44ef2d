//! The execution tree: all paths seen so far, joined where they agree.
//!
//! A node is an instance of a decision on some path; its edges are the outcomes that runs took there. Two runs
//! share a node if they took the same outcomes before it, in objects that are aligned alike if the code looks at that: there
//! is a root for each alignment. Only decisions that depend on inputs are in the tree.
//!
//! Nodes and edges lie in two flat lists and name each other by number: about 60 bytes per decision. When there
//! are as many nodes as allowed, paths are still followed but nothing is added.

mod insert;
mod node;

pub use insert::{Inserted, Visit};
pub use node::{Branch, Kind, Node, NodeId, RunId, State};

pub(crate) use node::pinned_value;

use node::NONE;
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;

/// An outcome that some run took.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// Outcome, or what tells the value of a pin from others.
    key: u64,
    /// The next decision, if any run got there.
    child: u32,
    /// The next edge of the same node.
    next: u32,
}

/// The execution tree.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The first decision of the paths of each alignment.
    roots: Vec<(u64, NodeId)>,
    edges: Vec<Edge>,
    limit: usize,
    pin_flips: u8,
    open: usize,
}

/// What came of an attempt to flip a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// A run was made, and left the path at the node.
    Flipped,
    /// A run was made, and did something else.
    Diverged,
    /// Proved impossible.
    Infeasible,
    /// Nobody knows.
    Unknown,
}

impl Tree {
    /// An empty tree that will hold at most `limit` nodes and flips each pinned value at most `pin_flips` times.
    #[must_use]
    pub fn new(limit: usize, pin_flips: u8) -> Tree {
        let (nodes, roots, edges) = (Vec::new(), Vec::new(), Vec::new());
        Tree { nodes, roots, edges, limit: limit.min(NONE as usize), pin_flips, open: 0 }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether no more nodes fit.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.limit
    }

    /// How many nodes can be flipped.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.open
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes, in the order they were found.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Whether a node can be flipped.
    #[must_use]
    pub fn is_open(&self, id: NodeId) -> bool {
        self.node(id).state == State::Open
    }

    /// The first decision of all runs; of those of the alignment that came first, if there are several.
    #[must_use]
    pub fn root(&self) -> Option<NodeId> {
        self.roots().next()
    }

    /// The first decisions of the runs of each alignment.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.roots.iter().map(|(_, root)| *root)
    }

    fn root_in(&self, alignment: u64) -> Option<NodeId> {
        self.roots.iter().find(|(own, _)| *own == alignment).map(|(_, root)| *root)
    }

    /// The outcomes, or what tells the values of a pin apart, that were seen at a node; the latest first.
    pub fn explored(&self, id: NodeId) -> impl Iterator<Item = u64> + '_ {
        self.edges_of(id).map(|edge| edge.key)
    }

    /// The decisions that follow a node.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.edges_of(id).filter(|edge| edge.child != NONE).map(|edge| NodeId(edge.child))
    }

    /// A node and those above it, up to the root.
    pub fn ancestry(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |id| self.node(*id).parent())
    }

    /// How many outcomes a node's decision has; none if that is not known beforehand.
    #[must_use]
    pub fn outcome_count(&self, id: NodeId, subject: &Subject) -> Option<u16> {
        let node = self.node(id);
        outcome_count(node.kind, node.site, subject)
    }

    /// The outcomes of the node's site that no run took here. Those of a pinned value are not listed.
    #[must_use]
    pub fn unexplored(&self, id: NodeId, subject: &Subject) -> Vec<u16> {
        let Some(count) = self.outcome_count(id, subject) else { return Vec::new() };
        (0..count).filter(|outcome| self.explored(id).all(|key| key != u64::from(*outcome))).collect()
    }

    /// One outcome of a switch is impossible, or nobody knows how to get there.
    pub fn rule_out(&mut self, id: NodeId, outcome: u16, subject: &Subject) {
        self.take(id, u64::from(outcome), subject);
    }

    /// Takes note of an attempt to flip an open node. Without a run it is exhausted; with one it stays open only if
    /// it has more outcomes to offer.
    pub fn attempted(&mut self, id: NodeId, attempt: Attempt) {
        let pin_flips = self.pin_flips;
        let node = &mut self.nodes[id.index()];
        node.flips = node.flips.saturating_add(1);
        if node.state != State::Open {
            return;
        }
        let more = match node.kind {
            Kind::Branch | Kind::Bounds => State::Diverged,
            Kind::Switch => State::Open,
            Kind::Pin if node.flips < pin_flips => State::Open,
            Kind::Pin => State::Enough,
        };
        let state = match attempt {
            Attempt::Flipped => more,
            Attempt::Diverged => State::Diverged,
            Attempt::Infeasible => State::Infeasible,
            Attempt::Unknown => State::Unknown,
        };
        self.close(id, state);
    }

    fn close(&mut self, id: NodeId, state: State) {
        let node = &mut self.nodes[id.index()];
        if node.state == State::Open && state != State::Open {
            self.open -= 1;
        }
        node.state = state;
    }

    fn edges_of(&self, id: NodeId) -> impl Iterator<Item = &Edge> + '_ {
        let edge = |index: u32| self.edges.get(index as usize);
        std::iter::successors(edge(self.node(id).edges), move |last| edge(last.next))
    }
}

/// How many outcomes a decision has; none if that is not known beforehand.
fn outcome_count(kind: Kind, site: u32, subject: &Subject) -> Option<u16> {
    match kind {
        Kind::Branch | Kind::Bounds => Some(2),
        Kind::Switch => match subject.sites.get(site as usize).map(|site| &site.kind) {
            Some(SiteKind::Switch { cases, .. }) => u16::try_from(cases.len() + 1).ok(),
            _ => None,
        },
        Kind::Pin => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn millions_of_nodes_fit_into_memory() {
        assert!(size_of::<Node>() + size_of::<Edge>() <= 64);
    }
}
