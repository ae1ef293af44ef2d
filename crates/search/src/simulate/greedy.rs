//! The paper's greedy strategy, as simulated: it knows what paths cost, and learns how likely they are.

use super::model::{Model, Set};
use crate::plan::greedy::{Candidate, Choice, Greedy, Program};
use crate::plan::markov::{Estimate, MarkovChain, State};
use crate::plan::rewards::Rewards;
use crate::random::Random;

/// A model that is being covered.
struct Subject<'m> {
    model: &'m Model,
    random: &'m mut Random,
    /// Per state: what the cheapest path over covered states costs, and its last step.
    routes: Routes,
}

/// Cheapest paths from the beginning.
#[derive(Debug, Clone)]
pub struct Routes {
    /// Per state: the cost of the cheapest path, infinite if there is none.
    pub costs: Vec<f64>,
    /// Per state: the state before it on that path, and the position of the edge.
    last: Vec<(State, usize)>,
}

impl Routes {
    /// The cheapest paths to all states over the states in `through`.
    #[must_use]
    pub fn new(model: &Model, through: Set) -> Routes {
        let mut routes = Routes { costs: vec![f64::INFINITY; model.len()], last: vec![(0, 0); model.len()] };
        routes.costs[0] = 0.0;
        for state in (0..model.len()).filter(|state| through & (1 << state) != 0) {
            for (position, edge) in model.edges[state].iter().enumerate() {
                let cost = routes.costs[state] + edge.cost;
                if cost < routes.costs[edge.to] {
                    routes.costs[edge.to] = cost;
                    routes.last[edge.to] = (state, position);
                }
            }
        }
        routes
    }

    /// Tells of the edges of the path to a state, the last first.
    pub fn follow(&self, mut state: State, mut see: impl FnMut(State, usize)) {
        while state != 0 {
            let (before, position) = self.last[state];
            see(before, position);
            state = before;
        }
    }
}

impl Program for Subject<'_> {
    fn initial(&self) -> State {
        0
    }

    fn candidates(&mut self, rewards: &Rewards, into: &mut Vec<Candidate>) {
        let states = 0..self.model.len();
        let covered = states.clone().filter(|state| rewards.worth(*state) == 0.0);
        self.routes = Routes::new(self.model, covered.fold(0, |set, state| set | 1 << state));
        let ends = states.filter(|state| rewards.worth(*state) > 0.0 && *state != 0);
        let candidates = ends.map(|end| Candidate { end, cost: self.routes.costs[end] });
        into.extend(candidates.filter(|candidate| candidate.cost.is_finite()));
    }

    fn run(&mut self, see: &mut dyn FnMut(State, usize)) {
        self.model.walk(0, self.random, see);
    }

    fn solve(&mut self, candidate: Candidate, see: &mut dyn FnMut(State, usize)) -> bool {
        self.routes.follow(candidate.end, &mut *see);
        self.model.walk(candidate.end, self.random, see);
        true
    }
}

/// What the greedy strategy pays to cover a model, many times.
#[derive(Debug, Clone)]
pub struct Covering {
    fresh: Greedy,
}

impl Covering {
    /// Before the first time.
    #[must_use]
    pub fn new(model: &Model, estimate: Estimate) -> Covering {
        let successors: Vec<Vec<State>> =
            model.edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        Covering { fresh: Greedy::new(Rewards::new(MarkovChain::new(&successors, estimate))) }
    }

    /// What it pays this time.
    pub fn cover(&self, model: &Model, random: &mut Random) -> f64 {
        let mut greedy = self.fresh.clone();
        let mut subject = Subject { model, random, routes: Routes::new(model, 0) };
        let mut spent = 0.0;
        while greedy.is_open() {
            spent += match greedy.step(&mut subject) {
                Choice::Random => 1.0,
                Choice::Solve(candidate) => candidate.cost,
            };
        }
        spent
    }
}
