//! Depth first: the deepest node of the whole tree, the latest first.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;
use std::collections::BinaryHeap;

/// Picks the deepest.
#[derive(Debug, Default)]
pub struct DepthFirst {
    nodes: BinaryHeap<(u32, NodeId)>,
}

impl Frontier for DepthFirst {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.nodes.push((view.tree.node(node).depth, node));
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        while let Some((_, node)) = self.nodes.pop() {
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
