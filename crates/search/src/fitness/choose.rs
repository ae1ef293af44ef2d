//! Choosing flips by fitness: on the path of the fittest run, or of one drawn at random.
//!
//! On a fit path, a decision may be worth changing even though other runs took both ways there: they did so with other
//! inputs for what comes later. Such a *repeated* flip is a candidate like those of open nodes, which come
//! first among equals. Without it, what the first of two loops over different inputs should do could not be changed
//! once the second does what it should.

use super::{Fitness, Move, Target, Tried};
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

    /// Whether a library function looks for a certain byte there for the first time because this run matched the one before.
    fn extends_match(self, view: &View<'_>) -> bool {
        let node = view.tree.node(self.node);
        let site = node.site().and_then(|site| view.subject.sites.get(site as usize));
        let is_model = site.is_some_and(|site| view.subject.function(site.function).model);
        is_model && !self.again && node.run == self.run && node.against.is_some()
    }

    fn by(self, tree: &Tree) -> Move {
        let node = tree.node(self.node);
        Move::Flip { branch: self.branch(tree), against: node.against, fresh: node.run == self.run }
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
    /// the solver says yes there, the target is met. A byte that a library function looks for only since the run matched the one before
    /// is taken to gain as much as the best that was tried, until it was tried itself: that is how words are completed.
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
        let largest_gain = target.tried.values().map(Tried::average).fold(0.0, f64::max);
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
                let by = candidate.by(view.tree);
                let composite = if Some(branch) == target.branch {
                    (f64::NEG_INFINITY, 0, candidate.again)
                } else {
                    let gain = match target.trials(by) {
                        0 if candidate.extends_match(view) => largest_gain,
                        _ => target.gain(by),
                    };
                    (value - gain, target.trials(by), candidate.again)
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
        let mut levels = target.levels(|run| view.runs.case(run).is_some());
        while let Some(run) = draw(&mut levels, random) {
            if let Some(candidate) = target.best_on(run, view, &allowed, random) {
                return Some(candidate);
            }
        }
        None
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
    /// The flip on the path of a run that promises most.
    fn best_on(
        &self,
        run: RunId,
        view: &View<'_>,
        allowed: &impl Fn(Candidate) -> bool,
        random: &mut Random,
    ) -> Option<Candidate> {
        let ranked = offers(view, run, allowed).into_iter().map(|candidate| {
            let by = candidate.by(view.tree);
            ((-self.gain(by), self.trials(by), random.bits()), candidate)
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
