//! Search-based generation: one search per target, over the scalars of a case, guided by a fitness function.
//!
//! [`levels`] says which decisions lead to a target, [`settings`] how searches go, [`seek`] does one: by the
//! alternating variable method, whose loop lies in the worker ([`testwright_abi::climb`]), or by the [`genetic`]
//! algorithm of Wegener. Both know code only through [`Evaluate`].

pub mod genetic;
pub mod levels;
mod mutate;
pub mod settings;

use genetic::Genetic;
pub use levels::Targets;
pub use settings::Settings;
use testwright_abi::climb::{Climber, Variable};
use testwright_abi::fitness::Fitness;

/// How a search for a target is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Technique {
    /// The alternating variable method.
    Avm,
    /// The genetic algorithm.
    Genetic,
}

impl Technique {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Technique::Avm => "avm",
            Technique::Genetic => "ga",
        }
    }
}

/// Runs that are judged by how far they are from one target.
pub trait Evaluate {
    /// What can be varied.
    fn variables(&self) -> &[Variable];

    /// The fitness of rows of values, in order. If one hits the target it is the last; if there are fewer for another
    /// reason, the search is to stop.
    ///
    /// # Errors
    /// In words, if cases cannot be run at all.
    fn score(&mut self, rows: &[Vec<u64>]) -> Result<Vec<Fitness>, String>;

    /// Moves a climber on until it hits the target or has made so many evaluations, or the search is to stop. `values`
    /// are those of the variables, after a hit those that led there.
    ///
    /// # Errors
    /// As [`Evaluate::score`].
    fn climb(
        &mut self,
        climber: &mut Climber,
        values: &mut Vec<u64>,
        evaluations: u64,
    ) -> Result<bool, String> {
        values.resize(self.variables().len(), 0);
        while climber.evaluations < evaluations {
            climber.ask(self.variables(), values);
            let tried = values.clone();
            let Some(fitness) = self.score(std::slice::from_ref(values))?.first().copied() else { break };
            climber.tell(self.variables(), values, fitness);
            if fitness.is_hit() {
                *values = tried;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// What a search for one target brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// The values that hit the target.
    pub found: Option<Vec<u64>>,
    /// How many runs were judged.
    pub evaluations: u64,
}

/// Searches for one target, with at most so many evaluations.
///
/// # Errors
/// As [`Evaluate::score`].
pub fn seek(
    evaluate: &mut dyn Evaluate,
    technique: Technique,
    settings: &Settings,
    seed: u64,
    evaluations: u64,
) -> Result<Sought, String> {
    match technique {
        Technique::Avm => {
            let mut climber = Climber::new(seed);
            let mut values = Vec::new();
            let hit = evaluate.climb(&mut climber, &mut values, evaluations)?;
            Ok(Sought { found: hit.then_some(values), evaluations: climber.evaluations })
        }
        Technique::Genetic => Genetic::new(settings, seed).seek(evaluate, evaluations),
    }
}
