//! Short circuit: a later frontier is asked only when all earlier ones decline.

use super::{Flip, Frontier, Pick, View};
use crate::random::Random;
use crate::tree::{NodeId, RunId};

/// Picks from the first that does not decline.
pub struct ShortCircuit {
    parts: Vec<Box<dyn Frontier>>,
    picked: usize,
}

impl ShortCircuit {
    /// Of these, in order.
    #[must_use]
    pub fn new(parts: Vec<Box<dyn Frontier>>) -> ShortCircuit {
        ShortCircuit { parts, picked: 0 }
    }
}

impl Frontier for ShortCircuit {
    fn added(&mut self, view: &View<'_>, node: NodeId) {
        self.parts.iter_mut().for_each(|part| part.added(view, node));
    }

    fn ran(&mut self, view: &View<'_>, run: RunId) {
        self.parts.iter_mut().for_each(|part| part.ran(view, run));
    }

    fn flipped(&mut self, view: &View<'_>, flip: &Flip) {
        self.parts.iter_mut().for_each(|part| part.flipped(view, flip));
    }

    fn exhausted(&mut self, view: &View<'_>, node: NodeId) {
        self.parts.iter_mut().for_each(|part| part.exhausted(view, node));
    }

    fn next(&mut self, view: &View<'_>, random: &mut Random) -> Option<Pick> {
        for (index, part) in self.parts.iter_mut().enumerate() {
            let pick = part.next(view, random);
            if pick.is_some() {
                self.picked = index;
                return pick;
            }
        }
        None
    }

    fn progressed(&self) -> bool {
        self.parts.get(self.picked).is_some_and(|part| part.progressed())
    }
}
