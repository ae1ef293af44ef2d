//! Rewarding values: what elements of buffers were set to in flips that brought the search forward.
//!
//! When a buffer grows, its new elements take these values, the most rewarding first: in a loop that looks for 15,
//! the next element had better be 15 too. Scores fade, so that what helped lately counts more.

use crate::execute::{Slot, Traced};
use crate::random::Random;
use std::collections::BTreeMap;
use testwright_logic::expr::eval::Evaluator;
use testwright_logic::path::Constraint;
use testwright_logic::solve::Model;

/// How many values are offered.
const OFFERED: usize = 4;
/// How many are remembered.
const REMEMBERED: usize = 64;
/// How many elements of one model are given such a value.
const CHOSEN: usize = 4;
/// What a score is multiplied with whenever another flip is judged.
const FADING: f64 = 0.9;

/// Values and their scores.
#[derive(Debug, Clone, Default)]
pub struct Rewards {
    scores: BTreeMap<u128, f64>,
}

impl Rewards {
    /// Judges the flip that led from one run to another: values of elements that changed or are new gain if it
    /// brought the search forward, and lose if not.
    pub fn judge(&mut self, before: &Traced, after: &Traced, forward: bool) {
        let values: BTreeMap<Slot, u128> = elements(before).collect();
        let changed = elements(after).filter(|(slot, value)| values.get(slot) != Some(value));
        let changed: Vec<u128> = changed.map(|(_, value)| value).collect();
        if changed.is_empty() {
            return;
        }
        for score in self.scores.values_mut() {
            *score *= FADING;
        }
        for value in changed {
            let score = self.scores.entry(value).or_insert(0.0);
            *score = (*score + if forward { 1.0 } else { -0.25 }).clamp(-1.0, 8.0);
        }
        if self.scores.len() > REMEMBERED {
            let lowest = self.scores.iter().min_by(|a, b| a.1.total_cmp(b.1)).map(|(value, _)| *value);
            lowest.and_then(|value| self.scores.remove(&value));
        }
    }

    /// The model with values that were rewarding where the solver had a choice: elements that it changed take
    /// one of them, drawn at random, as long as all constraints go on to hold.
    #[must_use]
    pub fn prefer(
        &self,
        traced: &Traced,
        constraints: &[Constraint],
        mut model: Model,
        random: &mut Random,
    ) -> Model {
        let offered = self.values();
        let is_element = |input: &u32| traced.slots.get(*input as usize).is_some_and(Option::is_some);
        let changed: Vec<u32> = model.keys().copied().filter(is_element).take(CHOSEN).collect();
        for input in changed {
            // The solver's own value is one of the choices.
            let Some(value) = offered.get(random.below(offered.len() + 1)).copied() else { continue };
            let fits = traced.inputs.get(input as usize).is_some_and(|kind| {
                value <= u128::MAX >> (128 - kind.width.clamp(1, 128)) && kind.allows(value)
            });
            let before = model.insert(input, value);
            if !(fits && holds(traced, constraints, &model))
                && let Some(before) = before
            {
                model.insert(input, before);
            }
        }
        model
    }

    /// The values that were rewarding, best first.
    #[must_use]
    pub fn values(&self) -> Vec<u128> {
        let mut ranked: Vec<(u128, f64)> = self
            .scores
            .iter()
            .filter(|(_, score)| **score > 0.0)
            .map(|(value, score)| (*value, *score))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.into_iter().take(OFFERED).map(|(value, _)| value).collect()
    }
}

/// Whether inputs changed by a model satisfy all constraints.
fn holds(traced: &Traced, constraints: &[Constraint], model: &Model) -> bool {
    let mut values = traced.values.clone();
    for (input, value) in model {
        if let Some(old) = values.get_mut(*input as usize) {
            *old = *value;
        }
    }
    let mut evaluator = Evaluator::new(&traced.exprs, &values);
    constraints.iter().all(|constraint| constraint.holds(&mut evaluator) == Ok(true))
}

/// Places and values of the inputs that are elements of something.
fn elements(traced: &Traced) -> impl Iterator<Item = (Slot, u128)> {
    traced.slots.iter().zip(&traced.values).filter_map(|(slot, value)| Some(((*slot)?, *value)))
}
