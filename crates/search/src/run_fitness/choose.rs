//! Choosing flips by fitness: on the path of the fittest run, or of one drawn at random.
//!
//! On a fit path, a decision may be worth changing even though other runs took both ways there: they did so with other
//! inputs for what comes later. Such a *repeated* flip is a candidate like those of open nodes, which come
//! first among equals. Without it, what the first of two loops over different inputs should do could not be changed
//! once the second does what it should.

use super::offers::First;
use super::{Move, Offers, RunFitness, Target, Tried};
use crate::frontier::View;
use crate::heuristics::Heuristic;
use crate::random::Random;
use crate::tree::{Branch, NodeId, RunId, Tree};

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
        let is_on = view.off.keeps(Heuristic::MatchesGoOn);
        is_on && is_model && !self.again && node.run == self.run && node.against.is_some()
    }

    pub(super) fn by(self, view: &View<'_>) -> Move {
        Move::flip(view.tree, view.off, (self.node, self.run), self.branch(view.tree))
    }
}

impl RunFitness {
    /// The flip with the lowest F(path) - gain(branch), those that others took only if `again`. Ties: the
    /// branch that was flipped least, because its gain is known least; then the fittest run, the latest of these, and on its path the
    /// last decision, so that as much of a fit path as possible is kept. The target's own branch comes before all: if
    /// the solver says yes there, the target is met. A byte that a library function looks for only since the run matched the one before
    /// is taken to gain as much as the best that was tried, until it was tried itself: that is how words are completed.
    #[must_use]
    pub fn fittest(
        &self,
        target: usize,
        view: &View<'_>,
        offers: &mut Offers,
        again: bool,
    ) -> Option<Candidate> {
        let firsts = offers.firsts(self, target, view, again);
        view.look(firsts.len());
        let target = &self.targets[target];
        let rank = |first: &First| {
            let candidate = first.candidate;
            if Some(candidate.branch(view.tree)) == target.branch {
                return (f64::NEG_INFINITY, 0, candidate.again);
            }
            let tried = target.tried.get(&first.by).copied().unwrap_or_default();
            let gain = match tried.count {
                0 if candidate.extends_match(view) => target.largest_gain(),
                _ => tried.average(),
            };
            (first.value - gain, tried.count, candidate.again)
        };
        let ranked = firsts.into_iter().map(|first| ((rank(&first), first.order), first.candidate));
        let best = ranked.min_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        best.map(|(_, candidate)| candidate)
    }

    /// A flip on the path of a run that is drawn at random, fit ones more often: each value of F is passed over
    /// with probability one half. On its path the largest gain counts, then the branch that was flipped least.
    #[must_use]
    pub fn sampled(
        &self,
        target: usize,
        view: &View<'_>,
        offers: &mut Offers,
        again: bool,
        random: &mut Random,
    ) -> Option<Candidate> {
        let target = &self.targets[target];
        let mut levels = target.levels(|run| view.runs.case(run).is_some());
        view.look(target.fittest.len());
        while let Some(run) = draw(&mut levels, random) {
            let ranked = offers.of(run, view, again).into_iter().map(|(by, candidate)| {
                let tried = target.tried.get(&by).copied().unwrap_or_default();
                ((-tried.average(), tried.count, random.bits()), candidate)
            });
            let best = ranked.min_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            if let Some((_, candidate)) = best {
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
    fn largest_gain(&self) -> f64 {
        self.tried.values().map(Tried::average).fold(0.0, f64::max)
    }
}
