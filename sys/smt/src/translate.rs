//! Translation: the term of one operation, given the terms of its operands.

use testwright_abi::expr::Op;
use testwright_logic::expr::{Expr, Exprs};
use z3::ast::{BV, Bool};

use crate::term::{Term, literal};

mod bits;
mod convert;
mod float;
mod integer;
mod table;

/// An operation under translation.
pub(crate) struct Operation<'a> {
    expr: &'a Expr,
    exprs: &'a Exprs,
    operands: &'a [&'a Term],
    conditions: Vec<Bool>,
}

/// What an operation became.
pub(crate) struct Translation {
    /// Its term.
    pub(crate) term: Term,
    /// What must hold for it to have a value at all, or for its term to mean it.
    pub(crate) conditions: Vec<Bool>,
}

/// Translates `expr`; `operands` are the terms of its operands.
pub(crate) fn translate(exprs: &Exprs, expr: &Expr, operands: &[&Term]) -> Translation {
    let mut operation = Operation { expr, exprs, operands, conditions: vec![] };
    let term = operation.term();
    Translation { term, conditions: operation.conditions }
}

/// The name of an input.
pub(crate) fn input(index: u32, width: u32) -> BV {
    BV::new_const(format!("input {index} of {width} bits"), width)
}

impl Operation<'_> {
    fn term(&mut self) -> Term {
        let width = self.expr.width();
        match self.expr.op {
            Op::Const => Term::of_bits(width, literal(width, self.expr.constant().unwrap_or(0))),
            Op::Input => Term::of_bits(width, input(self.expr.input().unwrap_or(0), width)),
            Op::Ite => self.choice(),
            Op::Table => self.table(),
            _ => self.integer().or_else(|| self.float()).or_else(|| self.conversion()).unwrap_or_else(|| {
                // Every operation is covered above, which a test checks; for one that is not, anything goes.
                Term::of_bits(width, BV::fresh_const("unknown", width))
            }),
        }
    }

    /// Width of operand `place`.
    fn operand_width(&self, place: usize) -> u32 {
        self.operands[place].width()
    }

    fn boolean(&self, place: usize) -> Bool {
        self.operands[place].boolean().clone()
    }

    fn bits(&mut self, place: usize) -> BV {
        let (bits, condition) = self.operands[place].bits();
        self.conditions.extend(condition);
        bits.clone()
    }

    fn bits_of(&self, bits: BV) -> Term {
        Term::of_bits(self.expr.width(), bits)
    }

    /// `Ite`: of truth values, of floats if one of them is only that, or of bits.
    fn choice(&mut self) -> Term {
        let width = self.expr.width();
        let condition = self.boolean(0);
        if width == 1 {
            return condition.ite(&self.boolean(1), &self.boolean(2)).into();
        }
        let [_, then, otherwise] = self.operands else { unreachable!("three operands") };
        if !then.is_float() && !otherwise.is_float() {
            let (then, otherwise) = (self.bits(1), self.bits(2));
            return self.bits_of(condition.ite(&then, &otherwise));
        }
        Term::of_float(width, condition.ite(then.float(), otherwise.float()))
    }
}
