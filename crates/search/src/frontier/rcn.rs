//! Random-cover-new: a random node, the more likely the nearer its other side is to uncovered code.
//!
//! After KLEE's searcher of that name (Cadar, Dunbar, Engler, 2008), whose weight falls with the square of the
//! distance to uncovered instructions.

use super::by_branch::ByBranch;
use super::{Frontier, Pick, View};
use crate::map::UNREACHABLE;
use crate::random::Random;
use crate::tree::{Branch, NodeId};

/// Where no goal can be reached, this distance is assumed: unlikely, but not impossible.
const FAR: f64 = 10_000.0;

/// Picks at random, near uncovered code.
#[derive(Debug, Default)]
pub struct RandomCoverNew {
    nodes: ByBranch,
}

impl Frontier for RandomCoverNew {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.nodes.add(view, node);
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        let branches = self.nodes.branches(view);
        let weight = |branch: Branch, count: usize| {
            let distance = match view.map.distance_from(view.subject, view.coverage, branch) {
                UNREACHABLE => FAR,
                edges => f64::from(edges) + 1.0,
            };
            count as f64 / (distance * distance)
        };
        let weights: Vec<f64> = branches.iter().map(|(branch, count)| weight(*branch, *count)).collect();
        let (branch, count) = branches[random.weighted(&weights)?];
        self.nodes.take_at(view, branch, random.below(count)).map(Pick::from)
    }
}
