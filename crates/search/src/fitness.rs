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

mod choose;

pub use choose::Candidate;

use crate::approach::{Approach, Levels, closeness};
use crate::coverage::Coverage;
use crate::measure::Distances;
use crate::tree::{Branch, RunId};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
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

/// Fitness of all runs for all targets.
#[derive(Debug, Clone, Default)]
pub struct Fitness {
    targets: Vec<Target>,
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
    /// The fittest runs first, among equals the latest. The bits of a number that is not negative order as it does.
    fittest: BTreeSet<(u64, Reverse<RunId>)>,
    values: HashMap<RunId, Valued>,
    gains: HashMap<Branch, (f64, u32)>,
}

/// What is known about one of the fittest runs.
#[derive(Debug, Clone, Copy)]
struct Valued {
    value: f64,
    /// The best value that a flip on its path came to; its own if none did better.
    best_child: f64,
    parent: Option<(Branch, RunId)>,
}

impl Fitness {
    /// Fitness for the targets of `coverage`.
    #[must_use]
    pub fn new(subject: &Subject, coverage: &Coverage) -> Fitness {
        let mut approach = Approach::new(subject, coverage.scope());
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
            values: HashMap::new(),
            gains: HashMap::new(),
        });
        Fitness { targets: targets.collect() }
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

    /// The best value that any run had for a target, as the pair "reached its predicate" and value: the first
    /// decides, and a met target is better than all.
    #[must_use]
    pub fn best(&self, target: usize) -> (Reverse<bool>, f64) {
        let target = &self.targets[target];
        (Reverse(target.reached), if target.met { -1.0 } else { target.best })
    }

    /// The average gain of flips into a branch, for a target.
    #[must_use]
    pub fn gain(&self, target: usize, branch: Branch) -> f64 {
        self.targets[target].gain(branch)
    }

    /// F(run, target) for one of the fittest runs.
    #[must_use]
    pub fn value(&self, target: usize, run: RunId) -> Option<f64> {
        self.targets[target].values.get(&run).map(|valued| valued.value)
    }

    /// Takes note of a run, made by flipping an instance of a branch on another run's path. Tells whether it is the fittest so
    /// far for some target.
    pub fn ran(
        &mut self,
        coverage: &Coverage,
        distances: &Distances,
        run: RunId,
        parent: Option<(Branch, RunId)>,
    ) -> bool {
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
            let value = value.or_else(|| Some(target.values.get(&parent?.1)?.value + LOSS));
            improved |= target.record(run, parent, value);
        }
        improved
    }
}

impl Target {
    fn gain(&self, branch: Branch) -> f64 {
        self.gains.get(&branch).map_or(0.0, average)
    }

    fn trials(&self, branch: Branch) -> u32 {
        self.gains.get(&branch).map_or(0, |(_, count)| *count)
    }

    fn forget(&mut self) {
        self.fittest.clear();
        self.values.clear();
        self.gains.clear();
        self.best = f64::INFINITY;
    }

    fn record(&mut self, run: RunId, parent: Option<(Branch, RunId)>, value: Option<f64>) -> bool {
        let Some(value) = value else { return false };
        if let Some((branch, parent)) = parent
            && let Some(before) = self.values.get(&parent).copied()
        {
            let gain = self.gains.entry(branch).or_insert((0.0, 0));
            *gain = (gain.0 + before.value - value, gain.1 + 1);
            self.credit(parent, value);
        }
        self.values.insert(run, Valued { value, best_child: value, parent });
        self.fittest.insert((value.to_bits(), Reverse(run)));
        if self.fittest.len() > FITTEST
            && let Some((_, Reverse(last))) = self.fittest.pop_last()
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
            let Some((branch, parent)) = valued.parent else { return };
            if let Some(gain) = self.gains.get_mut(&branch) {
                gain.0 += gained * share;
            }
            (run, share) = (parent, share * CREDIT);
        }
    }
}

fn average((sum, count): &(f64, u32)) -> f64 {
    sum / f64::from((*count).max(1))
}
