//! Context-bordered breadth first: by how often the path decided at the same site in the same calling context before.
//!
//! All first visits of a site from anywhere come first, then all second rounds of loops, and so on.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Picks the least repeated.
#[derive(Debug, Default)]
pub struct ContextBordered {
    nodes: BinaryHeap<Reverse<(u32, u32, NodeId)>>,
}

impl Frontier for ContextBordered {
    fn added(&mut self, view: &View<'_>, id: NodeId) {
        let node = view.tree.node(id);
        self.nodes.push(Reverse((node.occurrence, node.depth, id)));
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        while let Some(Reverse((_, _, node))) = self.nodes.pop() {
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
