//! CarFast: the branch with most uncovered code behind its other side.
//!
//! Park, Hossain, Hussain, Csallner, Grechanik, Taneja, Fu, Xie: CarFast, achieving higher statement coverage
//! faster (2012). What lies behind is counted in outcomes not hit, over all of the interprocedural graph.

use super::by_branch::ByBranch;
use super::{Frontier, Pick, View};
use crate::random::Random;
use crate::tree::{Branch, NodeId};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Picks what promises most.
#[derive(Debug, Default)]
pub struct CarFast {
    nodes: ByBranch,
    /// What lies behind each branch, as long as so many goals are open.
    behind: HashMap<Branch, u32>,
    open_goals: usize,
}

impl Frontier for CarFast {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.nodes.add(view, node);
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        let open_goals = view.coverage.open_goals().len();
        if self.open_goals != open_goals {
            self.behind.clear();
            self.open_goals = open_goals;
        }
        let behind = &mut self.behind;
        let mut key = |branch: Branch| {
            let nearest = view.map.distance_from(view.subject, view.coverage, branch);
            let count = behind
                .entry(branch)
                .or_insert_with(|| view.map.goals_from(view.subject, view.coverage, branch));
            (Reverse(*count), nearest)
        };
        let branches = self.nodes.branches(view);
        let (best, _) = branches.into_iter().min_by_key(|(branch, _)| key(*branch))?;
        self.nodes.take(best).map(Pick::from)
    }
}
