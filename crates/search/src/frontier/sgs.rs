//! Subpath-guided search: the node at the end of the least seen sequence of n branches.
//!
//! Li, Su, Wang, Li: Steering symbolic execution to less traveled paths (2013). Every node that is found counts its
//! subpath once; among nodes of the same subpath the choice is random.

use super::subpath::subpath;
use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;
use std::collections::{BTreeSet, HashMap};

/// Picks the least travelled.
#[derive(Debug)]
pub struct Sgs {
    length: u32,
    groups: HashMap<u64, Group>,
    /// How often each subpath was seen, those without nodes left out.
    order: BTreeSet<(u64, u64)>,
}

#[derive(Debug, Default)]
struct Group {
    seen: u64,
    nodes: Vec<NodeId>,
}

impl Sgs {
    /// With subpaths of `length` branches.
    #[must_use]
    pub fn new(length: u32) -> Sgs {
        Sgs { length, groups: HashMap::new(), order: BTreeSet::new() }
    }
}

impl Frontier for Sgs {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        let key = subpath(view.tree, node, self.length);
        let group = self.groups.entry(key).or_default();
        self.order.remove(&(group.seen, key));
        group.seen += 1;
        group.nodes.push(node);
        self.order.insert((group.seen, key));
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        while let Some((seen, key)) = self.order.first().copied() {
            let group = self.groups.get_mut(&key)?;
            if group.nodes.is_empty() {
                self.order.remove(&(seen, key));
                continue;
            }
            let node = group.nodes.swap_remove(random.below(group.nodes.len()));
            if view.tree.is_open(node) {
                return Some(node.into());
            }
        }
        None
    }
}
