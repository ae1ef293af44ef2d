//! Bidders: the techniques that a search can take its next step by. Each is a file here; [`super::market`] chooses between them.

mod flips;
mod hunt;
mod random;

pub use flips::Flips;
pub use hunt::{Hunt, Hunter, Hunting, roomy};
pub use random::Random;

use super::ground::Ground;
use crate::exit::Failure;
use testwright_search::explore::StopReason;

/// Somebody who can take the next step of a search.
pub trait Bidder {
    /// Its name.
    fn name(&self) -> String;

    /// What its first step is expected to cost: in seconds if time is measured, otherwise in runs.
    fn first_cost(&self, timed: bool) -> f64;

    /// Takes a step.
    fn step(&mut self, ground: &mut Ground<'_, '_>) -> Result<Step, Failure>;
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It was taken, by whom in particular.
    Taken(Option<String>),
    /// There is nothing to offer any more, and why.
    Declined(StopReason),
}
