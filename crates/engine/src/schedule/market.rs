//! The market: as long as goals are open and something is left of the budget, the best bid takes the next step.
//!
//! With one bidder it is that technique and nothing else. When every path is explored and nothing but the shapes of inputs could
//! lead to more, the others may go on for as long again as the search took until then: a proof it is not, but there is little hope.
//!
//! A technique that fails by a fault of ours bids no more; the others go on. What costs time beforehand waits: input searches are prepared when
//! their bidder first wins, and which goals of callees can be reached is asked after `SOON`.

use super::state::SearchState;
use super::steps::{Log, Taken};
use crate::failure::Failure;
use crate::technique::{Bidder, Step};
use std::time::{Duration, Instant};
use testwright_search::concolic::{StopReason, Way};
use testwright_search::heuristics::Heuristic;
use testwright_search::plan::auction::{Account, Auction};

/// So many more runs are made for one that returns when all goals are met by runs that did not.
const TRIES: u64 = 100;
/// What the others may spend at least when every path is explored: seconds, or runs.
const ENCORE: (f64, f64) = (0.05, 128.0);
/// Where mutants want time, too, a turn ends when half of its time is over,
const SHARE: f64 = 0.5;
/// and this part of it brought no goal.
const VAIN: f64 = 0.25;
/// What may be spent before it is worth asking which goals are impossible: seconds, or runs.
const SOON: (f64, f64) = (1.0, 500.0);

/// Lets the bidders take steps until the search is to end; why it does.
pub fn trade(
    state: &mut SearchState<'_, '_>,
    market: &mut Market,
    bidders: &mut [Box<dyn Bidder>],
    log: &mut Log<'_>,
) -> StopReason {
    // The plainest case is run whoever bids.
    let is_first = state.search.runs().is_empty();
    let first = is_first.then(|| state.step(Way::Strategy(0))).transpose();
    let mut stop = match first {
        Ok(_) => market.run(state, bidders, log),
        Err(reason) => reason,
    };
    log.end(state);
    look_for_a_return(state, &mut stop);
    let is_late = state.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    match stop {
        StopReason::Interrupted | StopReason::GoalsMet => stop,
        // Whatever the others still tried, every path was explored.
        _ if market.explored_at.is_some() => StopReason::Exhausted,
        // The end of the time may be noticed first by a run that it cuts short.
        StopReason::Failed(_) if is_late => StopReason::Deadline,
        stop => stop,
    }
}

/// What the bidders of one function have brought and spent so far.
pub struct Market {
    auction: Auction,
    /// What all steps have cost.
    spent: f64,
    /// What had been spent when the last path was explored.
    explored_at: Option<f64>,
    /// Why the last bidder declined.
    last: StopReason,
    /// What went wrong first, by a fault of ours. The others go on.
    pub failure: Option<String>,
    /// The time that choosing between bidders took.
    pub planning: Duration,
}

impl Market {
    /// The market of these bidders before the first step.
    pub fn new(bidders: &[Box<dyn Bidder>], timed: bool) -> Market {
        Market {
            auction: Auction::new(bidders.iter().map(|bidder| bidder.first_cost(timed))),
            spent: 0.0,
            explored_at: None,
            last: StopReason::Declined,
            failure: None,
            planning: Duration::ZERO,
        }
    }

    fn run(
        &mut self,
        state: &mut SearchState<'_, '_>,
        bidders: &mut [Box<dyn Bidder>],
        log: &mut Log<'_>,
    ) -> StopReason {
        let (begun, mut gained) = (Instant::now(), Instant::now());
        loop {
            if let Some(reason) = state.limit_reached() {
                return reason;
            }
            if state.setting.shares_time && is_in_vain(begun, gained, state.deadline) {
                return StopReason::Deadline;
            }
            if self.is_done(state) {
                return StopReason::Exhausted;
            }
            let soon = if state.is_timed() { SOON.0 } else { SOON.1 };
            if self.spent > soon && state.has_time_for_analysis() && state.keeps(Heuristic::RuleOut) {
                state.rule_out().unwrap_or_else(|failure| self.note(failure));
            }
            let planning = Instant::now();
            let Some(winner) = self.auction.winner() else { return self.last.clone() };
            let bidder = &mut bidders[winner];
            state.turn = bidder.name();
            self.planning += planning.elapsed();
            let (met, runs, started) = (state.met(), state.runs(), Instant::now());
            let step = bidder.step(state).unwrap_or_else(|failure| {
                self.note(failure);
                Step::Declined(StopReason::Declined)
            });
            let elapsed = started.elapsed();
            let planning = Instant::now();
            let goals = state.met() - met;
            if goals > 0 {
                gained = planning;
            }
            let cost = if state.is_timed() {
                elapsed.as_secs_f64()
            } else {
                ((state.runs() - runs) as f64).max(1.0)
            };
            let bids = self.auction.accounts().iter().map(Account::bid);
            let by = match &step {
                Step::Taken(by) => by.clone(),
                Step::Declined(_) => None,
            };
            log.note(state, &Taken { bids: bids.collect(), winner, by, goals, cost });
            self.settle(winner, step, goals, cost);
            self.planning += planning.elapsed();
        }
    }

