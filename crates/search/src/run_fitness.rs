//! Fitness: how close each run came to each target, and what flips of each branch did for it (Fitnex).
//!
//! F(run, target) is the smallest distance over all evaluations of the target's predicate on the run's path. As long as
//! no run has reached the predicate, F is the approach level instead; with the first run that does, everything
//! learnt about the target starts afresh, because the two scales have nothing in common.
//!
//! The gain of a branch is the average, over all flips that led into it, of F before minus F after. A run that loses the
//! predicate is a little worse than its parent rather than as bad as can be, because what it lacks may be one more
//! flip: a loop that takes another round often needs its new element changed before the predicate is evaluated again.
//! For the same reason a flip has a share in what the best flip after it gains.
//!
//! Flips of decisions that the run itself had brought up are told apart from flips of those that it inherited: changing the
//! element that was just added seldom does what changing one in the middle does.
//!
//! Beyond the paper, measured on `subjects/fitnex`: gains are kept per destination, so that a switch knows which case helps, and per
//! byte that an input is compared with, because a loop over a word has one site for all its letters.

mod chaining;
mod choose;
mod offers;

pub use chaining::Prerequisites;
pub use choose::Candidate;
pub use offers::Offers;

use crate::approach::{Approach, Count, Levels, closeness};
use crate::coverage::Coverage;
use crate::frontier::View;
use crate::heuristics::{Heuristic, Off};
use crate::measure::Distances;
use crate::tree::{Branch, NodeId, RunId, Tree};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use testwright_base::ids::OutcomeId;
use testwright_base::subject::Subject;

/// What it costs to lose the predicate of a target that the parent evaluated.
const LOSS: f64 = 1.0;
/// The share that a flip has in what a flip after it gains.
const CREDIT: f64 = 0.5;
/// How many flips share.
const CREDITED: usize = 3;
/// How many of the fittest runs are remembered per target.
const FITTEST: usize = 512;

/// Paths of fewer decisions are equally long to a search. Of longer ones those of half the length come first among equals, or a loop
/// that gains nothing would grow with every run, and with it the cost of a run.
const SHORT: usize = 64;

/// Fitness of all runs for all targets.
#[derive(Debug, Clone, Default)]
pub struct RunFitness {
    targets: Vec<Target>,
    off: Off,
}

#[derive(Debug, Clone)]
struct Target {
    outcome: OutcomeId,
    /// The branch that hits it.
    branch: Option<Branch>,
    levels: Levels,
    /// Whether a run evaluated the predicate itself.
    reached: bool,
    met: bool,
    best: f64,
    /// The fittest runs first.
    fittest: BTreeSet<Rank>,
    values: BTreeMap<RunId, Valued>,
    /// How often all of that was forgotten.
    forgotten: u32,
    tried: HashMap<Move, Tried>,
    /// How often a move began to lose the predicate each time, or ceased to.
    losses: u64,
}

/// How fit a run is: its value, how long its path is, and among equals the latest. The bits of a number that is not negative
/// order as it does.
type Rank = (u64, u32, Reverse<RunId>);

/// How a run was made from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// By a flip.
    Flip {
        /// The branch that it led into.
        branch: Branch,
        /// The byte that an input was compared with there, if that decided: a loop over a word compares with many at one
        /// site, and the one that comes next is not like those before.
        against: Option<u8>,
        /// Whether the other run was the first to come to that decision.
        fresh: bool,
    },
    /// By putting a round of a loop into a sequence, or taking one out.
    Edit {
        /// What the round decided; 0 if one was taken out.
        kind: u64,
        /// Where it was put.
        place: Place,
    },
}

impl Move {
    /// The flip of a node of a run's path into a branch.
    pub(crate) fn flip(tree: &Tree, off: Off, (node, run): (NodeId, RunId), branch: Branch) -> Move {
        let node = tree.node(node);
        Move::Flip {
            branch,
            against: node.against.filter(|_| off.keeps(Heuristic::GainPerByte)),
            fresh: node.run == run && off.keeps(Heuristic::GainOfFresh),
        }
    }
}

/// Where a round is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// After all others.
    End,
    /// Before another one.
    Before,
    /// Instead of another one.
    Instead,
    /// Nowhere: one is taken out.
    Nowhere,
    /// Somewhere else than where it was.
    Elsewhere,
}

/// What came of a move, each time that it was tried.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    gain: f64,
    count: u32,
    /// How often the run came closer than its parent.
    closer: u32,
    /// How often it lost the predicate.
    lost: u32,
}

