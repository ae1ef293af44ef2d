//! The study itself: every strategy on every model, and what it costs relative to the optimum.
//!
//! A strategy's figure for a size is its mean cost over all models and repetitions, divided by the mean of the optima, as in the
//! paper's table. Every number depends on the seed alone: each model and each strategy on it has random numbers of its own, so that
//! another choice of sizes leaves the figures of the others as they are.

use super::greedy::{Covering, Routes};
use super::model::Model;
use super::optimum::{TooLarge, optimum};
use super::ours;
use super::random_testing::Paths;
use super::rules::{AnyPath, AnyState, CoverNew, Deepest, Generation, Latest, LeastSeen, NewContext, Rule};
use super::tree::Tree;
use crate::plan::markov::Estimate;
use crate::random::Random;
use std::ops::ControlFlow;

/// What to study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Numbers of states, each one of [`super::model::SIZES`].
    pub sizes: Vec<usize>,
    /// How many models of each size.
    pub models: usize,
    /// How often each strategy covers each model.
    pub repetitions: usize,
    /// How the greedy strategy estimates probabilities.
    pub estimate: Estimate,
    /// Decides all random choices.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Numbers of states.
    pub sizes: Vec<usize>,
    /// Per size: the mean cost of the optimum.
    pub optimum: Vec<f64>,
    /// Per strategy, in the order of [`STRATEGIES`]: the cost relative to the optimum, per size.
    pub relative_cost: Vec<Vec<f64>>,
}

/// A strategy under study.
#[derive(Debug)]
pub struct Strategy {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    prepare: for<'m> fn(&'m Model, Estimate) -> Cover<'m>,
}

/// Covers a model once and says what that cost.
type Cover<'m> = Box<dyn Fn(&mut Random) -> f64 + 'm>;

/// All strategies.
pub const STRATEGIES: &[Strategy] = &[
    Strategy { name: "RT", about: "random runs only", prepare: random_testing },
    Strategy { name: "RCN", about: "random-cover-new (KLEE)", prepare: by_rule::<CoverNew> },
    Strategy { name: "RSS", about: "random state (KLEE)", prepare: by_rule::<AnyState> },
    Strategy { name: "RPS", about: "random path (KLEE)", prepare: by_rule::<AnyPath> },
    Strategy { name: "DFS", about: "depth first (KLEE)", prepare: by_rule::<Deepest> },
    Strategy { name: "DART", about: "the last branch of the latest run (DART)", prepare: by_rule::<Latest> },
    Strategy { name: "GS", about: "generational search (SAGE)", prepare: by_rule::<Generation> },
    Strategy { name: "CGS", about: "context-guided", prepare: by_rule::<NewContext> },
    Strategy { name: "SGS", about: "subpath-guided", prepare: by_rule::<LeastSeen> },
    Strategy { name: "greedy", about: "most new states per cost (the paper's)", prepare: greedy },
    Strategy { name: "ours", about: "most saved per cost", prepare: save },
];

/// After so many repetitions a study asks whether to go on.
const SLICE: usize = 100;

/// How far a study is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The size at hand.
    pub states: usize,
    /// Models done, of all sizes.
    pub done: usize,
    /// All models.
    pub total: usize,
}

/// Does the study; `observe` sees how far it is and may end it, which leaves nothing.
///
/// # Errors
/// If the optimum of a model cannot be computed.
pub fn study(
    config: &Config,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<Study>, TooLarge> {
    let mut study = Study {
        sizes: config.sizes.clone(),
        optimum: Vec::new(),
        relative_cost: vec![Vec::new(); STRATEGIES.len()],
    };
    let total = config.models * config.sizes.len();
    for (position, states) in config.sizes.iter().copied().enumerate() {
        let (mut least, mut costs) = (0.0, vec![0.0; STRATEGIES.len()]);
        for number in 0..config.models {
            let progress = Progress { states, done: position * config.models + number, total };
            let model = Model::random(states, &mut source(config.seed, &[states, number]));
            least += optimum(&model)?;
            for (place, strategy) in STRATEGIES.iter().enumerate() {
                let mut random = source(config.seed, &[states, number, place + 1]);
                for first in (0..config.repetitions).step_by(SLICE) {
                    if observe(progress).is_break() {
                        return Ok(None);
                    }
                    let times = SLICE.min(config.repetitions - first);
                    costs[place] += strategy.total_cost(&model, config.estimate, times, &mut random);
                }
            }
        }
        study.optimum.push(least / config.models as f64);
        for (relative, cost) in study.relative_cost.iter_mut().zip(costs) {
            relative.push(cost / config.repetitions as f64 / least);
        }
    }
    Ok(Some(study))
}

impl Strategy {
    /// What covering a model so many times costs in all. The greedy strategy estimates probabilities as it is told.
    #[must_use]
    pub fn total_cost(&self, model: &Model, estimate: Estimate, times: usize, random: &mut Random) -> f64 {
        let cover = (self.prepare)(model, estimate);
        (0..times).map(|_| cover(random)).sum()
    }
}

/// Random numbers that depend on the seed and on what they are for.
fn source(seed: u64, purpose: &[usize]) -> Random {
    purpose.iter().fold(Random::new(seed), |mut random, part| Random::new(random.bits() ^ *part as u64))
}

fn random_testing<'m>(model: &'m Model, _estimate: Estimate) -> Cover<'m> {
    let paths = Paths::new(model);
    Box::new(move |random| paths.cover(random))
}

fn by_rule<'m, E: Rule + Default>(model: &'m Model, _estimate: Estimate) -> Cover<'m> {
    Box::new(|random| {
        let mut explorer = E::default();
        let mut tree = Tree::new(model, random);
        while tree.covered != model.all() {
            let next = explorer.pick(&tree, random);
            tree.take(next, random);
        }
        tree.spent
    })
}

fn greedy<'m>(model: &'m Model, estimate: Estimate) -> Cover<'m> {
    let covering = Covering::new(model, estimate);
    Box::new(move |random| covering.cover(model, random))
}

fn save<'m>(model: &'m Model, _estimate: Estimate) -> Cover<'m> {
    let routes = Routes::new(model, model.all());
    Box::new(move |random| ours::cover(model, &routes, random))
}
