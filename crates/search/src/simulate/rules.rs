//! Strategies of symbolic execution, as simulated: rules that pick a way that nobody took.
//!
//! They are those of `crate::frontier` by the same names, on a tree that is cheap enough for a million searches. All begin with
//! a random run and never run at random again.

use super::model::Set;
use super::tree::{Tree, Untaken};
use crate::random::Random;
use std::collections::{HashMap, HashSet};

/// A rule: the position in `tree.untaken` of the way to take.
pub trait Rule {
    /// What to take next; there is something to take.
    fn pick(&mut self, tree: &Tree<'_>, random: &mut Random) -> usize;
}

/// RCN, random-cover-new: any way, likelier the nearer it is to what is not covered.
#[derive(Debug, Default)]
pub struct CoverNew;

impl Rule for CoverNew {
    fn pick(&mut self, tree: &Tree<'_>, random: &mut Random) -> usize {
        let distances = distances(tree);
        let weights: Vec<f64> = tree
            .untaken
            .iter()
            .map(|way| {
                let to = tree.model.edges[tree.places[way.place].state][way.edge].to;
                let distance = distances[to].map_or(10_000.0, |edges| f64::from(edges) + 1.0);
                1.0 / (distance * distance)
            })
            .collect();
        random.weighted(&weights).unwrap_or(0)
    }
}

/// Per state: edges to the nearest state that is not covered.
fn distances(tree: &Tree<'_>) -> Vec<Option<u32>> {
    let mut distances = vec![None; tree.model.len()];
    for state in (0..tree.model.len()).rev() {
        let covered = tree.covered & (1 as Set) << state != 0;
        let further = tree.model.edges[state].iter().filter_map(|edge| distances[edge.to]).min();
        distances[state] = if covered { further.map(|edges: u32| edges + 1) } else { Some(0) };
    }
    distances
}

/// RSS, random state: any way, each as likely as the others.
#[derive(Debug, Default)]
pub struct AnyState;

impl Rule for AnyState {
    fn pick(&mut self, tree: &Tree<'_>, random: &mut Random) -> usize {
        random.below(tree.untaken.len())
    }
}

/// RPS, random path: a walk from the root that takes any way at each branch.
#[derive(Debug, Default)]
pub struct AnyPath;

impl Rule for AnyPath {
    fn pick(&mut self, tree: &Tree<'_>, random: &mut Random) -> usize {
        // Places with something untaken at or below them.
        let mut alive = vec![false; tree.places.len()];
        for way in &tree.untaken {
            let mut place = Some(way.place);
            while let Some(at) = place.filter(|at| !alive[*at]) {
                alive[at] = true;
                place = tree.places[at].parent.map(|(parent, _)| parent);
            }
        }
        let mut place = 0;
        loop {
            let here = tree.untaken.iter().position(|way| way.place == place);
            let next = tree.places[place].next.iter().copied().flatten().filter(|next| alive[*next]);
            let ways: Vec<usize> = next.collect();
            let chosen = random.below(ways.len() + usize::from(here.is_some()));
            match (ways.get(chosen), here) {
                (Some(next), _) => place = *next,
                (None, Some(here)) => return here,
                (None, None) => unreachable!("every place on the walk is alive"),
            }
        }
    }
}

/// DFS: the deepest way of the whole tree, the latest first.
#[derive(Debug, Default)]
pub struct Deepest;

impl Rule for Deepest {
    fn pick(&mut self, tree: &Tree<'_>, _random: &mut Random) -> usize {
        best(tree, |_, way| (tree.places[way.place].depth, way.run))
    }
}

/// DART: the last way of the latest run that has one.
#[derive(Debug, Default)]
pub struct Latest;

impl Rule for Latest {
    fn pick(&mut self, tree: &Tree<'_>, _random: &mut Random) -> usize {
        tree.untaken.len() - 1
    }
}

/// GS, generational search: all ways of the run that covered most, then those of the next.
#[derive(Debug, Default)]
pub struct Generation {
    current: Option<usize>,
}

impl Rule for Generation {
    fn pick(&mut self, tree: &Tree<'_>, _random: &mut Random) -> usize {
        let of = |run: Option<usize>| tree.untaken.iter().position(|way| Some(way.run) == run);
        if let Some(index) = of(self.current) {
            return index;
        }
        let index = best(tree, |_, way| (tree.news[way.run], std::cmp::Reverse(way.run)));
        self.current = Some(tree.untaken[index].run);
        of(self.current).unwrap_or(index)
    }
}

/// CGS, context-guided: by depth, ways whose last k branches are new, with growing k.
#[derive(Debug)]
pub struct NewContext {
    length: usize,
    seen: HashSet<Vec<(usize, usize)>>,
}

/// Contexts are no longer than this.
const LONGEST_CONTEXT: usize = 5;

impl Default for NewContext {
    fn default() -> NewContext {
        NewContext { length: 1, seen: HashSet::new() }
    }
}

impl Rule for NewContext {
    fn pick(&mut self, tree: &Tree<'_>, _random: &mut Random) -> usize {
        loop {
            let context = |way: Untaken| tree.branches(way).take(self.length).collect::<Vec<_>>();
            let free = |way: Untaken| self.length > LONGEST_CONTEXT || !self.seen.contains(&context(way));
            let ways = tree.untaken.iter().enumerate().filter(|(_, way)| free(**way));
            let next =
                ways.min_by_key(|(_, way)| (tree.places[way.place].depth, way.run)).map(|(index, _)| index);
            if let Some(index) = next {
                let context = context(tree.untaken[index]);
                self.seen.insert(context);
                return index;
            }
            self.length += 1;
            self.seen.clear();
        }
    }
}

/// SGS, subpath-guided: a way at the end of the least seen sequence of branches.
#[derive(Debug, Default)]
pub struct LeastSeen {
    seen: HashMap<Vec<(usize, usize)>, u32>,
    runs: usize,
}

impl Rule for LeastSeen {
    fn pick(&mut self, tree: &Tree<'_>, random: &mut Random) -> usize {
        // The paper's length: a fifth of the states.
        let length = (tree.model.len() / 5).max(1);
        let subpath = |way: &Untaken| tree.branches(*way).take(length).collect::<Vec<_>>();
        for way in tree.untaken.iter().filter(|way| way.run >= self.runs) {
            *self.seen.entry(subpath(way)).or_insert(0) += 1;
        }
        self.runs = tree.news.len();
        let counts: Vec<u32> = tree.untaken.iter().map(|way| self.seen[&subpath(way)]).collect();
        let least = counts.iter().copied().min().unwrap_or(0);
        let of_least: Vec<usize> = (0..counts.len()).filter(|index| counts[*index] == least).collect();
        of_least[random.below(of_least.len())]
    }
}

/// The position of the best way; of equal ones the last.
fn best<K: Ord>(tree: &Tree<'_>, key: impl Fn(usize, &Untaken) -> K) -> usize {
    let ways = tree.untaken.iter().enumerate();
    ways.max_by_key(|(index, way)| key(*index, way)).map_or(0, |(index, _)| index)
}