impl Tried {
    fn average(&self) -> f64 {
        self.gain / f64::from(self.count.max(1))
    }

    fn loses(&self) -> bool {
        self.count > 0 && self.lost == self.count
    }
}

/// What is known about one of the fittest runs.
#[derive(Debug, Clone, Copy)]
struct Valued {
    value: f64,
    /// How often its path has to be halved to be short.
    length: u32,
    /// The best value that a flip on its path came to; its own if none did better.
    best_child: f64,
    /// Whether it lost the predicate, so that its value is only derived from its parent's.
    lost: bool,
    parent: Option<(Move, RunId)>,
}

impl Valued {
    fn rank(&self, run: RunId) -> Rank {
        (self.value.to_bits(), self.length, Reverse(run))
    }
}

impl RunFitness {
    /// Fitness for the targets of `coverage`.
    #[must_use]
    pub fn new(subject: &Subject, coverage: &Coverage) -> RunFitness {
        let mut approach = Approach::new(subject, coverage.scope(), Count::Blocks);
        let targets = coverage.targets().iter().map(|outcome| Target {
            outcome: *outcome,
            branch: subject.outcome(*outcome).map(|(site, _)| Branch {
                site: site.0,
                outcome: (outcome.0 - subject.sites[site.index()].first_outcome.0) as u16,
            }),
            levels: approach.levels(*outcome),
            reached: false,
            met: false,
            best: f64::INFINITY,
            fittest: BTreeSet::new(),
            values: BTreeMap::new(),
            forgotten: 0,
            tried: HashMap::new(),
            losses: 0,
        });
        RunFitness { targets: targets.collect(), off: Off::default() }
    }

    /// The same without some heuristics.
    #[must_use]
    pub fn without(self, off: Off) -> RunFitness {
        RunFitness { off, ..self }
    }

    /// How many targets there are, met ones included.
    #[must_use]
    pub fn target_count(&self) -> usize {
        self.targets.len()
    }

    /// Whether a target is met.
    #[must_use]
    pub fn is_met(&self, target: usize) -> bool {
        self.targets[target].met
    }

    /// The branch that meets a target.
    #[must_use]
    pub fn branch(&self, target: usize) -> Option<Branch> {
        self.targets[target].branch
    }

    /// The best value that any run had for a target, as the pair "reached its predicate" and value: the first
    /// decides, and a met target is better than all.
    #[must_use]
    pub fn best(&self, target: usize) -> (Reverse<bool>, f64) {
        let target = &self.targets[target];
        (Reverse(target.reached), if target.met { -1.0 } else { target.best })
    }

    /// Whether a target waits for others: its predicate was never evaluated, and no outcome that decides about that was hit;
    /// or it asks for a value that only outcomes bring about which were never hit. Until then nothing that
    /// is known about the target tells more than what is known about those others.
    #[must_use]
    pub fn waits(&self, target: usize, view: &View<'_>) -> bool {
        if !self.off.keeps(Heuristic::WaitingTargets) {
            return false;
        }
        let target = &self.targets[target];
        let is_hit = |outcome: &OutcomeId| view.coverage.first_hit(*outcome).is_some();
        let needed = view.subject.precedence(target.outcome).filter(|precedence| !precedence.anyway);
        let mut deciding = target.levels.iter().filter(|(_, level)| *level == 1).map(|(outcome, _)| outcome);
        let is_unreached = !target.reached && !target.levels.is_empty() && !deciding.any(is_hit);
        is_unreached || needed.is_some_and(|precedence| !precedence.after.iter().any(is_hit))
    }

    /// The average gain of a move, for a target.
    #[must_use]
    pub fn gain(&self, target: usize, by: Move) -> f64 {
        self.targets[target].gain(by)
    }

    /// How likely it is that a move brings a run closer to a target, by what came of it so far; if it was never tried one half, or
    /// one if there is reason to believe so.
    #[must_use]
    pub fn chance(&self, target: usize, by: Move, promises: bool) -> f64 {
        let tried = self.targets[target].tried.get(&by).copied().unwrap_or_default();
        f64::from(tried.closer + if promises { 2 } else { 1 }) / f64::from(tried.count + 2)
    }

    /// The fittest runs for a target, those with the same value together; of those that lost its predicate only if asked for.
    #[must_use]
    pub fn levels(&self, target: usize, with_lost: bool) -> Vec<Vec<RunId>> {
        let target = &self.targets[target];
        let is_meant = |run: RunId| with_lost || target.values.get(&run).is_some_and(|valued| !valued.lost);
        target.levels(is_meant)
    }

