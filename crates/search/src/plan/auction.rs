//! The auction: which of several bidders takes the next step, learnt from what each has delivered so far.
//!
//! A bidder offers a rate: new goals per cost. It is the mean of its latest steps, with one more goal for hope, over what these
//! cost and what it has spent in vain since it last brought something:
//!
//! rate = (goals + 1) / (cost + in vain + first)
//!
//! So a bidder that was never asked offers one goal for its first step, one that delivers offers what it delivers, and one that
//! does not offers less and less until the others do. News of anybody open new ways for all, so they halve what everybody spent
//! in vain. Each bidder has a fair share of [`FAIR`] of all cost whatever it offers.

use super::bid::Bid;

/// How much of the latest steps stays with each further one.
const FADING: f64 = 7.0 / 8.0;
/// The share of all cost that every bidder gets.
pub const FAIR: f64 = 0.01;
/// No step is cheaper than this, so that rates are finite.
const LEAST: f64 = 1e-9;

/// What a bidder brought, in all and lately.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Steps taken.
    pub steps: u64,
    /// New goals met.
    pub goals: u64,
    /// What the steps cost.
    pub cost: f64,
    /// What the first step is expected to cost.
    first: f64,
    lately: Bid,
    in_vain: f64,
    /// The mean cost of a step lately.
    step: f64,
    declined: bool,
}

impl Account {
    fn new(first: f64) -> Account {
        let (first, lately) = (first.max(LEAST), Bid { reward: 0.0, cost: 0.0 });
        Account { steps: 0, goals: 0, cost: 0.0, first, lately, in_vain: 0.0, step: first, declined: false }
    }

    /// What the bidder offers for its next step.
    #[must_use]
    pub fn bid(&self) -> Bid {
        let rate = (self.lately.reward + 1.0) / (self.lately.cost + self.in_vain + self.first);
        Bid { reward: rate * self.step, cost: self.step }
    }

    /// Whether the bidder has nothing to offer any more.
    #[must_use]
    pub fn has_declined(&self) -> bool {
        self.declined
    }

    fn settle(&mut self, goals: u64, cost: f64) {
        let cost = cost.max(LEAST);
        self.steps += 1;
        self.goals += goals;
        self.cost += cost;
        let Bid { reward, cost: before } = self.lately;
        self.lately = Bid { reward: FADING * reward + goals as f64, cost: FADING * before + cost };
        self.in_vain = if goals > 0 { 0.0 } else { self.in_vain + cost };
        self.step = if self.steps == 1 { cost } else { FADING * self.step + (1.0 - FADING) * cost };
    }
}

/// The accounts of all bidders.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Auction {
    accounts: Vec<Account>,
}

impl Auction {
    /// An auction among bidders whose first steps are expected to cost this.
    #[must_use]
    pub fn new(first: impl IntoIterator<Item = f64>) -> Auction {
        Auction { accounts: first.into_iter().map(Account::new).collect() }
    }

    /// The accounts, in the order of the bidders.
    #[must_use]
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Who takes the next step; none if all have declined.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        let total: f64 = self.accounts.iter().map(|account| account.cost).sum();
        let willing = || self.accounts.iter().enumerate().filter(|(_, account)| !account.declined);
        let is_short = |account: &Account| account.cost + account.step <= FAIR * total;
        if let Some((neglected, _)) = willing().find(|(_, account)| is_short(account)) {
            return Some(neglected);
        }
        let best = super::bid::best(willing().map(|(_, account)| account.bid()))?;
        willing().nth(best).map(|(index, _)| index)
    }

    /// Takes note of what a step brought and cost.
    pub fn settle(&mut self, bidder: usize, goals: u64, cost: f64) {
        self.accounts[bidder].settle(goals, cost);
        if goals > 0 {
            self.accounts.iter_mut().for_each(|account| account.in_vain /= 2.0);
        }
    }

    /// A bidder has nothing to offer.
    pub fn decline(&mut self, bidder: usize) {
        self.accounts[bidder].declined = true;
    }

    /// Something happened that may give everybody something to offer again.
    pub fn reopen(&mut self) {
        self.accounts.iter_mut().for_each(|account| account.declined = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps until `total` cost is spent; bidder `i` brings a goal every `every[i]` of its steps (never if 0), each of cost `cost[i]`.
    fn play(auction: &mut Auction, every: &[u64], cost: &[f64], total: f64) {
        let mut spent = 0.0;
        while spent < total {
            let winner = auction.winner().expect("nobody declines");
            let step = auction.accounts()[winner].steps + 1;
            let goals = u64::from(every[winner] > 0 && step.is_multiple_of(every[winner]));
            auction.settle(winner, goals, cost[winner]);
            spent += cost[winner];
        }
    }

    fn shares(auction: &Auction) -> Vec<f64> {
        let total: f64 = auction.accounts().iter().map(|account| account.cost).sum();
        auction.accounts().iter().map(|account| account.cost / total).collect()
    }

    #[test]
    fn who_was_never_asked_offers_a_goal_for_its_first_step() {
        let auction = Auction::new([2.0, 1.0, 4.0]);
        assert_eq!(auction.accounts()[0].bid(), Bid { reward: 1.0, cost: 2.0 });
        assert_eq!(auction.winner(), Some(1), "the cheapest hope is tried first");
    }

    #[test]
    fn the_bidder_that_delivers_most_per_cost_gets_nearly_all() {
        let mut auction = Auction::new([1.0, 1.0]);
        // The second brings a goal in 4 steps of cost 1, the first one in 3 steps of cost 10.
        play(&mut auction, &[3, 4], &[10.0, 1.0], 10_000.0);
        let shares = shares(&auction);
        assert!(shares[1] > 0.9 && shares[0] >= FAIR / 2.0, "{shares:?}");
    }

    #[test]
    fn those_who_bring_nothing_share_the_cost_evenly() {
        let mut auction = Auction::new([1.0, 5.0, 1.0]);
        play(&mut auction, &[0, 0, 0], &[1.0, 50.0, 2.0], 30_000.0);
        let shares = shares(&auction);
        assert!(shares.iter().all(|share| (share - 1.0 / 3.0).abs() < 0.02), "{shares:?}");
    }

    #[test]
    fn nobody_is_left_without_a_fair_share() {
        let mut auction = Auction::new([1.0, 1e6]);
        // The second is expected to cost too much for anybody to ask it, but costs 1.
        play(&mut auction, &[1, 0], &[1.0, 1.0], 1000.0);
        assert_eq!(auction.accounts()[1].steps, 0, "its first step alone is more than its share");
        play(&mut auction, &[1, 0], &[1e5, 1.0], 2e8);
        assert!(auction.accounts()[1].steps > 1000, "{:?}", auction.accounts()[1]);
    }

    #[test]
    fn news_of_one_give_the_others_hope() {
        let mut auction = Auction::new([1.0, 1.0]);
        auction.settle(0, 0, 64.0);
        let before = auction.accounts()[0].bid().rate();
        auction.settle(1, 1, 1.0);
        assert!(auction.accounts()[0].bid().rate() > 1.2 * before);
    }

    #[test]
    fn who_declines_is_not_asked_until_all_are() {
        let mut auction = Auction::new([1.0, 2.0]);
        auction.decline(0);
        assert_eq!(auction.winner(), Some(1));
        auction.decline(1);
        assert_eq!(auction.winner(), None);
        auction.reopen();
        assert_eq!(auction.winner(), Some(0));
    }
}
