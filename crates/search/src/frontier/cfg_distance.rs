//! CFG distance: the branch whose other side is fewest edges from code not covered.
//!
//! Burnim, Sen: Heuristics for scalable dynamic test generation (CREST, 2008).

use super::by_branch::ByBranch;
use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::NodeId;

/// Picks the nearest to uncovered code.
#[derive(Debug, Default)]
pub struct CfgDistance {
    nodes: ByBranch,
}

impl Frontier for CfgDistance {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.nodes.add(view, node);
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        let branches = self.nodes.branches(view);
        let distance = |branch| view.map.distance_from(view.subject, view.coverage, branch);
        let (nearest, _) = branches.into_iter().min_by_key(|(branch, _)| distance(*branch))?;
        self.nodes.take(nearest).map(Pick::from)
    }
}
