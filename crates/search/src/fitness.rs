//! Fitness: how close each run came to each target, and what flips of each branch did for it (Fitnex).
//!
//! F(run, target) is the smallest distance over all evaluations of the target's predicate on the run's path. As long as
//! no run has reached the predicate, F is the approach level instead; with the first run that does, everything
//! learnt about the target starts afresh, because the two scales have nothing in common.
//!
//! The gain of a branch is the average, over all flips of its instances, of F before minus F after. A flip that loses
//! the predicate counts as going back to the worst value seen.

use crate::approach::{Approach, Levels, closeness};
use crate::coverage::Coverage;
use crate::frontier::Pick;
use crate::measure::Distances;
use crate::runs::Runs;
use crate::tree::{Branch, NodeId, RunId, Tree};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use testwright_base::ids::OutcomeId;
use testwright_base::subject::Subject;

/// How many of the fittest runs are remembered per target.
const FITTEST: usize = 512;
/// How many decisions of a path are looked at, from its end.
const LOOKED_AT: usize = 4096;
/// After so many runs, those that could only tie with the best node are no longer looked at.
const TIES: usize = 32;

/// Fitness of all runs for all targets.
#[derive(Debug, Clone, Default)]
pub struct Fitness {
    targets: Vec<Target>,
}

#[derive(Debug, Clone)]
struct Target {
    outcome: OutcomeId,
    levels: Levels,
    /// Whether a run evaluated the predicate itself.
    reached: bool,
    met: bool,
    best: f64,
    worst: f64,
    /// The fittest runs first, among equals the latest. The bits of a number that is not negative order as it does.
    fittest: BTreeSet<(u64, Reverse<RunId>)>,
    values: HashMap<RunId, f64>,
    gains: HashMap<Branch, (f64, u32)>,
}

impl Fitness {
    /// Fitness for the targets of `coverage`.
    #[must_use]
    pub fn new(subject: &Subject, coverage: &Coverage) -> Fitness {
        let mut approach = Approach::new(subject, coverage.scope());
        let targets = coverage.targets().iter().map(|outcome| Target {
            outcome: *outcome,
            levels: approach.levels(*outcome),
            reached: false,
            met: false,
            best: f64::INFINITY,
            worst: 0.0,
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

    /// The average gain of flipping a branch, for a target.
    #[must_use]
    pub fn gain(&self, target: usize, branch: Branch) -> f64 {
        self.targets[target].gain(branch)
    }

    /// F(run, target) for one of the fittest runs.
    #[must_use]
    pub fn value(&self, target: usize, run: RunId) -> Option<f64> {
        self.targets[target].values.get(&run).copied()
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
            improved |= target.record(run, parent, value);
        }
        improved
    }

    /// The open node among `mine` with the lowest F(path) - gain(branch), and the run on whose path it is. Ties: the
    /// branch that was flipped least, because its gain is known least; then the latest run, and on its path the
    /// last decision, so that as much of a fit path as possible is kept.
    ///
    /// `spent` collects runs without open nodes, so that they are looked at once only.
    #[must_use]
    pub fn fittest(
        &self,
        target: usize,
        tree: &Tree,
        runs: &Runs,
        mine: impl Fn(NodeId) -> bool,
        spent: &mut HashSet<RunId>,
    ) -> Option<Pick> {
        let target = &self.targets[target];
        let largest_gain = target.gains.values().map(average).fold(0.0, f64::max);
        let mut best: Option<((f64, u32), Pick)> = None;
        let mut looked_at = 0;
        for (bits, Reverse(run)) in &target.fittest {
            let value = f64::from_bits(*bits);
            let lowest = best.map_or(f64::INFINITY, |((composite, _), _)| composite);
            if value - largest_gain > lowest || (looked_at >= TIES && value - largest_gain >= lowest) {
                break;
            }
            if spent.contains(run) || runs.case(*run).is_none() {
                continue;
            }
            looked_at += 1;
            let mut has_open = false;
            let path = runs.get(*run).leaf.into_iter().flat_map(|leaf| tree.ancestry(leaf)).take(LOOKED_AT);
            for node in path.filter(|node| tree.is_open(*node) && mine(*node)) {
                has_open = true;
                let branch = tree.node(node).branch();
                let composite = (value - target.gain(branch), target.trials(branch));
                if best.is_none_or(|(lowest, _)| composite < lowest) {
                    best = Some((composite, Pick { node, run: Some(*run) }));
                }
            }
            if !has_open {
                spent.insert(*run);
            }
        }
        best.map(|(_, pick)| pick)
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
        (self.best, self.worst) = (f64::INFINITY, 0.0);
    }

    fn record(&mut self, run: RunId, parent: Option<(Branch, RunId)>, value: Option<f64>) -> bool {
        self.worst = self.worst.max(value.unwrap_or(0.0));
        if let Some((branch, parent)) = parent
            && let Some(before) = self.values.get(&parent)
        {
            let after = value.unwrap_or(self.worst + 1.0);
            let gain = self.gains.entry(branch).or_insert((0.0, 0));
            *gain = (gain.0 + before - after, gain.1 + 1);
        }
        let Some(value) = value else { return false };
        self.values.insert(run, value);
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
}

fn average((sum, count): &(f64, u32)) -> f64 {
    sum / f64::from((*count).max(1))
}
