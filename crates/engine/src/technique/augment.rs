//! Augmentation as a bidder: solves for goals that no flip leads to, along paths that came to their site.

use super::{Bidder, Step};
use crate::failure::Failure;
use crate::schedule::SearchState;

/// What a query and a run are expected to cost, in seconds.
const FIRST: f64 = 1e-3;

/// Augmented path conditions.
pub struct Augment;

impl Bidder for Augment {
    fn name(&self) -> String {
        "augment".to_owned()
    }

    fn first_cost(&self, timed: bool) -> f64 {
        if timed { FIRST } else { 1.0 }
    }

    fn step(&mut self, state: &mut SearchState<'_, '_>) -> Result<Step, Failure> {
        Ok(match state.augment() {
            Ok(()) => Step::Taken(None),
            Err(reason) => Step::Declined(reason),
        })
    }
}
