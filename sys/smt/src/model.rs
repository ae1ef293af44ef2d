//! Models: which inputs Z3 found.

use testwright_logic::solve::{Input, InputKind, Model, Query};
use z3::ast::{Ast, BV, Bool};

use crate::claim::mask;
use crate::term::literal;
use crate::translate::input;

/// An input that the constraints of a query depend on.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) index: u32,
    pub(crate) kind: InputKind,
    pub(crate) width: u32,
    pub(crate) bits: BV,
    /// Its value in the run.
    pub(crate) value: u128,
}

impl Variable {
    /// The input with this index; `width` is that of its expression.
    pub(crate) fn new(query: &Query<'_>, index: u32, width: u32) -> Variable {
        let kind = query.inputs.get(index as usize).map_or(InputKind::Unsigned, |input| input.kind);
        let value = query.values.get(index as usize).copied().unwrap_or(0) & mask(width);
        Variable { index, kind, width, bits: input(index, width), value }
    }

    /// What the query says about it, if its width is that of the expression.
    pub(crate) fn declaration<'a>(&self, query: &Query<'a>) -> Option<&'a Input> {
        query.inputs.get(self.index as usize).filter(|input| input.width == self.width)
    }

    /// The claim that it keeps its value.
    pub(crate) fn is_kept(&self) -> Bool {
        self.bits.eq(literal(self.width, self.value))
    }

    /// Its value in a model of Z3; where the model leaves it open it keeps its value.
    fn value_in(&self, model: &z3::Model) -> u128 {
        let Some(bits) = model.get_const_interp(&self.bits) else { return self.value };
        let piece = |bits: &BV| bits.as_u64().or_else(|| bits.simplify().as_u64()).map_or(0, u128::from);
        if self.width <= 64 {
            return piece(&bits);
        }
        piece(&bits.extract(self.width - 1, 64)) << 64 | piece(&bits.extract(63, 0))
    }
}

/// The variables that differ from the run.
pub(crate) fn changes(variables: &[Variable], model: &z3::Model) -> Model {
    let values = variables.iter().map(|variable| (variable, variable.value_in(model)));
    values
        .filter(|(variable, value)| *value != variable.value)
        .map(|(variable, value)| (variable.index, value))
        .collect()
}
