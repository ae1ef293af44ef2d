//! Bidders: the techniques that can take the next step of a search. Each is a file here; `crate::schedule` chooses between them.

mod augment;
pub mod evaluator;
mod flips;
mod input_search;
mod random;
mod techniques;

use augment::Augment;
use flips::Flips;
use input_search::InputSearch;
pub(crate) use input_search::{FunctionAnalysis, InputSearchSetting, roomy};
use random::Random;
pub use techniques::{TechniqueName, Techniques};

use crate::failure::Failure;
use crate::schedule::SearchState;
use testwright_search::concolic::StopReason;

/// Somebody who can take the next step of a search.
pub(crate) trait Bidder {
    /// Its name.
    fn name(&self) -> String;

    /// What its first step is expected to cost: in seconds if time is measured, otherwise in runs.
    fn first_cost(&self, timed: bool) -> f64;

    /// Takes a step.
    fn step(&mut self, state: &mut SearchState<'_, '_>) -> Result<Step, Failure>;
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// It was taken, by whom in particular.
    Taken(Option<String>),
    /// There is nothing to offer any more, and why.
    Declined(StopReason),
}
