//! The Markov abstraction: states, where control may go from them, and how often it did.
//!
//! Probabilities are estimated from counts that grow with every run, so nothing is computed until somebody asks.

/// A number of a state.
pub type State = usize;
/// A number of an edge; the edges of a state follow each other.
pub type Edge = usize;

/// How probabilities are estimated. All give every edge a chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimate {
    /// (#(s,t) + 1) / (#s + n) with n successors: as if each had been seen once before.
    #[default]
    Laplace,
    /// Successors never seen share the probability N1 / (#s + 1), where N1 is how many were seen once, or 1/2 if none was;
    /// those seen share the rest by their counts.
    GoodTuring,
}

/// The abstraction of a program.
#[derive(Debug, Clone)]
pub struct MarkovChain {
    /// Where the edges of each state begin, and where the last ones end.
    starts: Vec<Edge>,
    targets: Vec<State>,
    taken: Vec<u64>,
    /// Per state: how often it was left.
    left: Vec<u64>,
    /// Per state: the states whose rewards it has too, and which share of them.
    calls: Vec<Vec<(State, f64)>>,
    estimate: Estimate,
}

impl MarkovChain {
    /// The chain with these successors per state, before any run.
    #[must_use]
    pub fn new(successors: &[Vec<State>], estimate: Estimate) -> MarkovChain {
        let mut starts = vec![0];
        let mut targets = Vec::new();
        for successors in successors {
            targets.extend(successors);
            starts.push(targets.len());
        }
        let taken = vec![0; targets.len()];
        let (left, calls) = (vec![0; successors.len()], vec![Vec::new(); successors.len()]);
        MarkovChain { starts, targets, taken, left, calls, estimate }
    }

    /// At `state` something else happens before control goes on, such as a call: a share of its reward is added.
    pub fn add_call(&mut self, state: State, callee: State, share: f64) {
        self.calls[state].push((callee, share));
    }

    /// What is called at a state, and which share of its reward counts.
    #[must_use]
    pub fn calls(&self, state: State) -> &[(State, f64)] {
        &self.calls[state]
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The edges of a state.
    #[must_use]
    pub fn edges(&self, state: State) -> std::ops::Range<Edge> {
        self.starts[state]..self.starts[state + 1]
    }

    /// Where an edge leads.
    #[must_use]
    pub fn target(&self, edge: Edge) -> State {
        self.targets[edge]
    }

    /// The edge between two states.
    #[must_use]
    pub fn edge(&self, from: State, to: State) -> Option<Edge> {
        self.edges(from).find(|edge| self.targets[*edge] == to)
    }

    /// Takes note that a run took an edge of a state so many times.
    pub fn observe(&mut self, state: State, edge: Edge, times: u64) {
        debug_assert!(self.edges(state).contains(&edge), "edge {edge} does not leave state {state}");
        self.taken[edge] += times;
        self.left[state] += times;
    }

    /// The estimated probability of an edge of a state.
    #[must_use]
    pub fn probability(&self, state: State, edge: Edge) -> f64 {
        let (taken, left) = (self.taken[edge] as f64, self.left[state] as f64);
        let edges = self.edges(state);
        match self.estimate {
            Estimate::Laplace => (taken + 1.0) / (left + edges.len() as f64),
            Estimate::GoodTuring => self.good_turing(edges, taken, left),
        }
    }

    fn good_turing(&self, edges: std::ops::Range<Edge>, taken: f64, left: f64) -> f64 {
        let counts = &self.taken[edges];
        let never = counts.iter().filter(|taken| **taken == 0).count() as f64;
        if never == 0.0 {
            return taken / left;
        }
        if never == counts.len() as f64 {
            return 1.0 / never;
        }
        let once = counts.iter().filter(|taken| **taken == 1).count() as f64;
        let unseen = once.max(0.5) / (left + 1.0);
        if taken == 0.0 { unseen / never } else { (1.0 - unseen) * taken / left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(estimate: Estimate, counts: &[u64], expected: &[f64]) {
        let mut chain = MarkovChain::new(&[(1..=counts.len()).collect(), vec![], vec![], vec![]], estimate);
        for (edge, count) in counts.iter().enumerate() {
            chain.observe(0, edge, *count);
        }
        let probabilities: Vec<f64> = chain.edges(0).map(|edge| chain.probability(0, edge)).collect();
        for (probability, expected) in probabilities.iter().zip(expected) {
            assert!((probability - expected).abs() < 1e-12, "{probabilities:?} instead of {expected:?}");
        }
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{probabilities:?}");
    }

    #[test]
    fn laplace_counts_every_edge_once_more() {
        check(Estimate::Laplace, &[0, 0], &[0.5, 0.5]);
        check(Estimate::Laplace, &[0, 1], &[1.0 / 3.0, 2.0 / 3.0]);
        check(Estimate::Laplace, &[0, 8], &[0.1, 0.9]);
        check(Estimate::Laplace, &[2, 0, 4], &[3.0 / 9.0, 1.0 / 9.0, 5.0 / 9.0]);
    }

    #[test]
    fn good_turing_gives_the_unseen_what_was_seen_once() {
        check(Estimate::GoodTuring, &[0, 0], &[0.5, 0.5]);
        check(Estimate::GoodTuring, &[3, 1], &[0.75, 0.25]);
        check(Estimate::GoodTuring, &[0, 1], &[0.5, 0.5]);
        check(Estimate::GoodTuring, &[0, 1, 4], &[1.0 / 6.0, 1.0 / 6.0, 4.0 / 6.0]);
        check(Estimate::GoodTuring, &[0, 9], &[0.05, 0.95]);
    }
}
