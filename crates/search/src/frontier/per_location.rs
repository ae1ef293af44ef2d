//! Per location: one inner frontier for each site, and a fair choice between the sites.
//!
//! `CodeLocationPrioritized` of the Fitnex paper. When the frontier of a site declines, the next site is asked.

use super::{Flip, Frontier, Pick, View};
use crate::random::Random;
use crate::strategy::Strategy;
use crate::tree::{NodeId, RunId};
use std::collections::{BTreeMap, VecDeque};

/// Picks from each site in turn.
pub struct PerLocation {
    inner: Strategy,
    frontiers: BTreeMap<Option<u32>, Box<dyn Frontier>>,
    /// The sites, the next to be asked in front.
    turns: VecDeque<Option<u32>>,
    picked: Option<Option<u32>>,
}

impl PerLocation {
    /// With an inner frontier of this kind for each site.
    #[must_use]
    pub fn new(inner: Strategy) -> PerLocation {
        PerLocation { inner, frontiers: BTreeMap::new(), turns: VecDeque::new(), picked: None }
    }
}

impl Frontier for PerLocation {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        let site = view.tree.node(node).site();
        let frontier = self.frontiers.entry(site).or_insert_with(|| {
            self.turns.push_back(site);
            self.inner.build()
        });
        frontier.added(view, node);
    }

    fn ran(&mut self, view: &View<'_>, run: RunId) {
        self.frontiers.values_mut().for_each(|frontier| frontier.ran(view, run));
    }

    fn flipped(&mut self, view: &View<'_>, flip: &Flip) {
        self.frontiers.values_mut().for_each(|frontier| frontier.flipped(view, flip));
    }

    fn exhausted(&mut self, view: &View<'_>, node: NodeId) {
        if let Some(frontier) = self.frontiers.get_mut(&view.tree.node(node).site()) {
            frontier.exhausted(view, node);
        }
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        for _ in 0..self.turns.len() {
            let site = self.turns.pop_front()?;
            self.turns.push_back(site);
            let pick = self.frontiers.get_mut(&site).and_then(|frontier| frontier.next(view, random));
            if pick.is_some() {
                self.picked = Some(site);
                return pick;
            }
        }
        None
    }

    fn progressed(&self) -> bool {
        let frontier = self.picked.and_then(|site| self.frontiers.get(&site));
        frontier.is_some_and(|frontier| frontier.progressed())
    }
}
