//! Coverage-bordered breadth first: by decisions since the path last covered something new.
//!
//! The border is not the depth from the root but the distance from where new code was found, so a long path that just
//! broke through is explored like a short one.

use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::{NodeId, RunId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use testwright_base::ids::OutcomeId;

/// Picks the nearest to what was covered last.
#[derive(Debug, Default)]
pub struct CoverageBordered {
    nodes: BinaryHeap<Reverse<(u32, u32, NodeId)>>,
    /// Per node of the tree: decisions since something new was covered.
    borders: Vec<u32>,
}

impl CoverageBordered {
    /// Whether the way from the parent to `node` was new when the run came along.
    fn is_news(view: &View<'_>, parent: NodeId, arrived: u16, run: RunId) -> bool {
        let site = view.tree.node(parent).site().and_then(|site| view.subject.sites.get(site as usize));
        let outcome = site.filter(|site| u32::from(arrived) < site.outcome_count);
        let outcome = outcome.map(|site| OutcomeId(site.first_outcome.0 + u32::from(arrived)));
        outcome.and_then(|outcome| view.coverage.first_hit(outcome)) == Some(run)
    }
}

impl Frontier for CoverageBordered {
    fn added(&mut self, view: &View<'_>, id: NodeId) {
        let node = view.tree.node(id);
        let border = node.parent().map_or(0, |parent| {
            if Self::is_news(view, parent, node.arrived(), node.run) {
                return 0;
            }
            self.borders.get(parent.index()).map_or(0, |border| border + 1)
        });
        if self.borders.len() <= id.index() {
            self.borders.resize(id.index() + 1, 0);
        }
        self.borders[id.index()] = border;
        self.nodes.push(Reverse((border, node.depth, id)));
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
