//! Tests of the layers, alone and together.

use super::*;
use crate::expr::ExprId;
use crate::expr::eval::Evaluator;
use crate::testing::Arena;
use testwright_abi::expr::Op;

mod against_all_values;
mod chain;
mod flips;
mod layers;
mod speed;

/// A question about inputs: built by hand, then asked.
#[derive(Default)]
pub(super) struct Question {
    pub(super) arena: Arena,
    pub(super) inputs: Vec<Input>,
    pub(super) values: Vec<u128>,
    pub(super) constraints: Vec<Constraint>,
}

impl Question {
    pub(super) fn input(&mut self, kind: InputKind, width: u32, value: u128) -> ExprId {
        let index = self.inputs.len() as u32;
        self.inputs.push(Input { width, kind, range: None });
        self.values.push(value);
        self.arena.input(index, width as u16, value)
    }

    pub(super) fn int(&mut self, value: i32) -> ExprId {
        self.input(InputKind::Signed, 32, u128::from(value as u32))
    }

    pub(super) fn double(&mut self, value: f64) -> ExprId {
        self.input(InputKind::Float, 64, u128::from(value.to_bits()))
    }

    pub(super) fn text(&mut self, text: &str) -> Vec<ExprId> {
        text.bytes().map(|byte| self.input(InputKind::Character, 8, u128::from(byte))).collect()
    }

    pub(super) fn constant(&mut self, width: u32, value: u64) -> ExprId {
        self.arena.constant(width as u16, value)
    }

    pub(super) fn float(&mut self, value: f64) -> ExprId {
        self.arena.constant(64, value.to_bits())
    }

    /// An operation whose result is as wide as its first operand, or one bit for predicates.
    pub(super) fn op(&mut self, op: Op, width: u32, operands: &[ExprId]) -> ExprId {
        let width = if op.is_predicate() { 1 } else { width };
        self.arena.op(op, width as u16, operands)
    }

    /// Wants the predicate to be true.
    pub(super) fn want(&mut self, op: Op, a: ExprId, b: ExprId) {
        let id = self.op(op, 1, &[a, b]);
        self.constraints.push(Constraint::IsTrue(id));
    }

    /// Wants the predicate to be false.
    pub(super) fn refuse(&mut self, op: Op, a: ExprId, b: ExprId) {
        let id = self.op(op, 1, &[a, b]);
        self.constraints.push(Constraint::IsFalse(id));
    }

    pub(super) fn asked(self) -> Asked {
        let Question { arena, inputs, values, constraints } = self;
        Asked { exprs: arena.finish(), inputs, values, constraints }
    }
}

/// A question that can be solved.
pub(super) struct Asked {
    pub(super) exprs: Exprs,
    pub(super) inputs: Vec<Input>,
    pub(super) values: Vec<u128>,
    pub(super) constraints: Vec<Constraint>,
}

impl Asked {
    pub(super) fn query(&self) -> Query<'_> {
        let Asked { exprs, inputs, values, constraints } = self;
        Query { exprs, constraints, inputs, values, deadline: None }
    }

    pub(super) fn holds(&self, model: &Model) -> bool {
        let mut values = self.values.clone();
        for (&index, &value) in model {
            values[index as usize] = value;
        }
        let mut evaluator = Evaluator::new(&self.exprs, &values);
        let allowed = model.iter().all(|(&index, &value)| self.inputs[index as usize].allows(value));
        allowed && self.constraints.iter().all(|constraint| constraint.holds(&mut evaluator) == Ok(true))
    }

    /// The answer of one layer that has nobody to ask.
    pub(super) fn answer(&self, layer: &mut dyn Layer) -> Answer {
        let answer = layer.solve(&self.query(), &mut Nobody);
        if let Answer::Sat(model) = &answer {
            assert!(self.holds(model), "{model:?} does not satisfy {:?}", self.constraints);
        }
        answer
    }
}

/// The end of every chain.
pub(super) struct Nobody;

impl Solve for Nobody {
    fn solve(&mut self, _query: &Query<'_>) -> Answer {
        Answer::Unknown("nobody was asked".into())
    }
}

pub(super) fn sat(pairs: &[(u32, i128)], width: u32) -> Answer {
    Answer::Sat(
        pairs.iter().map(|&(index, value)| (index, value as u128 & crate::expr::mask(width))).collect(),
    )
}
