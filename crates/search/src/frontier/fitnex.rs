//! Fitnex: the node whose path came closest to a target, less what flips of its branch usually gain.
//!
//! Xie, Tillmann, de Halleux, Schulte: Fitness-guided path exploration in dynamic symbolic execution (2009). The
//! measures are in [`crate::run_fitness`]. There are as many targets as outcomes not hit; the one that was tried in
//! vain least often is aimed at, so a target is pursued for as long as flips bring runs closer to it. Where they do not
//! any more, the search has come to a local optimum: then other runs than the fittest have their turn, and
//! other flips than those of open nodes.

use super::{Flip, Frontier, Pick, View};
use crate::heuristics::Heuristic;
use crate::random::Random;
use crate::run_fitness::{Candidate, Offers};
use crate::tree::{Branch, Kind, NodeId};
use std::cmp::Reverse;
use std::collections::HashMap;

/// After so many flips in vain, runs are drawn instead of taking the fittest.
const PATIENCE: u32 = 6;
/// After so many flips in vain, decisions are changed that other runs took both ways.
const STAGNATION: u32 = 12;
/// Targets that wait for others have their turn when those were aimed at so often in vain: what is known about the code may be
/// incomplete.
const WAITING: u32 = 100;

/// Picks the fittest.
#[derive(Debug, Default)]
pub struct Fitnex {
    offers: Offers,
    /// Per target: how often it was aimed at in vain since it last came closer.
    vain: Vec<u32>,
    /// Nodes that had not taken a branch when they were announced, the latest last.
    leading_to: HashMap<Branch, Vec<NodeId>>,
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
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        if let (Some(site), Kind::Branch | Kind::Switch | Kind::Bounds) =
            (view.tree.node(node).site(), view.tree.node(node).kind)
        {
            for outcome in view.tree.unexplored(node, view.subject) {
                self.leading_to.entry(Branch { site, outcome }).or_default().push(node);
            }
        }
        self.offers.add(node);
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

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        let fitness = view.fitness;
        self.vain.resize(fitness.target_count(), 0);
        let mut targets: Vec<usize> =
            (0..fitness.target_count()).filter(|target| !fitness.is_met(*target)).collect();
        targets.sort_by_key(|target| {
            self.vain[*target] + if fitness.waits(*target, view) { WAITING } else { 0 }
        });
        let is_direct = view.off.keeps(Heuristic::DirectFlips);
        let direct = targets.iter().find_map(|target| self.direct(view, *target).filter(|_| is_direct));
        if let Some((target, node, outcome)) = direct {
            self.aimed = Some(Aim { target, node, best: fitness.best(target) });
            return Some(Pick { node, run: Some(view.tree.node(node).run), outcome: Some(outcome) });
        }
        for target in targets {
            let again = self.vain[target] >= STAGNATION && view.off.keeps(Heuristic::RepeatedFlips);
            // Every other time, so that what is found by drawing is followed up.
            let stuck = self.vain[target] >= PATIENCE
                && self.vain[target].is_multiple_of(2)
                && view.off.keeps(Heuristic::DrawnRuns);
            let candidate = if stuck {
                fitness.sampled(target, view, &mut self.offers, again, random)
            } else {
                fitness.fittest(target, view, &mut self.offers, again)
            };
            if let Some(candidate) = candidate {
                self.offers.take(candidate);
                let Candidate { run, node, outcome, .. } = candidate;
                self.aimed = Some(Aim { target, node, best: fitness.best(target) });
                return Some(Pick { node, run: Some(run), outcome });
            }
        }
        None
    }

    fn progressed(&self) -> bool {
        self.progressed
    }
}

impl Fitnex {
    /// A flip that leads to the target itself, the latest first. It is worth a question to the solver however far the run was from the
    /// target: if the answer is yes the target is met, and if not, the question cost no run.
    fn direct(&mut self, view: &View<'_>, target: usize) -> Option<(usize, NodeId, u16)> {
        let branch = view.fitness.branch(target)?;
        let nodes = self.leading_to.get_mut(&branch)?;
        while let Some(node) = nodes.last().copied() {
            view.look(1);
            let leads_there = view.tree.explored(node).all(|key| key != u64::from(branch.outcome));
            if view.tree.is_open(node) && leads_there {
                return Some((target, node, branch.outcome));
            }
            nodes.pop();
        }
        None
    }
}
