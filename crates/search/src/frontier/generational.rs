//! Generational search: all nodes of one run, then all of the run that covered most.
//!
//! Godefroid, Levin, Molnar: Automated whitebox fuzz testing (SAGE, 2008). A run's own nodes are those below the node
//! that was flipped to get it, which is the generational bound of the paper.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::{NodeId, RunId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

/// Picks a generation at a time.
#[derive(Debug, Default)]
pub struct Generational {
    /// Nodes of runs that wait: by news, most first, then by age.
    waiting: BTreeMap<(Reverse<u32>, RunId), VecDeque<NodeId>>,
    current: VecDeque<NodeId>,
}

impl Frontier for Generational {
    fn added(&mut self, view: &View<'_>, id: NodeId) {
        let run = view.tree.node(id).run;
        self.waiting.entry((Reverse(view.runs.get(run).news), run)).or_default().push_back(id);
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        loop {
            while let Some(node) = self.current.pop_front() {
                if view.tree.is_open(node) {
                    return Some(node.into());
                }
            }
            self.current = self.waiting.pop_first()?.1;
        }
    }
}
