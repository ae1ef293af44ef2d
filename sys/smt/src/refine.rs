//! Refinement: more readable models, where they cost little.
//!
//! Z3 picks any values. People prefer inputs that stay as they were, small numbers and printable characters, so
//! after a model was found a few assumptions of that kind are tried. Each must be decided with little work,
//! otherwise the model stays as it is.

use testwright_logic::solve::{InputKind, Model};
use z3::ast::{BV, Bool};

use crate::budget::Budget;
use crate::claim::mask;
use crate::model::{Variable, changes};
use crate::stack::{Stack, Verdict};
use crate::term::literal;

/// At most so many assumptions are tried of each kind.
const TRIES: usize = 4;

/// A search for a better model.
pub(crate) struct Refinement<'a> {
    stack: &'a mut Stack,
    variables: &'a [Variable],
    budget: Budget,
    /// Assumptions that the present model satisfies.
    assumptions: Vec<Bool>,
    model: Model,
    checks: u64,
}

impl<'a> Refinement<'a> {
    /// Starts from the model `model` of what the stack asserts; each check may use `budget`.
    pub(crate) fn new(
        stack: &'a mut Stack,
        variables: &'a [Variable],
        model: Model,
        budget: Budget,
    ) -> Refinement<'a> {
        Refinement { stack, variables, budget, assumptions: vec![], model, checks: 0 }
    }

    /// Looks for a better model. Returns it and how many checks that took.
    pub(crate) fn run(mut self) -> (Model, u64) {
        self.keep();
        self.shorten();
        (self.model, self.checks)
    }

    /// Lets inputs keep their values, one by one.
    fn keep(&mut self) {
        for variable in self.changed(|_| true).into_iter().take(TRIES) {
            if self.model.len() > 1 && self.model.contains_key(&variable.index) {
                self.try_assuming(vec![variable.is_kept()]);
            }
        }
    }

    /// Looks for short values: of all that are long at once, then one by one.
    fn shorten(&mut self) {
        let model = self.model.clone();
        let long = self.changed(|variable| !is_short(variable, model[&variable.index]));
        let wishes = || long.iter().filter_map(|variable| Some((*variable, short(variable)?)));
        let all: Vec<Bool> = wishes().map(|(_, wish)| wish).collect();
        if all.is_empty() || self.try_assuming(all.clone()) || all.len() == 1 {
            return;
        }
        for (variable, wish) in wishes().take(TRIES) {
            let is_long = self.model.get(&variable.index).is_some_and(|&value| !is_short(variable, value));
            if is_long {
                self.try_assuming(vec![wish]);
            }
        }
    }

    /// The variables that the model changes and that `is_meant`.
    fn changed(&self, is_meant: impl Fn(&Variable) -> bool) -> Vec<&'a Variable> {
        let variables = self.variables.iter();
        variables.filter(|variable| self.model.contains_key(&variable.index) && is_meant(variable)).collect()
    }

    /// Takes a model that satisfies the wishes, besides all earlier ones and without more changes, if there is one.
    fn try_assuming(&mut self, wishes: Vec<Bool>) -> bool {
        let count = self.assumptions.len();
        self.assumptions.extend(wishes);
        let unchanged = self.variables.iter().filter(|variable| !self.model.contains_key(&variable.index));
        let kept = unchanged.map(Variable::is_kept);
        let assumptions: Vec<Bool> = self.assumptions.iter().cloned().chain(kept).collect();
        self.checks += 1;
        if let Verdict::Sat(model) = self.stack.check_with(&assumptions, self.budget) {
            self.model = changes(self.variables, &model);
            return true;
        }
        self.assumptions.truncate(count);
        false
    }
}

/// Where the readable values of a kind lie, as bits; negative numbers are tried only if there is nothing else.
fn interval(variable: &Variable) -> Option<(u128, u128)> {
    match variable.kind {
        InputKind::Signed | InputKind::Unsigned if variable.width > 7 => Some((0, 127)),
        InputKind::Character if variable.width > 7 => Some((0x20, 0x7e)),
        _ => None,
    }
}

/// The bits of a float below the 8 highest of its fraction.
fn tail(width: u32) -> u32 {
    if width == 32 { 15 } else { 44 }
}

/// The wish for a short value, if there is such a thing.
pub(crate) fn short(variable: &Variable) -> Option<Bool> {
    if let Some((low, high)) = interval(variable) {
        let [low, high] = [low, high].map(|end| literal(variable.width, end));
        return Some(Bool::and(&[variable.bits.bvuge(low), variable.bits.bvule(high)]));
    }
    if variable.kind != InputKind::Float || !matches!(variable.width, 32 | 64) {
        return None;
    }
    let tail = tail(variable.width);
    let has_short_fraction = variable.bits.extract(tail - 1, 0).eq(BV::from_u64(0, tail));
    let (exponent, bias, size) = exponent(variable);
    let [low, high] = [bias - 16, bias + 16].map(|end| BV::from_u64(end, size));
    Some(Bool::and(&[has_short_fraction, exponent.bvuge(low), exponent.bvule(high)]))
}

/// The exponent of a float, its bias and its size in bits.
fn exponent(variable: &Variable) -> (BV, u64, u32) {
    let (size, bias) = if variable.width == 32 { (8, 127) } else { (11, 1023) };
    let top = variable.width - 2;
    (variable.bits.extract(top, top + 1 - size), bias, size)
}

fn is_short(variable: &Variable, value: u128) -> bool {
    if let Some((low, high)) = interval(variable) {
        let is_small_negative = variable.kind == InputKind::Signed && value | 127 == mask(variable.width);
        return (low..=high).contains(&value) || is_small_negative;
    }
    match (variable.kind, variable.width) {
        (InputKind::Float, 32 | 64) => value.trailing_zeros() >= tail(variable.width),
        _ => true,
    }
}
