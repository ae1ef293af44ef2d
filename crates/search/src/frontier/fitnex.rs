//! Fitnex: the node whose path came closest to a target, less what flips of its branch usually gain.
//!
//! Xie, Tillmann, de Halleux, Schulte: Fitness-guided path exploration in dynamic symbolic execution (2009). The
//! measures are in [`crate::fitness`]. There are as many targets as outcomes not hit; the one that was tried in
//! vain least often is aimed at, so a target is pursued for as long as flips bring runs closer to it.

use super::{Flip, Frontier, Pick, View};
use crate::random::Random;
use crate::tree::{NodeId, RunId};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Picks the fittest.
#[derive(Debug, Default)]
pub struct Fitnex {
    /// Per node of the tree: whether it is ours to pick.
    mine: Vec<bool>,
    /// Per target: how often it was aimed at in vain since it last came closer.
    vain: Vec<u32>,
    spent: HashSet<RunId>,
    aimed: Option<Aim>,
    progressed: bool,
}

#[derive(Debug)]
struct Aim {
    target: usize,
    node: NodeId,
    best: (Reverse<bool>, f64),
}

impl Frontier for Fitnex {
    fn added(&mut self, _view: &View<'_>, node: NodeId) {
        if self.mine.len() <= node.index() {
            self.mine.resize(node.index() + 1, false);
        }
        self.mine[node.index()] = true;
    }

    fn flipped(&mut self, view: &View<'_>, flip: &Flip) {
        let Some(aim) = self.aimed.take().filter(|aim| aim.node == flip.node) else { return };
        self.progressed = view.fitness.best(aim.target) < aim.best;
        if self.progressed {
            self.vain[aim.target] = 0;
        } else if flip.run.is_some() {
            self.vain[aim.target] += 1;
        }
    }

    fn next(&mut self, view: &View<'_>, _random: &mut Random) -> Option<Pick> {
        let fitness = view.fitness;
        self.vain.resize(fitness.target_count(), 0);
        let mut targets: Vec<usize> =
            (0..fitness.target_count()).filter(|target| !fitness.is_met(*target)).collect();
        targets.sort_by_key(|target| self.vain[*target]);
        for target in targets {
            let mine = |node: NodeId| self.mine.get(node.index()) == Some(&true);
            if let Some(pick) = fitness.fittest(target, view.tree, view.runs, mine, &mut self.spent) {
                self.aimed = Some(Aim { target, node: pick.node, best: fitness.best(target) });
                return Some(pick);
            }
        }
        None
    }

    fn progressed(&self) -> bool {
        self.progressed
    }
}
