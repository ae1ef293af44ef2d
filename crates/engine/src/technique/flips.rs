//! Flips as a bidder: several strategies, and the planner of the greedy technique, hold an auction of their own.

use super::{Bidder, Step};
use crate::failure::Failure;
use crate::schedule::SearchState;
use std::time::Instant;
use testwright_search::concolic::{StopReason, Way};
use testwright_search::heuristics::{Heuristic, Off};
use testwright_search::plan::auction::Auction;

/// What a flip is expected to cost, in seconds.
const FIRST: f64 = 1e-3;
/// So many flips the first way may make in vain before the others have their turn.
const LEAD: f64 = 200.0;

/// Flips, by one or several ways to choose them.
pub struct Flips {
    ways: Vec<(String, Way)>,
    auction: Auction,
}

impl Flips {
    /// Flips by these ways, each with its name.
    pub fn new(ways: Vec<(String, Way)>, off: Off) -> Flips {
        // The first is the one that serves most code best, so the others wait until it has spent much in vain.
        let lead = if off.keeps(Heuristic::LeadOfFirst) { LEAD } else { 1.0 };
        let first = (0..ways.len()).map(|index| if index == 0 { 1.0 } else { lead });
        Flips { auction: Auction::new(first), ways }
    }
}

impl Bidder for Flips {
    fn name(&self) -> String {
        "flips".to_owned()
    }

    fn first_cost(&self, timed: bool) -> f64 {
        if timed { FIRST } else { 1.0 }
    }

    fn step(&mut self, state: &mut SearchState<'_, '_>) -> Result<Step, Failure> {
        if state.flips_are_spent() {
            return Ok(Step::Declined(StopReason::Runs));
        }
        let mut declined = StopReason::Declined;
        while let Some(winner) = self.auction.winner() {
            let (met, started) = (state.met(), Instant::now());
            let (name, way) = &self.ways[winner];
            match state.step(*way) {
                // What came before the winner's own pick is neither its merit nor its cost.
                Ok(by) if !by.is_of_way() => {
                    self.auction.reopen();
                    return Ok(Step::Taken(Some(by.name().to_owned())));
                }
                Ok(_) => {
                    // Among themselves flips are compared by time in the unit of the first guess, or by number.
                    let cost = if state.is_timed() { started.elapsed().as_secs_f64() / FIRST } else { 1.0 };
                    self.auction.settle(winner, state.met() - met, cost);
                    let name = name.clone();
                    self.auction.reopen();
                    return Ok(Step::Taken(Some(name)));
                }
                Err(StopReason::Declined) => self.auction.decline(winner),
                Err(reason) => {
                    declined = reason;
                    break;
                }
            }
        }
        self.auction.reopen();
        Ok(Step::Declined(declined))
    }
}
