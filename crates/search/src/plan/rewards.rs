//! Reward equations: how much uncovered a run is expected to meet from each state on.
//!
//! R(s) = [s is uncovered] + sum of Pr(s,t) R(t). States are grouped into strongly connected components; a component
//! needs only the values of those behind it, so after a change just the components that it can reach backwards are solved again,
//! and only as long as values really change. A component of several states (a loop) is a sparse linear system, solved by LU.
//!
//! **Damping.** Within a component probabilities are multiplied with [`DAMPING`]: a loop without an exit, or one that was never
//! left, would have no or no finite solution. It bounds what a loop can be worth to 1 / (1 - DAMPING) rounds. Between
//! components nothing is damped, so code without loops has exact values. Parts that cannot be reached have values that nobody
//! asks for. What is called from its own component (recursion) adds nothing there.

use super::linear::System;
use super::markov::{Edge, MarkovChain, State};
use petgraph::graph::DiGraph;
use std::collections::HashMap;

/// What a probability within a loop is multiplied with.
pub const DAMPING: f64 = 1.0 - 1.0 / 1024.0;

/// The equations of a chain and their solution.
#[derive(Debug, Clone)]
pub struct Rewards {
    chain: MarkovChain,
    /// What meeting a state is worth: 1 if it is uncovered.
    worth: Vec<f64>,
    values: Vec<f64>,
    /// Components, those that others lead to first.
    components: Vec<Vec<State>>,
    /// The component of each state.
    component: Vec<usize>,
    /// Per state: who leads to it from another component.
    before: Vec<Vec<State>>,
    /// Components to be solved again, one bit each.
    dirty: Vec<u64>,
}

impl Rewards {
    /// The equations of a chain, all states uncovered.
    #[must_use]
    pub fn new(chain: MarkovChain) -> Rewards {
        let count = chain.len();
        let mut graph = DiGraph::<(), ()>::with_capacity(count, count);
        let nodes: Vec<_> = (0..count).map(|_| graph.add_node(())).collect();
        let flows = (0..count).flat_map(|state| chain.edges(state).map(move |edge| (state, edge)));
        let flows = flows.map(|(state, edge)| (state, chain.target(edge)));
        let calls = (0..count).flat_map(|state| chain.calls(state).iter().map(move |(to, _)| (state, *to)));
        let needs: Vec<(State, State)> = flows.chain(calls).collect();
        for (state, other) in &needs {
            graph.add_edge(nodes[*state], nodes[*other], ());
        }
        let groups = petgraph::algo::tarjan_scc(&graph);
        let components: Vec<Vec<State>> =
            groups.iter().map(|group| group.iter().map(|node| node.index()).collect()).collect();
        let mut component = vec![0; count];
        for (index, states) in components.iter().enumerate() {
            states.iter().for_each(|state| component[*state] = index);
        }
        let mut before = vec![Vec::new(); count];
        for (state, other) in needs {
            if component[state] != component[other] {
                before[other].push(state);
            }
        }
        let dirty = (0..components.len().div_ceil(64)).map(|_| u64::MAX).collect();
        let values = vec![0.0; count];
        let mut rewards =
            Rewards { worth: vec![1.0; count], chain, values, components, component, before, dirty };
        rewards.update();
        rewards
    }

    /// The chain.
    #[must_use]
    pub fn chain(&self) -> &MarkovChain {
        &self.chain
    }

    /// Takes note that a run took an edge of a state so many times. Call [`Rewards::update`] after the last.
    pub fn observe(&mut self, state: State, edge: Edge, times: u64) {
        self.chain.observe(state, edge, times);
        // With one way out, the estimate is 1 whatever is counted.
        if self.chain.edges(state).len() > 1 {
            self.mark(state);
        }
    }

    /// States what meeting a state is worth, 0 if it is covered. Call [`Rewards::update`] after the last.
    pub fn set_worth(&mut self, state: State, worth: f64) {
        if self.worth[state] != worth {
            self.worth[state] = worth;
            self.mark(state);
        }
    }

    /// What meeting a state is worth.
    #[must_use]
    pub fn worth(&self, state: State) -> f64 {
        self.worth[state]
    }

    /// What a run is expected to meet from a state on, as of the last update.
    #[must_use]
    pub fn value(&self, state: State) -> f64 {
        self.values[state]
    }

    /// Solves what changed again.
    pub fn update(&mut self) {
        for word in 0..self.dirty.len() {
            // Solving may mark components after this one, in this word or a later one.
            while self.dirty[word] != 0 {
                let bit = self.dirty[word].trailing_zeros() as usize;
                self.dirty[word] &= self.dirty[word] - 1;
                self.solve(word * 64 + bit);
            }
        }
    }

    fn mark(&mut self, state: State) {
        let component = self.component[state];
        self.dirty[component / 64] |= 1 << (component % 64);
    }

    fn solve(&mut self, component: usize) {
        // The last word has bits for components that do not exist.
        match self.components.get(component).map(Vec::as_slice) {
            None => {}
            Some(&[state]) => {
                let (known, within) = self.equation(state);
                let round: f64 = within.iter().map(|(_, factor)| factor).sum();
                self.set_value(state, known / (1.0 - round));
            }
            Some(_) => self.solve_loop(component),
        }
    }

    fn solve_loop(&mut self, component: usize) {
        let states = self.components[component].clone();
        let positions: HashMap<State, usize> =
            states.iter().enumerate().map(|(position, state)| (*state, position)).collect();
        let mut system = System::default();
        for state in &states {
            let (known, within) = self.equation(*state);
            system.add(known, within.into_iter().map(|(other, factor)| (positions[&other], factor)));
        }
        // Damping makes the diagonal dominate, so there is a solution; without one the old values would stay.
        for (state, value) in states.iter().zip(system.solve().unwrap_or_default()) {
            self.set_value(*state, value);
        }
    }

    /// The right side of a state's equation: what is known, and factors of states in its own component.
    fn equation(&self, state: State) -> (f64, Vec<(State, f64)>) {
        let mut known = self.worth[state];
        let mut within = Vec::new();
        let others = self.chain.calls(state).iter();
        for (callee, share) in others.filter(|(callee, _)| self.component[*callee] != self.component[state]) {
            known += share * self.values[*callee];
        }
        for edge in self.chain.edges(state) {
            let target = self.chain.target(edge);
            let probability = self.chain.probability(state, edge);
            if self.component[target] == self.component[state] {
                within.push((target, DAMPING * probability));
            } else {
                known += probability * self.values[target];
            }
        }
        (known, within)
    }

    fn set_value(&mut self, state: State, value: f64) {
        if self.values[state] != value {
            self.values[state] = value;
            for index in 0..self.before[state].len() {
                self.mark(self.before[state][index]);
            }
        }
    }
}
