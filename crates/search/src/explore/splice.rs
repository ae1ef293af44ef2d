//! Splicing: elements put into the sequences of a fit case, or taken out.
//!
//! A flip changes one element, or adds one at the end. Where what comes before matters, a word that has to stand in the
//! middle of a text say, flips lead from one local optimum to the next. So when nothing has come closer to any
//! target for a while, the sequences of fit cases are edited as evolutionary searches do, and the results are offered
//! to the search like cases from outside.

use super::{Search, view};
use crate::execute::{Change, Edit, Execute};
use crate::frontier::View;
use crate::random::Random;
use testwright_base::case::{Case, Statement, Value};

/// After so many runs that brought nothing, editing begins.
const PATIENCE: u64 = 9;
/// One run of so many is then an edited case.
const EVERY: u64 = 3;
/// How often another edit is tried if one leads to a case that was run already.
const TRIES: usize = 4;

impl Search<'_> {
    /// An edited case, if the search is stuck and it is time for one.
    pub(super) fn splice(&mut self, execute: &dyn Execute) -> Option<Case> {
        let is_due = self.fruitless >= PATIENCE && self.fruitless.is_multiple_of(EVERY);
        if !is_due || self.fitness.target_count() == 0 {
            return None;
        }
        (0..TRIES).find_map(|_| {
            let view = view!(self);
            let run = self.fitness.drawn(&view, &mut self.random)?;
            let case = self.runs.case(run)?;
            let edit = edit(case, &self.rewards.values(), &mut self.random)?;
            execute.edited(case, &edit).filter(|case| !self.runs.has(case))
        })
    }
}

/// A random edit of one of the sequences of a case.
fn edit(case: &Case, rewarding: &[u128], random: &mut Random) -> Option<Edit> {
    let sequences: Vec<(usize, usize)> = case
        .statements
        .iter()
        .enumerate()
        .filter_map(|(index, statement)| Some((index, used(statement)?)))
        .filter(|(_, length)| *length > 1)
        .collect();
    let (object, length) = *sequences.get(random.below(sequences.len()))?;
    let at = random.below(length);
    let change = match random.below(4) {
        0 => Change::Remove,
        1 => Change::Copy(random.below(length)),
        _ => rewarding
            .get(random.below(rewarding.len()))
            .map_or(Change::Copy(random.below(length)), |value| Change::Insert(*value)),
    };
    Some(Edit { object, at, change })
}

/// How many elements of a sequence of numbers are used: zeros at its end are room for more.
fn used(statement: &Statement) -> Option<usize> {
    let Statement::Object { values, .. } = statement else { return None };
    let is_number = |value: &Value| matches!(value, Value::Int(_));
    let last = values.iter().rposition(|value| *value != Value::Int(0)).map_or(0, |last| last + 1);
    values.iter().all(is_number).then_some(values.len().min(last + 1))
}
