//! Context-guided search: by depth, but only nodes whose context was not flipped yet.
//!
//! Seo, Kim: How we get there, a context-guided search strategy in concolic testing (2014). The context of a node is
//! the sequence of the last k branches that lead to it. All nodes are gone through with k = 1, then again with k = 2, up to a limit;
//! beyond it contexts no longer matter and what is left is taken by depth.

use super::subpath::subpath;
use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Picks new contexts.
#[derive(Debug)]
pub struct Cgs {
    longest: u32,
    length: u32,
    seen: HashSet<u64>,
    nodes: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// Nodes that were passed over with the present length.
    passed: Vec<Reverse<(u32, NodeId)>>,
}

impl Cgs {
    /// With contexts of up to `longest` branches.
    #[must_use]
    pub fn new(longest: u32) -> Cgs {
        Cgs { longest, length: 1, seen: HashSet::new(), nodes: BinaryHeap::new(), passed: Vec::new() }
    }
}

impl Frontier for Cgs {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.nodes.push(Reverse((view.tree.node(node).depth, node)));
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        loop {
            while let Some(entry) = self.nodes.pop() {
                let Reverse((_, node)) = entry;
                if !view.tree.is_open(node) {
                    continue;
                }
                if self.length > self.longest || self.seen.insert(subpath(view.tree, node, self.length)) {
                    return Some(node.into());
                }
                self.passed.push(entry);
            }
            if self.passed.is_empty() {
                return None;
            }
            self.length = (self.length + 1).min(self.longest.saturating_add(1));
            self.seen.clear();
            self.nodes.extend(self.passed.drain(..));
        }
    }
}
