//! Bids: what a technique offers for the next step.

/// What a step is expected to bring and to cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bid {
    /// Goals that it is expected to meet for the first time.
    pub reward: f64,
    /// What it costs, in the unit that all bids share; more than 0.
    pub cost: f64,
}

impl Bid {
    /// Expected new goals per unit of cost.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.reward / self.cost
    }
}

/// The position of the best bid, the first of equal ones; none if there are no bids.
#[must_use]
pub fn best(bids: impl IntoIterator<Item = Bid>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (position, bid) in bids.into_iter().enumerate() {
        if best.is_none_or(|(_, rate)| bid.rate() > rate) {
            best = Some((position, bid.rate()));
        }
    }
    best.map(|(position, _)| position)
}
