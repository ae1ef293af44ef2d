//! Moves: the values that are worth trying for an input.

use std::collections::BTreeSet;

use testwright_abi::expr::Op;

use super::random::Random;
use crate::expr::mask;
use crate::solve::InputKind;
use crate::solve::float::{from_f64, to_f64};
use crate::solve::machine::Machine;
use crate::solve::program::{Program, Variable, Wish};

/// At most so many values of the query are tried for each input.
const VALUES: usize = 48;

/// The numbers that occur in the query, as bits and as floats.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    integers: Vec<u128>,
    floats: Vec<f64>,
}

impl Numbers {
    pub(super) fn new(program: &Program) -> Numbers {
        let mut found: BTreeSet<(u32, u128)> = BTreeSet::new();
        for place in program.places.iter().filter(|place| place.expr.op == Op::Const) {
            found.insert((place.expr.width(), place.expr.value));
        }
        for goal in &program.goals {
            let width = program.width(goal.place);
            match &goal.wish {
                Wish::Equals(value) => found.extend([(width, *value)]),
                Wish::OneOf(values) => found.extend(values.iter().map(|&value| (width, value))),
                _ => {}
            }
        }
        let mut numbers = Numbers { integers: vec![], floats: vec![] };
        for (width, value) in found.into_iter().filter(|&(width, _)| width > 1).take(VALUES) {
            for near in [value, value.wrapping_add(1), value.wrapping_sub(1)] {
                numbers.integers.push(near & mask(width));
            }
            if matches!(width, 32 | 64) && to_f64(width, value).is_normal() {
                numbers.floats.push(to_f64(width, value));
            }
            if value < 1 << 20 {
                numbers.floats.push(value as f64);
            }
        }
        numbers.floats.extend([0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
        numbers
    }

    /// Values of the query for one input.
    pub(super) fn values(&self, machine: &Machine, variable: &Variable) -> Vec<u128> {
        let width = variable.input.width;
        let mut values: Vec<u128> = match variable.input.kind {
            InputKind::Float => self.floats.iter().map(|&number| from_f64(width, number)).collect(),
            _ => self.integers.iter().map(|&number| number & mask(width)).collect(),
        };
        let others = machine.program.variables.iter().enumerate();
        let alike = others.filter(|(_, other)| other.input.width == width && other.index != variable.index);
        values.extend(alike.take(VALUES).map(|(number, _)| machine.variable(number)));
        values.sort_unstable();
        values.dedup();
        values
    }

    /// A value to start again from.
    pub(super) fn random(&self, random: &mut Random, variable: &Variable) -> u128 {
        let width = variable.input.width;
        let bits = random.bits();
        let value = match (variable.input.kind, random.below(4)) {
            (InputKind::Float, 0) => from_f64(width, self.floats[random.below(self.floats.len())]),
            (InputKind::Float, 1 | 2) => from_f64(width, (bits as i64 >> (random.below(63))) as f64 / 16.0),
            (InputKind::Character, 0 | 1) => 0x20 + u128::from(random.next() % 95),
            (_, 0) if !self.integers.is_empty() => self.integers[random.below(self.integers.len())],
            // Small numbers, negative ones among them, more often than chance would have it.
            (_, 1) => ((bits as i128) >> (128 - random.below(16).max(1))) as u128,
            (_, 2) => 1 << random.below(width as usize),
            _ => bits,
        };
        value & mask(width)
    }
}
