//! Random path: a walk from the root that takes any way at each node, until it takes one that nobody took.
//!
//! After KLEE's searcher of that name (Cadar, Dunbar, Engler, 2008): nodes high in the tree are likelier, and a loop
//! that makes thousands of nodes gets no larger share. Parts of the tree without nodes to pick are left out.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;

/// Picks by a random walk.
#[derive(Debug, Default)]
pub struct RandomPath {
    /// Per node of the tree: whether it is ours to pick.
    mine: Vec<bool>,
    /// Per node: nothing to pick at it or below it.
    dead: Vec<bool>,
}

impl Frontier for RandomPath {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.mine.resize(view.tree.len(), false);
        self.dead.resize(view.tree.len(), false);
        self.mine[node.index()] = true;
        // Above a node that is alive all are; the walk up ends where that is known already.
        for above in view.tree.ancestry(node) {
            if !std::mem::replace(&mut self.dead[above.index()], false) && above != node {
                break;
            }
        }
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        self.mine.resize(view.tree.len(), false);
        self.dead.resize(view.tree.len(), false);
        let roots: Vec<NodeId> = view.tree.roots().filter(|root| !self.dead[root.index()]).collect();
        let mut node = match roots.as_slice() {
            [] => return None,
            [only] => *only,
            several => several[random.below(several.len())],
        };
        loop {
            let mut ways: Vec<NodeId> =
                view.tree.children(node).filter(|child| !self.dead[child.index()]).collect();
            if view.tree.is_open(node) && self.mine[node.index()] {
                ways.push(node);
            }
            if ways.is_empty() {
                // Walks come here once: from now on the node is left out.
                self.dead[node.index()] = true;
                let Some(parent) = view.tree.node(node).parent() else { return self.next(view, random) };
                node = parent;
                continue;
            }
            let way = ways[random.below(ways.len())];
            if way == node {
                return Some(node.into());
            }
            node = way;
        }
    }
}
