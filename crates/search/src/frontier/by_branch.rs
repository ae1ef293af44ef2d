//! Nodes sorted by the branch of which they are instances, for rules that judge branches.

use super::View;
use crate::tree::{Branch, NodeId};
use std::collections::{BTreeMap, VecDeque};

/// Nodes by branch.
#[derive(Debug, Default)]
pub struct ByBranch {
    nodes: BTreeMap<Branch, VecDeque<NodeId>>,
}

impl ByBranch {
    /// Adds a node.
    pub fn add(&mut self, view: &View<'_>, node: NodeId) {
        self.nodes.entry(view.tree.node(node).branch()).or_default().push_back(node);
    }

    /// The branches that have open nodes, and how many nodes they hold.
    pub fn branches(&mut self, view: &View<'_>) -> Vec<(Branch, usize)> {
        self.nodes.retain(|_, nodes| {
            while nodes.front().is_some_and(|node| !view.tree.is_open(*node)) {
                nodes.pop_front();
            }
            !nodes.is_empty()
        });
        self.nodes.iter().map(|(branch, nodes)| (*branch, nodes.len())).collect()
    }

    /// Takes the oldest node of a branch; open if the branch was just listed.
    pub fn take(&mut self, branch: Branch) -> Option<NodeId> {
        self.nodes.get_mut(&branch)?.pop_front()
    }

    /// Takes the node at a position, or the oldest if that one is not open.
    pub fn take_at(&mut self, view: &View<'_>, branch: Branch, position: usize) -> Option<NodeId> {
        let nodes = self.nodes.get_mut(&branch)?;
        match nodes.get(position) {
            Some(node) if view.tree.is_open(*node) => nodes.remove(position),
            _ => nodes.pop_front(),
        }
    }
}
