//! Round robin: each frontier in turn, with a boost for those that make progress.
//!
//! A turn is one pick. A pick that brought progress, new outcomes or what the frontier itself looks for, earns another
//! one; so does a pick that cost no run, because nothing was learnt about the frontier. Both are limited, so that
//! the others always come.

use super::{Flip, Frontier, Pick, View};
use crate::heuristics::Heuristic;
use crate::random::Random;
use crate::tree::{NodeId, RunId};

/// How many picks in a row progress can earn.
const BOOST: u32 = 64;
/// How many picks in a row may cost no run.
const PATIENCE: u32 = 16;

/// Picks from each in turn.
pub struct RoundRobin {
    parts: Vec<Box<dyn Frontier>>,
    turn: usize,
    picked: Option<(usize, NodeId)>,
    boosts: u32,
    fruitless: u32,
    progressed: bool,
}

impl RoundRobin {
    /// Of these.
    #[must_use]
    pub fn new(parts: Vec<Box<dyn Frontier>>) -> RoundRobin {
        RoundRobin { parts, turn: 0, picked: None, boosts: 0, fruitless: 0, progressed: false }
    }

    fn pass_on(&mut self) {
        self.turn = (self.turn + 1) % self.parts.len().max(1);
        (self.boosts, self.fruitless) = (0, 0);
    }
}

impl Frontier for RoundRobin {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.parts.iter_mut().for_each(|part| part.added(view, node));
    }

    fn ran(&mut self, view: &View<'_>, run: RunId) {
        self.parts.iter_mut().for_each(|part| part.ran(view, run));
    }

    fn flipped(&mut self, view: &View<'_>, flip: &Flip) {
        self.parts.iter_mut().for_each(|part| part.flipped(view, flip));
        let Some((part, node)) = self.picked.take() else { return };
        if node != flip.node {
            return;
        }
        self.progressed = !flip.news.is_empty() || self.parts[part].progressed();
        if !view.off.keeps(Heuristic::LongerTurns) {
            self.pass_on();
        } else if self.progressed && self.boosts < BOOST {
            self.boosts += 1;
        } else if flip.run.is_none() && self.fruitless < PATIENCE {
            self.fruitless += 1;
        } else {
            self.pass_on();
        }
    }

    fn exhausted(&mut self, view: &View<'_>, node: NodeId) {
        self.parts.iter_mut().for_each(|part| part.exhausted(view, node));
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        for _ in 0..self.parts.len() {
            if let Some(pick) = self.parts[self.turn].next(view, random) {
                self.picked = Some((self.turn, pick.node));
                return Some(pick);
            }
            self.pass_on();
        }
        None
    }

    fn progressed(&self) -> bool {
        self.progressed
    }
}
