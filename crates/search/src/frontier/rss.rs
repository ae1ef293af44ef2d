//! Random state: any outcome that was not taken, each as likely as the others.
//!
//! After KLEE's searcher of that name: a state is an outcome that waits to be explored, so a switch with ten cases
//! left counts ten times. A pinned value counts once.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;

/// Picks any outcome.
#[derive(Debug, Default)]
pub struct RandomState {
    /// A node for each of its outcomes that were not taken when it was announced.
    states: Vec<NodeId>,
}

impl Frontier for RandomState {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        let count = view.tree.unexplored(node, view.subject).len().max(1);
        self.states.extend(std::iter::repeat_n(node, count));
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        while !self.states.is_empty() {
            let node = self.states.swap_remove(random.below(self.states.len()));
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
