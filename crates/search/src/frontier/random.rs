//! Random: any open node, each as likely as the others, none twice.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;

/// Picks any node.
#[derive(Debug, Default)]
pub struct Uniform {
    nodes: Vec<NodeId>,
}

impl Frontier for Uniform {
    fn added(&mut self, _view: &View<'_>, node: NodeId) {
        self.nodes.push(node);
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        while !self.nodes.is_empty() {
            let node = self.nodes.swap_remove(random.below(self.nodes.len()));
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
