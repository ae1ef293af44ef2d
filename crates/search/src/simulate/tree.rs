//! The execution tree of a simulated search: what runs were seen, and which ways nobody took.

use super::model::{Model, Set};
use crate::random::Random;

/// A place in the tree: a state, reached by one path.
#[derive(Debug, Clone)]
pub struct Place {
    /// The state.
    pub state: usize,
    /// The place before it, and the position of the edge from there; none at the root.
    pub parent: Option<(usize, usize)>,
    /// Branches before it.
    pub depth: u32,
    /// What solving the path to it costs.
    pub cost: f64,
    /// Where its edges lead, if somebody took them.
    pub next: [Option<usize>; 2],
}

/// A way that nobody took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untaken {
    /// The place it leaves.
    pub place: usize,
    /// The position of the edge.
    pub edge: usize,
    /// The run that found it.
    pub run: usize,
}

/// What was seen and spent.
#[derive(Debug, Clone)]
pub struct Tree<'m> {
    /// The program.
    pub model: &'m Model,
    /// All places, the root first.
    pub places: Vec<Place>,
    /// The ways nobody took, in the order they were found, those of a run from its beginning on.
    pub untaken: Vec<Untaken>,
    /// What is covered.
    pub covered: Set,
    /// Per run: how many states it was the first to cover.
    pub news: Vec<u32>,
    /// What was spent.
    pub spent: f64,
}

impl<'m> Tree<'m> {
    /// The tree after a first run, which is random.
    #[must_use]
    pub fn new(model: &'m Model, random: &mut Random) -> Tree<'m> {
        let root = Place { state: 0, parent: None, depth: 0, cost: 0.0, next: [None; 2] };
        let mut tree =
            Tree { model, places: vec![root], untaken: Vec::new(), covered: 1, news: Vec::new(), spent: 1.0 };
        tree.go_on(0, 0, random);
        tree
    }

    /// Solves the path that takes this way at last, runs it, and goes on at random.
    pub fn take(&mut self, index: usize, random: &mut Random) {
        let Untaken { place, edge, .. } = self.untaken.remove(index);
        let before = self.covered;
        let next = self.enter(place, edge);
        self.spent += self.places[next].cost;
        self.go_on(next, before, random);
    }

    /// Ends a run at random from a place on; `before` is what was covered when it began.
    fn go_on(&mut self, mut place: usize, before: Set, random: &mut Random) {
        let run = self.news.len();
        let model = self.model;
        let state = self.places[place].state;
        model.walk(state, random, |state, edge| {
            // A run goes on from a place that is new, so every branch after it is, too.
            if model.edges[state].len() == 2 {
                self.untaken.push(Untaken { place, edge: 1 - edge, run });
            }
            place = self.enter(place, edge);
        });
        self.news.push((self.covered & !before).count_ones());
    }

    fn enter(&mut self, place: usize, edge: usize) -> usize {
        if let Some(next) = self.places[place].next[edge] {
            return next;
        }
        let Place { state, depth, cost, .. } = self.places[place];
        let taken = &self.model.edges[state][edge];
        let branches = u32::from(self.model.edges[state].len() == 2);
        self.covered |= 1 << taken.to;
        let next = self.places.len();
        self.places.push(Place {
            state: taken.to,
            parent: Some((place, edge)),
            depth: depth + branches,
            cost: cost + taken.cost,
            next: [None; 2],
        });
        self.places[place].next[edge] = Some(next);
        next
    }

    /// The states and edges of the branches on the way to an untaken way, the last first and that way included.
    pub fn branches(&self, untaken: Untaken) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut next = Some((untaken.place, untaken.edge));
        let edges = std::iter::from_fn(move || {
            let (place, edge) = next?;
            next = self.places[place].parent;
            Some((self.places[place].state, edge))
        });
        edges.filter(|(state, _)| self.model.edges[*state].len() == 2)
    }
}
