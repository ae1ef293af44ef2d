//! The optimum: the least expected cost to cover a model, by a strategy that knows all probabilities and costs.
//!
//! It is the value of the paper's Markov decision process: states are the sets C of covered states, actions are a random
//! run for 1 and SE(p) for the cost of the path p, after which the run goes on at random. Because C only grows, one
//! pass over the sets, larger ones first, solves it exactly. For each set three things are known of every state s in it:
//!
//! * w(s): what is still to be paid, now that a run that goes on at random is at s;
//! * q(s): the same if the run is being solved for: it may stop being solved (w), or take another edge for its cost;
//! * v: what is to be paid after a run that brought nothing more than C.
//!
//! v depends on itself, since a run may bring nothing new: w(s) = a + b v, with b the probability of that. The
//! best action for a guess of v is evaluated exactly, (cost + a) / (1 - b), and that is the next guess: policy iteration for one set.

use super::model::{Model, Set};
use std::collections::HashMap;

/// How many sets are looked at before a model is refused.
const LARGEST: usize = 4_000_000;

/// A model with more sets than can be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the optimum needs more than {LARGEST} sets of covered states; use smaller models")]
pub struct TooLarge;

/// What is still to be paid at a state, per set.
#[derive(Debug, Clone, Copy)]
struct Rest {
    at_random: f64,
    solved: f64,
}

struct Solver<'m> {
    model: &'m Model,
    reach: Vec<Set>,
    /// Where the entries of a set begin in `rests`, one per state of the model.
    places: HashMap<Set, usize>,
    rests: Vec<Rest>,
}

/// The least expected cost to cover all states of a model.
///
/// # Errors
/// If the model has too many sets.
pub fn optimum(model: &Model) -> Result<f64, TooLarge> {
    let mut solver = Solver { model, reach: model.reach(), places: HashMap::new(), rests: Vec::new() };
    let first = solver.solve(1)?;
    // No run yet, so no run can have brought nothing.
    let rest = solver.rests[first];
    let directed = model.edges[0].iter().map(|edge| {
        let place = solver.places[&(1 | 1 << edge.to)];
        edge.cost + solver.rests[place + edge.to].solved
    });
    Ok(directed.fold(1.0 + rest.at_random, f64::min))
}

impl Solver<'_> {
    /// Where the entries of a set are.
    fn solve(&mut self, set: Set) -> Result<usize, TooLarge> {
        if let Some(place) = self.places.get(&set) {
            return Ok(*place);
        }
        let model = self.model;
        for state in members(set) {
            for edge in &model.edges[state] {
                if set & (1 << edge.to) == 0 {
                    self.solve(set | 1 << edge.to)?;
                }
            }
        }
        let rests = self.rests_of(set);
        let place = self.rests.len();
        if self.places.len() >= LARGEST {
            return Err(TooLarge);
        }
        self.places.insert(set, place);
        self.rests.extend(rests);
        Ok(place)
    }

    /// The entries of a set, all larger ones being known.
    fn rests_of(&self, set: Set) -> Vec<Rest> {
        let count = self.model.len();
        if set == self.model.all() {
            return vec![Rest { at_random: 0.0, solved: 0.0 }; count];
        }
        let lines = self.lines(set);
        let mut value = f64::MAX;
        loop {
            let (solved, best) = self.solved(set, &lines, value);
            let (a, b) = lines[0];
            let next = best.min((1.0 + a) / (1.0 - b));
            if next >= value * (1.0 - 1e-12) {
                let rest = |(line, solved): (&(f64, f64), &f64)| Rest {
                    at_random: line.0 + if line.1 > 0.0 { line.1 * value } else { 0.0 },
                    solved: *solved,
                };
                return lines.iter().zip(&solved).map(rest).collect();
            }
            value = next;
        }
    }

    /// Per state of a set: what is to be paid as a + b v.
    fn lines(&self, set: Set) -> Vec<(f64, f64)> {
        let mut lines = vec![(0.0, 0.0); self.model.len()];
        for state in members(set).rev() {
            if self.reach[state] & !set == 0 {
                lines[state] = (0.0, 1.0);
                continue;
            }
            for edge in &self.model.edges[state] {
                let (a, b) = match self.beyond(set, edge.to) {
                    Some(rest) => (rest.at_random, 0.0),
                    None => lines[edge.to],
                };
                lines[state].0 += edge.probability * a;
                lines[state].1 += edge.probability * b;
            }
        }
        lines
    }

    /// Per state what is to be paid while solving, for a guess of the value, and the value of the best path to solve.
    fn solved(&self, set: Set, lines: &[(f64, f64)], value: f64) -> (Vec<f64>, f64) {
        let mut solved = vec![f64::MAX; self.model.len()];
        // What the choice costs and leaves, as a + b v.
        let mut chosen = lines.to_vec();
        for state in members(set).rev() {
            let (a, b) = lines[state];
            // A path has an edge at least, so solving cannot end where it begins.
            let stop = if state == 0 { f64::MAX } else { a + if b > 0.0 { b * value } else { 0.0 } };
            solved[state] = stop;
            for edge in &self.model.edges[state] {
                let (rest, line) = match self.beyond(set, edge.to) {
                    Some(rest) => (rest.solved, (rest.solved, 0.0)),
                    None => (solved[edge.to], chosen[edge.to]),
                };
                if edge.cost + rest < solved[state] {
                    solved[state] = edge.cost + rest;
                    chosen[state] = (edge.cost + line.0, line.1);
                }
            }
        }
        let (a, b) = chosen[0];
        (solved, if b < 1.0 { a / (1.0 - b) } else { f64::MAX })
    }

    /// What is known at a state outside the set; none if it is inside.
    fn beyond(&self, set: Set, state: usize) -> Option<Rest> {
        let outside = set & (1 << state) == 0;
        outside.then(|| self.rests[self.places[&(set | 1 << state)] + state])
    }
}

fn members(set: Set) -> impl DoubleEndedIterator<Item = usize> {
    (0..Set::BITS as usize).filter(move |state| set & (1 << state) != 0)
}
