//! Choosing flips by fitness: on the path of the fittest run, or of one drawn at random.
//!
//! On a fit path, a decision may be worth changing even though other runs took both ways there: they did so with other
//! inputs for what comes later. Such a *repeated* flip is a candidate like those of open nodes, which come
//! first among equals. Without it, what the first of two loops over different inputs should do could not be changed
//! once the second does what it should.

use super::{Fitness, Target, average};
use crate::frontier::View;
use crate::random::Random;
use crate::tree::{Branch, Kind, NodeId, RunId, State, Tree};
use std::cmp::Reverse;
use std::collections::HashSet;

/// How many decisions of a path are looked at, from its end.
const LOOKED_AT: usize = 4096;
/// After so many runs, those that could only tie with the best node are no longer looked at.
const TIES: usize = 32;

/// A flip that may be worth trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The run whose path is left.
    pub run: RunId,
    /// Where.
    pub node: NodeId,
    /// The outcome to take instead; any value that no run had if it is a pinned value.
    pub outcome: Option<u16>,
    /// Whether other runs took it.
    pub again: bool,
}

impl Candidate {
    fn branch(self, tree: &Tree) -> Branch {
        let branch = tree.node(self.node).branch();
        Branch { outcome: self.outcome.unwrap_or(branch.outcome), ..branch }
    }
}

/// The flips that a node offers on the path of a run that took the outcome `went` there.
fn candidates(view: &View<'_>, run: RunId, id: NodeId, went: u16) -> impl Iterator<Item = Candidate> {
    let node = view.tree.node(id);
    let is_open = node.state == State::Open;
    let outcomes: Vec<(Option<u16>, bool)> = match node.kind {
        Kind::Pin | Kind::Bounds if is_open => vec![(None, false)],
        Kind::Pin | Kind::Bounds => vec![],
        // Back to where the run came from leads nowhere.
        _ if view.runs.get(run).parent.is_some_and(|(flipped, _)| flipped == id) && !is_open => vec![],
        Kind::Branch if is_open || node.state == State::Explored => vec![(Some(1 - went.min(1)), !is_open)],
        Kind::Switch if is_open || node.state == State::Explored => {
            let fresh = view.tree.unexplored(id, view.subject);
            let known = view.tree.explored(id).map(|outcome| (Some(outcome as u16), true));
            let known = known.filter(|(outcome, _)| *outcome != Some(went));
            fresh.into_iter().map(|outcome| (Some(outcome), false)).chain(known).collect()
        }
        Kind::Branch | Kind::Switch => vec![],
    };
    outcomes.into_iter().map(move |(outcome, again)| Candidate { run, node: id, outcome, again })
}

impl Fitness {
    /// The flip with the lowest F(path) - gain(branch) among those that are `allowed`. Ties: the
    /// branch that was flipped least, because its gain is known least; then the latest run, and on its path the
    /// last decision, so that as much of a fit path as possible is kept. The target's own branch comes before all: if
    /// the solver says yes there, the target is met.
    ///
    /// `spent` collects runs without candidates, so that they are looked at once only.
    #[must_use]
    pub fn fittest(
        &self,
        target: usize,
        view: &View<'_>,
        allowed: impl Fn(Candidate) -> bool,
        spent: &mut HashSet<RunId>,
    ) -> Option<Candidate> {
        let target = &self.targets[target];
        let largest_gain = target.gains.values().map(average).fold(0.0, f64::max);
        let mut best: Option<((f64, u32, bool), Candidate)> = None;
        let mut looked_at = 0;
        for (bits, Reverse(run)) in &target.fittest {
            let value = f64::from_bits(*bits);
            let lowest = best.map_or(f64::INFINITY, |((composite, ..), _)| composite);
            if value - largest_gain > lowest || (looked_at >= TIES && value - largest_gain >= lowest) {
                break;
            }
            if spent.contains(run) || view.runs.case(*run).is_none() {
                continue;
            }
            looked_at += 1;
            let offers = offers(view, *run, &allowed);
            if offers.is_empty() {
                spent.insert(*run);
            }
            for candidate in offers {
                let branch = candidate.branch(view.tree);
                let composite = if Some(branch) == target.branch {
                    (f64::NEG_INFINITY, 0, candidate.again)
                } else {
                    (value - target.gain(branch), target.trials(branch), candidate.again)
                };
                if best.is_none_or(|(lowest, _)| composite < lowest) {
                    best = Some((composite, candidate));
                }
            }
        }
        best.map(|(_, candidate)| candidate)
    }

