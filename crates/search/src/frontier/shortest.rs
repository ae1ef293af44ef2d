//! Shortest: nodes by depth, but only those of the smallest depth ever seen.
//!
//! Alone it gives up soon; inside `per-location` it flips every site once, as early on a path as possible.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Picks nodes of the smallest depth.
#[derive(Debug, Default)]
pub struct Shortest {
    nodes: BinaryHeap<Reverse<(u32, NodeId)>>,
    smallest: Option<u32>,
}

impl Frontier for Shortest {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        let depth = view.tree.node(node).depth;
        self.smallest = Some(self.smallest.map_or(depth, |smallest| smallest.min(depth)));
        self.nodes.push(Reverse((depth, node)));
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        while let Some(Reverse((depth, node))) = self.nodes.peek().copied() {
            if Some(depth) != self.smallest {
                return None;
            }
            self.nodes.pop();
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
