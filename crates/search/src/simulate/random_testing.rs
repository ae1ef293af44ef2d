//! Random testing, as simulated: runs that bring nothing are skipped in one draw.
//!
//! How many runs pass before one brings news is geometrically distributed, so the numbers are those of a simulation run by run.

use super::model::{Model, Set};
use crate::random::Random;

/// After so many runs it is given up, as in the paper.
pub const LIMIT: f64 = 1_000_000.0;

/// All paths of a model, from beginning to end.
#[derive(Debug, Clone)]
pub struct Paths {
    paths: Vec<(Set, f64)>,
    all: Set,
}

impl Paths {
    /// The paths of a model: which states they meet and how likely they are.
    #[must_use]
    pub fn new(model: &Model) -> Paths {
        let mut open = vec![(0usize, 1 as Set, 1.0)];
        let mut sets = std::collections::BTreeMap::<Set, f64>::new();
        while let Some((state, set, probability)) = open.pop() {
            if model.edges[state].is_empty() {
                *sets.entry(set).or_insert(0.0) += probability;
            }
            for edge in &model.edges[state] {
                open.push((edge.to, set | 1 << edge.to, probability * edge.probability));
            }
        }
        Paths { paths: sets.into_iter().collect(), all: model.all() }
    }

    /// How many random runs cover everything, this time.
    pub fn cover(&self, random: &mut Random) -> f64 {
        let (mut covered, mut runs) = (0, 0.0);
        while covered != self.all {
            let news = self.paths.iter().filter(|(set, _)| set & !covered != 0);
            let weights: Vec<(Set, f64)> = news.copied().collect();
            let chance: f64 = weights.iter().map(|(_, probability)| probability).sum();
            runs += 1.0 + failures(chance, random);
            if runs >= LIMIT {
                return LIMIT;
            }
            let mut rest = random.fraction() * chance;
            let drawn = weights.iter().find(|(_, probability)| {
                rest -= probability;
                rest < 0.0
            });
            covered |= drawn.or(weights.last()).map_or(0, |(set, _)| *set);
        }
        runs
    }
}

/// How many trials fail before the first success.
fn failures(chance: f64, random: &mut Random) -> f64 {
    if chance >= 1.0 {
        return 0.0;
    }
    ((1.0 - random.fraction()).ln() / (-chance).ln_1p()).floor()
}