    /// A flip on the path of a run that is drawn at random, fit ones more often: each value of F is passed over
    /// with probability one half. On its path the largest gain counts, then the branch that was flipped least.
    #[must_use]
    pub fn sampled(
        &self,
        target: usize,
        view: &View<'_>,
        allowed: impl Fn(Candidate) -> bool,
        random: &mut Random,
    ) -> Option<Candidate> {
        let target = &self.targets[target];
        let mut levels = target.levels(view);
        while let Some(run) = draw(&mut levels, random) {
            if let Some(candidate) = target.best_on(run, view, &allowed, random) {
                return Some(candidate);
            }
        }
        None
    }

    /// A run that is fit for some target that is not met, drawn at random. The first such target, which is a goal if one
    /// is left, is meant every other time.
    #[must_use]
    pub fn drawn(&self, view: &View<'_>, random: &mut Random) -> Option<RunId> {
        let open: Vec<&Target> =
            self.targets.iter().filter(|target| !target.met && !target.fittest.is_empty()).collect();
        let index = if random.below(2) == 0 { 0 } else { random.below(open.len()) };
        draw(&mut open.get(index)?.levels(view), random)
    }
}

/// Takes a run out: each level is passed over with probability one half.
fn draw(levels: &mut Vec<Vec<RunId>>, random: &mut Random) -> Option<RunId> {
    let mut level = 0;
    while level + 1 < levels.len() && random.below(2) == 0 {
        level += 1;
    }
    let runs = levels.get_mut(level)?;
    let run = runs.swap_remove(random.below(runs.len()));
    if runs.is_empty() {
        levels.remove(level);
    }
    Some(run)
}

impl Target {
    /// The fittest runs, those with the same value together.
    fn levels(&self, view: &View<'_>) -> Vec<Vec<RunId>> {
        let has_case = |(_, Reverse(run)): &&(u64, Reverse<RunId>)| view.runs.case(*run).is_some();
        let runs: Vec<_> = self.fittest.iter().filter(has_case).collect();
        runs.chunk_by(|a, b| a.0 == b.0)
            .map(|level| level.iter().map(|(_, Reverse(run))| *run).collect())
            .collect()
    }

    /// The flip on the path of a run that promises most.
    fn best_on(
        &self,
        run: RunId,
        view: &View<'_>,
        allowed: &impl Fn(Candidate) -> bool,
        random: &mut Random,
    ) -> Option<Candidate> {
        let ranked = offers(view, run, allowed).into_iter().map(|candidate| {
            let branch = candidate.branch(view.tree);
            ((-self.gain(branch), self.trials(branch), random.bits()), candidate)
        });
        let best = ranked.min_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        best.map(|(_, candidate)| candidate)
    }
}

/// The flips on the path of a run that are allowed, from its end.
fn offers(view: &View<'_>, run: RunId, allowed: &impl Fn(Candidate) -> bool) -> Vec<Candidate> {
    let info = view.runs.get(run);
    let mut went = info.last_outcome;
    let mut list = Vec::new();
    for node in info.leaf.into_iter().flat_map(|leaf| view.tree.ancestry(leaf)).take(LOOKED_AT) {
        list.extend(candidates(view, run, node, went).filter(|candidate| allowed(*candidate)));
        went = view.tree.node(node).arrived();
    }
    list
}
