//! Our own strategy: as greedy as the paper's, but a state is worth what covering it alone would cost.
//!
//! Everything has to be covered in the end, so a run is worth what it saves. The paper counts uncovered states instead: it
//! solves cheap paths to states that random runs are about to meet, and runs at random for states that are expensive
//! either way. Here the worth of an uncovered state t is D(t), the least expected cost to meet it alone: over all
//! states u, solve the cheapest path to u again and again until the run that goes on from there meets t. The reward equations
//! with these worths give G(u), what a run saves from u on. A random run offers G(initial) for 1. A solved path offers
//! what it meets for certain and G of its end for its cost; *every* path is a candidate, also one that ends in covered
//! code, just before an edge that is dear to solve and likely to be taken.
//!
//! Probabilities are estimated from random steps alone, since what was solved says nothing about chance. The
//! estimate is (#(s,t) + 1/2) / (#s + n/2): branches are lopsided more often than not, which this prior expects.

use super::greedy::Routes;
use super::model::{Edge, Model, Set};
use crate::random::Random;

/// As if every edge had been taken so often before the first run.
const PRIOR: f64 = 0.5;

/// A step.
enum Step {
    Random,
    /// The states of the path to solve, from the beginning, with the cost.
    Solve(Vec<usize>, f64),
}

struct Covering<'m> {
    model: &'m Model,
    covered: Set,
    /// Per state and edge: how often random steps took it.
    taken: Vec<[f64; 2]>,
    routes: &'m Routes,
}

/// What it pays to cover a model, this time. `routes` are the cheapest paths of the model through any states.
#[must_use]
pub fn cover(model: &Model, routes: &Routes, random: &mut Random) -> f64 {
    let mut covering = Covering { model, covered: 0, taken: vec![[0.0; 2]; model.len()], routes };
    let mut spent = 1.0;
    covering.go_on(0, random);
    while covering.covered != model.all() {
        match covering.plan() {
            Step::Solve(path, cost) => {
                spent += cost;
                covering.covered |= path.iter().fold(0, |set, state| set | 1 << state);
                covering.go_on(path[path.len() - 1], random);
            }
            Step::Random => spent += covering.run_for_a_while(random),
        }
    }
    spent
}

impl Covering<'_> {
    /// Runs at random until something is new or there were enough runs to plan again; how many there were.
    fn run_for_a_while(&mut self, random: &mut Random) -> f64 {
        let before = self.covered;
        let enough = 1.0 + (self.taken[0][0] + self.taken[0][1]) / 16.0;
        let mut runs = 0.0;
        while runs < enough && self.covered == before {
            self.go_on(0, random);
            runs += 1.0;
        }
        runs
    }

    fn go_on(&mut self, state: usize, random: &mut Random) {
        self.covered |= 1 << state;
        let model = self.model;
        model.walk(state, random, |state, edge| {
            self.taken[state][edge] += 1.0;
            self.covered |= 1 << model.edges[state][edge].to;
        });
    }

    fn plan(&self) -> Step {
        let chances = self.chances();
        let worth = self.worth(&chances);
        let mut savings = worth.clone();
        for state in (0..self.model.len()).rev() {
            savings[state] +=
                self.next(state, &chances).map(|(to, chance)| chance * savings[to]).sum::<f64>();
        }
        match self.best_path(&worth, &savings, savings[0]) {
            Some((path, cost)) => Step::Solve(path, cost),
            None => Step::Random,
        }
    }

    /// Per state: how likely its edges are, as far as is known.
    fn chances(&self) -> Vec<[f64; 2]> {
        let of = |(edges, taken): (&Vec<Edge>, &[f64; 2])| match edges.len() {
            2 => {
                let total = taken[0] + taken[1] + 2.0 * PRIOR;
                [(taken[0] + PRIOR) / total, (taken[1] + PRIOR) / total]
            }
            _ => [1.0, 0.0],
        };
        self.model.edges.iter().zip(&self.taken).map(of).collect()
    }

    fn next(&self, state: usize, chances: &[[f64; 2]]) -> impl Iterator<Item = (usize, f64)> {
        self.model.edges[state].iter().map(|edge| edge.to).zip(chances[state])
    }

    /// Per state: what covering it alone would cost; 0 if it is covered.
    fn worth(&self, chances: &[[f64; 2]]) -> Vec<f64> {
        let mut meets = vec![0.0; self.model.len()];
        let of = |target: usize| {
            if self.covered & (1 << target) != 0 {
                return 0.0;
            }
            meets.fill(0.0);
            meets[target] = 1.0;
            let mut least = self.routes.costs[target];
            for state in (0..target).rev() {
                meets[state] = self.next(state, chances).map(|(to, chance)| chance * meets[to]).sum();
                let cost = if state == 0 { 1.0 } else { self.routes.costs[state] };
                least = least.min(cost / meets[state]);
            }
            least
        };
        (0..self.model.len()).map(of).collect()
    }

    /// The path that saves most per cost, if that is more than `rate`; and its cost.
    fn best_path(&self, worth: &[f64], savings: &[f64], mut rate: f64) -> Option<(Vec<usize>, f64)> {
        let mut best = None;
        // A ratio is maximised by maximising the difference for the best ratio so far, until that is 0 (Dinkelbach).
        loop {
            let (path, gain, cost) = self.widest(worth, savings, rate)?;
            if gain <= rate * cost * (1.0 + 1e-9) {
                return best;
            }
            rate = gain / cost;
            best = Some((path, cost));
        }
    }

    /// The path with the largest difference between what it saves and `rate` times its cost; both of them.
    fn widest(&self, worth: &[f64], savings: &[f64], rate: f64) -> Option<(Vec<usize>, f64, f64)> {
        let count = self.model.len();
        // Per state: the best difference of a path to it, its own savings left out, and the state before.
        let mut differences = vec![f64::NEG_INFINITY; count];
        let mut before = vec![(0, 0.0); count];
        differences[0] = 0.0;
        for state in 0..count {
            for edge in &self.model.edges[state] {
                let difference = differences[state] + worth[state] - rate * edge.cost;
                if difference > differences[edge.to] {
                    differences[edge.to] = difference;
                    before[edge.to] = (state, edge.cost);
                }
            }
        }
        let end = (1..count)
            .max_by(|a, b| (differences[*a] + savings[*a]).total_cmp(&(differences[*b] + savings[*b])))?;
        let (mut path, mut cost) = (vec![end], 0.0);
        while path[path.len() - 1] != 0 {
            let (previous, edge) = before[path[path.len() - 1]];
            cost += edge;
            path.push(previous);
        }
        path.reverse();
        let gain = savings[end] + path[..path.len() - 1].iter().map(|state| worth[*state]).sum::<f64>();
        Some((path, gain, cost))
    }
}