    /// Whether a move was tried for a target and lost its predicate each time.
    #[must_use]
    pub fn loses(&self, target: usize, by: Move) -> bool {
        self.targets[target].tried.get(&by).is_some_and(Tried::loses)
    }

    /// A number that changes whenever the answer of [`RunFitness::loses`] does.
    #[must_use]
    pub fn losses(&self, target: usize) -> u64 {
        self.targets[target].losses
    }

    /// F(run, target) for one of the fittest runs.
    #[must_use]
    pub fn value(&self, target: usize, run: RunId) -> Option<f64> {
        self.targets[target].values.get(&run).map(|valued| valued.value)
    }

    /// Takes note of a run with a path of so many steps, and how it was made from another one. Tells whether it is the fittest so
    /// far for some target.
    pub fn ran(
        &mut self,
        coverage: &Coverage,
        distances: &Distances,
        (run, steps): (RunId, usize),
        parent: Option<(Move, RunId)>,
    ) -> bool {
        let off = self.off;
        let length = (steps / SHORT).checked_ilog2().map_or(0, |halves| halves + 1);
        let length = if off.keeps(Heuristic::ShortPaths) { length } else { 0 };
        let parent_of_lost = parent.filter(|_| off.keeps(Heuristic::LossesKept));
        let mut improved = false;
        for target in self.targets.iter_mut().filter(|target| !target.met) {
            if coverage.first_hit(target.outcome).is_some() {
                target.forget();
                target.met = true;
                improved = true;
                continue;
            }
            let value = distances.get(target.outcome);
            if value.is_some() && !target.reached {
                target.forget();
                target.reached = true;
            }
            let value = if target.reached { value } else { closeness(&target.levels, distances) };
            let lost = value.is_none();
            let value = value.or_else(|| Some(target.values.get(&parent_of_lost?.1)?.value + LOSS));
            if let Some(value) = value {
                improved |=
                    target.record(run, Valued { value, length, best_child: value, lost, parent }, off);
            }
        }
        improved
    }
}

impl Target {
    fn gain(&self, by: Move) -> f64 {
        self.tried.get(&by).map_or(0.0, Tried::average)
    }

    /// Runs among the fittest, those with the same value and length together.
    fn levels(&self, is_meant: impl Fn(RunId) -> bool) -> Vec<Vec<RunId>> {
        let runs: Vec<_> = self.fittest.iter().filter(|(.., Reverse(run))| is_meant(*run)).collect();
        runs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .map(|level| level.iter().map(|(.., Reverse(run))| *run).collect())
            .collect()
    }

    fn forget(&mut self) {
        self.fittest.clear();
        self.values.clear();
        self.tried.clear();
        self.forgotten += 1;
        self.losses += 1;
        self.best = f64::INFINITY;
    }

    fn record(&mut self, run: RunId, valued: Valued, off: Off) -> bool {
        let value = valued.value;
        if let Some((by, parent)) = valued.parent
            && let Some(before) = self.values.get(&parent).copied()
        {
            let tried = self.tried.entry(by).or_default();
            let lost = tried.loses();
            tried.gain += before.value - value;
            tried.count += 1;
            tried.closer += u32::from(value < before.value);
            tried.lost += u32::from(valued.lost);
            self.losses += u64::from(tried.loses() != lost);
            if off.keeps(Heuristic::SharedCredit) {
                self.credit(parent, value);
            }
        }
        self.values.insert(run, valued);
        self.fittest.insert(valued.rank(run));
        if self.fittest.len() > FITTEST
            && let Some((.., Reverse(last))) = self.fittest.pop_last()
        {
            self.values.remove(&last);
        }
        let improved = value < self.best;
        self.best = self.best.min(value);
        improved
    }

    /// A flip of `run` came to `value`. If none came that close, the flips that led to `run` share in the gain.
    fn credit(&mut self, mut run: RunId, value: f64) {
        let mut share = CREDIT;
        for _ in 0..CREDITED {
            let Some(valued) = self.values.get_mut(&run) else { return };
            let gained = valued.best_child - value;
            if gained <= 0.0 {
                return;
            }
            valued.best_child = value;
            let Some((by, parent)) = valued.parent else { return };
            if let Some(tried) = self.tried.get_mut(&by) {
                tried.gain += gained * share;
            }
            (run, share) = (parent, share * CREDIT);
        }
    }
}
