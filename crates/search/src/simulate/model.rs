//! Random programs for the study: Markov chains without loops, whose edges cost something to solve.
//!
//! States are numbered so that edges lead to higher numbers: 0 is where every run begins, the last one is the only end.
//! Each state branches with probability 1/2, and every state can be reached. One side of a branch is *rare* with a
//! probability of 0.8 in models of up to 5 states and 0.2 in others, after the paper, so that small models have rare
//! edges too and large ones not too many. A rare edge is taken with a probability down to 1e-4, every order of magnitude
//! as likely as the others; other branches divide uniformly. Solving a path costs the sum of its edges, each 1 to 1000.
//!
//! Loops are left out because the optimum is to be exact: it needs all paths. The planner itself knows loops.

use crate::random::Random;

/// A set of states, one bit each.
pub type Set = u32;

/// A way from a state to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Where it leads.
    pub to: usize,
    /// How often a random run at its state takes it.
    pub probability: f64,
    /// What it adds to the cost of solving a path.
    pub cost: f64,
}

/// A random program.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Per state: its edges, none for the last state, one or two for others.
    pub edges: Vec<Vec<Edge>>,
}

/// How many states a model may have.
pub const SIZES: std::ops::RangeInclusive<usize> = 2..=24;

/// The rarest edge.
const RAREST: f64 = 1e-4;
/// Rare edges are at most this likely.
const RARE: f64 = 1e-2;
/// The dearest edge.
const DEAREST: usize = 1000;

impl Model {
    /// A random model of so many states, which must be one of [`SIZES`].
    #[must_use]
    pub fn random(states: usize, random: &mut Random) -> Model {
        assert!(SIZES.contains(&states), "a model of {states} states");
        let mut slots: Vec<usize> = (0..states - 1).map(|_| 1 + random.below(2)).collect();
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); states];
        // First a tree, so that every state can be reached; then the edges that are left, to any later state.
        for state in 1..states {
            let free: Vec<usize> = (0..state).filter(|from| slots[*from] > 0).collect();
            let from = free[random.below(free.len())];
            slots[from] -= 1;
            targets[from].push(state);
        }
        for (from, slots) in slots.iter().enumerate() {
            for _ in 0..*slots {
                let later: Vec<usize> = (from + 1..states).filter(|to| !targets[from].contains(to)).collect();
                targets[from].extend(later.get(random.below(later.len())));
            }
        }
        let rarity = if states <= 5 { 0.8 } else { 0.2 };
        Model { edges: targets.iter().map(|targets| edges(targets, rarity, random)).collect() }
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are no states.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The set of all states.
    #[must_use]
    pub fn all(&self) -> Set {
        Set::MAX >> (Set::BITS - self.len() as u32)
    }

    /// Per state: the states that can be reached from it, itself included.
    #[must_use]
    pub fn reach(&self) -> Vec<Set> {
        let mut reach = vec![0; self.len()];
        for state in (0..self.len()).rev() {
            reach[state] = self.edges[state].iter().fold(1 << state, |set, edge| set | reach[edge.to]);
        }
        reach
    }

    /// Goes on from a state at random until the end; `see` is told of every edge taken, by state and position.
    pub fn walk(&self, mut state: usize, random: &mut Random, mut see: impl FnMut(usize, usize)) {
        loop {
            let position = match &self.edges[state][..] {
                [] => return,
                [_] => 0,
                [first, ..] => usize::from(random.fraction() >= first.probability),
            };
            see(state, position);
            state = self.edges[state][position].to;
        }
    }
}

fn edges(targets: &[usize], rarity: f64, random: &mut Random) -> Vec<Edge> {
    let share = match targets.len() {
        2 => share(rarity, random),
        _ => 1.0,
    };
    let cost = |random: &mut Random| (1 + random.below(DEAREST)) as f64;
    let shares = [share, 1.0 - share];
    let edges = targets.iter().zip(shares);
    edges.map(|(to, probability)| Edge { to: *to, probability, cost: cost(random) }).collect()
}

/// How often a branch goes its first way.
fn share(rarity: f64, random: &mut Random) -> f64 {
    if random.fraction() >= rarity {
        // Never rarer than the rarest, or a model could not be covered at random within the limit.
        return random.fraction().clamp(RAREST, 1.0 - RAREST);
    }
    let rare = RAREST * (RARE / RAREST).powf(random.fraction());
    if random.below(2) == 0 { rare } else { 1.0 - rare }
}