    /// Remembers what went wrong: the other bidders, and the other functions, need not suffer for it.
    fn note(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure.message);
    }

    fn settle(&mut self, winner: usize, step: Step, goals: u64, cost: f64) {
        self.spent += cost;
        self.auction.settle(winner, goals, cost);
        if goals > 0 {
            // There may be new paths, and new values to start from.
            self.auction.reopen();
            self.explored_at = None;
        }
        if let Step::Declined(reason) = step {
            if reason == StopReason::Exhausted {
                self.explored_at.get_or_insert(self.spent);
            }
            self.auction.decline(winner);
            self.last = reason;
        }
    }

    /// Whether every path was explored, and the others have had their time since.
    fn is_done(&self, state: &SearchState<'_, '_>) -> bool {
        let Some(explored_at) = self.explored_at else { return false };
        let gaps = state.gaps();
        let encore = if state.is_timed() { ENCORE.0 } else { ENCORE.1 };
        let coverage = state.search.coverage();
        let are_decided =
            coverage.open_goals().iter().all(|goal| state.setting.criteria.is_decided_by_paths(*goal));
        let most = if state.keeps(Heuristic::Encore) { 2.0 * explored_at + encore } else { 0.0 };
        // Other values may meet a goal that no path decides.
        are_decided
            && (gaps.leave_nothing_of(&coverage.open_outcomes())
                || (!gaps.may_hide_paths() && self.spent > most))
    }
}

/// Whether the rest of a turn is worth more to others.
fn is_in_vain(begun: Instant, gained: Instant, deadline: Option<Instant>) -> bool {
    let whole = deadline.map(|deadline| deadline.saturating_duration_since(begun));
    whole.is_some_and(|whole| {
        begun.elapsed() >= whole.mul_f64(SHARE) && gained.elapsed() >= whole.mul_f64(VAIN)
    })
}

/// A test needs a run that returns; if no goal asks for one, a few more runs look for it.
fn look_for_a_return(state: &mut SearchState<'_, '_>, stop: &mut StopReason) {
    if !state.keeps(Heuristic::LookForReturn) {
        return;
    }
    let most = state.search.runs().len() as u64 + TRIES;
    let is_over = |state: &SearchState<'_, '_>| {
        state.is_interrupted()
            || state.runs_left() == Some(0)
            || state.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || state.search.runs().len() as u64 >= most
    };
    while *stop == StopReason::GoalsMet && state.tally.first_returned.is_none() && !is_over(state) {
        if let Err(reason) = state.step(Way::Strategy(0)) {
            *stop = reason;
        }
    }
    let is_late = state.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    if *stop == StopReason::GoalsMet && state.tally.first_returned.is_none() && is_late {
        // There is no test yet, so another turn is wanted if time is left.
        *stop = StopReason::Deadline;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Somebody who can be asked for a price only.
    struct Idle(f64);

    impl Bidder for Idle {
        fn name(&self) -> String {
            "idle".to_owned()
        }

        fn first_cost(&self, _: bool) -> f64 {
            self.0
        }

        fn step(&mut self, _: &mut SearchState<'_, '_>) -> Result<Step, Failure> {
            Ok(Step::Declined(StopReason::Declined))
        }
    }

    fn market() -> Market {
        let bidders: [Box<dyn Bidder>; 2] = [Box::new(Idle(1.0)), Box::new(Idle(2.0))];
        Market::new(&bidders, false)
    }

    #[test]
    fn the_cheapest_first_step_is_taken_first() {
        assert_eq!(market().auction.winner(), Some(0));
    }

    #[test]
    fn when_every_path_is_explored_the_market_remembers_what_had_been_spent() {
        let mut market = market();
        market.settle(1, Step::Taken(None), 0, 3.0);
        market.settle(0, Step::Declined(StopReason::Exhausted), 0, 1.0);
        assert_eq!((market.spent, market.explored_at), (4.0, Some(4.0)));
        assert_eq!(market.last, StopReason::Exhausted);
        market.settle(0, Step::Declined(StopReason::Exhausted), 0, 1.0);
        assert_eq!(market.explored_at, Some(4.0), "the first time counts");
        market.settle(1, Step::Taken(None), 1, 1.0);
        assert_eq!(market.explored_at, None, "a new goal may have new paths behind it");
    }

    #[test]
    fn who_declines_is_asked_again_when_somebody_met_a_goal() {
        let mut market = market();
        market.settle(0, Step::Declined(StopReason::Declined), 0, 1.0);
        assert_eq!(market.auction.winner(), Some(1));
        market.settle(1, Step::Declined(StopReason::Runs), 0, 1.0);
        assert_eq!(market.auction.winner(), None);
        market.settle(1, Step::Taken(None), 1, 1.0);
        assert!(market.auction.winner().is_some());
    }

    #[test]
    fn a_turn_is_in_vain_when_half_of_it_is_over_and_a_quarter_brought_nothing() {
        let now = Instant::now();
        let ago = |seconds: u64| now - Duration::from_secs(seconds);
        let until = |seconds: u64| Some(now + Duration::from_secs(seconds));
        assert!(is_in_vain(ago(50), ago(30), until(50)));
        assert!(!is_in_vain(ago(50), ago(20), until(50)), "there was news");
        assert!(!is_in_vain(ago(40), ago(40), until(60)), "it has just begun");
        assert!(!is_in_vain(ago(50), ago(50), None), "runs are counted");
    }

    #[test]
    fn the_first_fault_of_ours_is_the_one_that_is_told() {
        let mut market = market();
        market.note(Failure::bug("first"));
        market.note(Failure::bug("second"));
        assert_eq!(market.failure.as_deref(), Some("first"));
    }
}
