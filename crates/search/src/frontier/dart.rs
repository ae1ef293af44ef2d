//! DART: flip the last decision of the latest path, then the one before it, and so on.
//!
//! Godefroid, Klarlund, Sen: DART, directed automated random testing (2005). In contrast to depth first, a short
//! path that was just found goes before a long one that is older.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;

/// Picks the node that was found last.
#[derive(Debug, Default)]
pub struct Dart {
    stack: Vec<NodeId>,
}

impl Frontier for Dart {
    fn added(&mut self, _view: &View<'_>, node: NodeId) {
        self.stack.push(node);
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        while let Some(node) = self.stack.pop() {
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
