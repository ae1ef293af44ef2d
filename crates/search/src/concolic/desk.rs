//! Desks: the frontiers of one strategy, a set of them for each weight that sites have.

use crate::frontier::{Flip, Frontier, Pick, View};
use crate::random::Random;
use crate::strategy::Strategy;
use crate::tree::{NodeId, RunId};
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::LAST_RESORT;

/// The frontiers of a strategy. One that may never be asked is told nothing until then, and costs nothing.
pub(super) struct Desk {
    strategy: Strategy,
    /// The highest weight first.
    frontiers: BTreeMap<Reverse<i32>, Box<dyn Frontier>>,
    is_open: bool,
}

impl Desk {
    /// A desk that is told what happens from the beginning, or only when it is asked.
    pub(super) fn new(strategy: Strategy, is_open: bool) -> Desk {
        Desk { strategy, frontiers: BTreeMap::new(), is_open }
    }

    /// From now on it is told what happens; these are the nodes that are open by now, with their weights.
    pub(super) fn open(&mut self, view: &View<'_>, nodes: impl Iterator<Item = (NodeId, i32)>) {
        if !self.is_open {
            self.is_open = true;
            nodes.for_each(|(node, weight)| self.added(view, node, weight));
        }
    }

    /// The next node, from the frontier of the highest weight that has one; sites that are a last resort come first if it is
    /// their turn.
    pub(super) fn next(&mut self, view: &View<'_>, random: &mut Random, last_first: bool) -> Option<Pick> {
        if let (true, Some(last)) = (last_first, self.frontiers.get_mut(&Reverse(LAST_RESORT)))
            && let Some(pick) = last.next(view, random)
        {
            return Some(pick);
        }
        self.frontiers.values_mut().find_map(|frontier| frontier.next(view, random))
    }

    pub(super) fn added(&mut self, view: &View<'_>, node: NodeId, weight: i32) {
        if self.is_open {
            let fresh = || self.strategy.build();
            self.frontiers.entry(Reverse(weight)).or_insert_with(fresh).added(view, node);
        }
    }

    pub(super) fn ran(&mut self, view: &View<'_>, run: RunId) {
        self.frontiers.values_mut().for_each(|frontier| frontier.ran(view, run));
    }

    /// A node was flipped, and perhaps that exhausted it.
    pub(super) fn flipped(&mut self, view: &View<'_>, flip: &Flip, exhausted: bool) {
        for frontier in self.frontiers.values_mut() {
            frontier.flipped(view, flip);
            if exhausted {
                frontier.exhausted(view, flip.node);
            }
        }
    }
}
