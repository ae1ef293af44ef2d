//! Adding a path to the tree, and noticing when it is not the path that was asked for.
//!
//! A run that was made by flipping a node has to follow the path to that node and take a new outcome there. If it
//! does not, it *diverged*: the code, the record or the solver does not do what we think.

use super::node::{Kind, NONE, Node, NodeId, RunId, State, against, decisions};
use super::{Edge, Tree, outcome_count};
use std::collections::HashMap;
use testwright_base::subject::Subject;
use testwright_logic::expr::Exprs;
use testwright_logic::path::{Path, Step};

/// What adding a path did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inserted {
    /// The new nodes, from the top down.
    pub nodes: Vec<NodeId>,
    /// The last decision of the path.
    pub leaf: Option<NodeId>,
    /// The outcome taken there.
    pub last_outcome: u16,
    /// The node above the new ones that took an outcome it had not taken before.
    pub turned_at: Option<NodeId>,
    /// The step where another decision came up than on an earlier run that had decided the same so far.
    pub conflict: Option<usize>,
}

/// A decision on a path that is in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    /// The node.
    pub node: NodeId,
    /// The step of the path.
    pub step: usize,
}

/// Where the next decision hangs.
#[derive(Clone, Copy)]
enum Slot {
    /// At the top of the paths of this alignment.
    Root(u64),
    Edge(u32),
}

impl Tree {
    /// Adds the path of a run.
    pub fn insert(&mut self, subject: &Subject, run: RunId, exprs: &Exprs, path: &Path) -> Inserted {
        let mut inserted = Inserted::default();
        let mut occurrences = HashMap::new();
        let mut slot = Slot::Root(path.layout().alignment);
        for (index, step, kind, key) in decisions(exprs, path) {
            let occurrence = occurrences.entry((step.site, context(step, kind))).or_insert(0);
            let against = if kind == Kind::Branch { against(step, exprs) } else { None };
            let here = Place { step, index, kind, run, occurrence: *occurrence, against };
            *occurrence += 1;
            let Some((node, is_new)) = self.enter(slot, inserted.leaf, &here, &mut inserted) else { break };
            let key = self.key_at(node, kind, key);
            let (edge, edge_is_new) = self.take(node, key, subject);
            if edge_is_new && !is_new {
                inserted.turned_at = Some(node);
            }
            (inserted.leaf, inserted.last_outcome) = (Some(node), key as u16);
            slot = Slot::Edge(edge);
        }
        inserted
    }

    /// The decisions of a path as far as they are in the tree.
    #[must_use]
    pub fn follow(&self, exprs: &Exprs, path: &Path) -> Vec<Visit> {
        self.visits(exprs, path).collect()
    }

    /// The decision of a path that is this node; none if the path does not come to it.
    #[must_use]
    pub fn find(&self, exprs: &Exprs, path: &Path, node: NodeId) -> Option<Visit> {
        self.visits(exprs, path).find(|visit| visit.node == node)
    }

    fn visits<'a>(&'a self, exprs: &'a Exprs, path: &'a Path) -> impl Iterator<Item = Visit> + 'a {
        let mut next = self.root_in(path.layout().alignment);
        decisions(exprs, path).map_while(move |(index, step, kind, key)| {
            let node = next.filter(|node| self.fits(*node, step, kind))?;
            let key = self.key_at(node, kind, key);
            let edge = self.edges_of(node).find(|edge| edge.key == key);
            next = edge.filter(|edge| edge.child != NONE).map(|edge| NodeId(edge.child));
            Some(Visit { node, step: index })
        })
    }

    /// The node at `slot`, made if there is none; none if it is another decision or there is no room.
    fn enter(
        &mut self,
        slot: Slot,
        parent: Option<NodeId>,
        here: &Place<'_>,
        inserted: &mut Inserted,
    ) -> Option<(NodeId, bool)> {
        let present = match slot {
            Slot::Root(alignment) => self.root_in(alignment),
            Slot::Edge(edge) => {
                Some(self.edges[edge as usize].child).filter(|child| *child != NONE).map(NodeId)
            }
        };
        match present {
            Some(node) if self.fits(node, here.step, here.kind) => Some((node, false)),
            Some(_) => {
                inserted.conflict = Some(here.index);
                None
            }
            None if self.is_full() => None,
            None => {
                let node = self.add(slot, parent, here);
                inserted.nodes.push(node);
                Some((node, true))
            }
        }
    }

    fn add(&mut self, slot: Slot, parent: Option<NodeId>, here: &Place<'_>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let arrived = match slot {
            Slot::Root(alignment) => {
                self.roots.push((alignment, id));
                0
            }
            Slot::Edge(edge) => {
                self.edges[edge as usize].child = id.0;
                self.edges[edge as usize].key as u16
            }
        };
        self.nodes.push(Node {
            parent: parent.map_or(NONE, |parent| parent.0),
            edges: NONE,
            site: here.step.site.unwrap_or(NONE),
            context: context(here.step, here.kind),
            depth: parent.map_or(0, |parent| self.node(parent).depth + 1),
            run: here.run,
            step: here.index as u32,
            occurrence: here.occurrence,
            first: if here.kind == Kind::Pin { 0 } else { here.step.outcome },
            arrived,
            explored: 0,
            flips: 0,
            against: here.against,
            kind: here.kind,
            state: State::Open,
        });
        self.open += 1;
        id
    }

    /// Whether a step is an instance of the node's decision. A read that a flip led outside its table is
    /// recorded as a pinned address, at the same site.
    fn fits(&self, id: NodeId, step: &Step, kind: Kind) -> bool {
        let node = self.node(id);
        let same_kind = node.kind == kind || (node.kind == Kind::Bounds && kind == Kind::Pin);
        node.site() == step.site && same_kind && node.context == context(step, kind)
    }

    fn key_at(&self, id: NodeId, kind: Kind, key: u64) -> u64 {
        if self.node(id).kind == Kind::Bounds && kind == Kind::Pin { 1 } else { key }
    }

    /// The edge with this key, made if there is none.
    pub(super) fn take(&mut self, id: NodeId, key: u64, subject: &Subject) -> (u32, bool) {
        let mut index = self.node(id).edges;
        while let Some(edge) = self.edges.get(index as usize) {
            if edge.key == key {
                return (index, false);
            }
            index = edge.next;
        }
        let index = self.edges.len() as u32;
        let node = &mut self.nodes[id.index()];
        self.edges.push(Edge { key, child: NONE, next: node.edges });
        node.edges = index;
        node.explored = node.explored.saturating_add(1);
        if outcome_count(node.kind, node.site, subject) == Some(node.explored) {
            self.close(id, State::Explored);
        }
        (index, true)
    }
}

/// A decision on the path that is being added.
struct Place<'a> {
    step: &'a Step,
    index: usize,
    kind: Kind,
    run: RunId,
    occurrence: u32,
    against: Option<u8>,
}

/// The calling context; only branches and switches have one.
fn context(step: &Step, kind: Kind) -> u32 {
    match kind {
        Kind::Branch | Kind::Switch => step.extra,
        Kind::Bounds | Kind::Pin => 0,
    }
}
