//! Breadth first: nodes by depth, the earliest first (iterative deepening).

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Picks by depth.
#[derive(Debug, Default)]
pub struct BreadthFirst {
    nodes: BinaryHeap<Reverse<(u32, NodeId)>>,
}

impl Frontier for BreadthFirst {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.nodes.push(Reverse((view.tree.node(node).depth, node)));
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        while let Some(Reverse((_, node))) = self.nodes.pop() {
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
