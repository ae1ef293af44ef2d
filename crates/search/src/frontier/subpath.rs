//! Subpaths: the last branches before a node and the one it stands for, as one number.

use crate::tree::{NodeId, Tree};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A number that is the same for nodes with the same last `length` decisions: sites and the ways they went, the node's own
/// included.
pub fn subpath(tree: &Tree, id: NodeId, length: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut outcome = tree.node(id).branch().outcome;
    for node in tree.ancestry(id).take(length as usize) {
        let node = tree.node(node);
        (node.site(), outcome).hash(&mut hasher);
        outcome = node.arrived();
    }
    hasher.finish()
}
