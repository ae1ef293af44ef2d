//! The terms of the expressions of a run, made when they are needed and kept for later queries.
//!
//! Queries about the same run share most expressions, and so do runs that begin alike: the same handles then
//! mean the same expressions. A term is used again if its expression, and everything that is made of, are
//! still the same; nothing relies on the arena being the one of the last query.

use testwright_abi::expr::Op;
use testwright_abi::libm::Function;
use testwright_logic::expr::{Expr, ExprId, Exprs, Table};
use z3::ast::Bool;

use crate::term::Term;
use crate::translate::translate;

/// So many terms are kept before all are forgotten: they take memory here and in Z3.
const MOST_TERMS: usize = 1 << 18;

/// Terms by handle.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    entries: Vec<Option<Entry>>,
    tables: Vec<Table>,
    /// How many terms were ever made; says which of two terms is older.
    made: u64,
    /// The query in which an expression was met last, by handle.
    met: Vec<u64>,
    query: u64,
}

#[derive(Debug)]
struct Entry {
    shape: Shape,
    /// How many terms had been made before this one.
    age: u64,
    term: Term,
    conditions: Vec<Bool>,
    needs_floats: bool,
}

/// Everything about an expression but its value: what its term depends on besides those of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    op: Op,
    function: Option<Function>,
    width: u32,
    operands: [u32; 3],
    number: u128,
}

impl Shape {
    fn of(expr: &Expr) -> Shape {
        let mut operands = [0; 3];
        for (handle, operand) in operands.iter_mut().zip(expr.operands()) {
            *handle = operand.handle();
        }
        let small = expr.input().or(expr.low_bit()).map(u128::from);
        let number = small.or(expr.constant()).or(expr.table().map(|table| table as u128)).unwrap_or(0);
        Shape { op: expr.op, function: expr.function(), width: expr.width(), operands, number }
    }
}

impl Terms {
    /// Begins a query about these expressions.
    pub(crate) fn begin(&mut self, exprs: &Exprs) {
        if exprs.tables() != self.tables || self.entries.len() > MOST_TERMS {
            self.entries.clear();
            self.tables = exprs.tables().to_vec();
        }
        self.query += 1;
    }

    /// The parts of `id` that were not met before in this query, operands first; all have terms now.
    pub(crate) fn meet(&mut self, exprs: &Exprs, id: ExprId) -> Vec<ExprId> {
        let mut found = vec![];
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if self.is_first_meeting(id) {
                found.push(id);
                waiting.extend(exprs.get(id).operands());
            }
        }
        found.sort_unstable();
        for &id in &found {
            self.make(exprs, id);
        }
        found
    }

    fn is_first_meeting(&mut self, id: ExprId) -> bool {
        let place = id.handle() as usize;
        if self.met.len() <= place {
            self.met.resize(place + 1, 0);
        }
        let last = std::mem::replace(&mut self.met[place], self.query);
        last != self.query
    }

    /// Makes the term of `id` unless there is one that still fits; its operands have theirs.
    fn make(&mut self, exprs: &Exprs, id: ExprId) {
        let place = id.handle() as usize;
        if self.entries.len() <= place {
            self.entries.resize_with(place + 1, || None);
        }
        let expr = exprs.get(id);
        let shape = Shape::of(expr);
        if self.is_current(place, &shape, expr) {
            return;
        }
        let operands: Vec<&Term> = expr.operands().map(|operand| self.term(operand)).collect();
        let translation = translate(exprs, expr, &operands);
        let needs_floats = is_beyond_bits(expr.op) || expr.operands().any(|id| self.needs_floats(id));
        self.made += 1;
        let (term, conditions, age) = (translation.term, translation.conditions, self.made);
        self.entries[place] = Some(Entry { shape, age, term, conditions, needs_floats });
    }

    fn is_current(&self, place: usize, shape: &Shape, expr: &Expr) -> bool {
        let Some(entry) = &self.entries[place] else { return false };
        entry.shape == *shape && expr.operands().all(|operand| self.entry(operand).age < entry.age)
    }

    /// The term of an expression that was met.
    pub(crate) fn term(&self, id: ExprId) -> &Term {
        &self.entry(id).term
    }

    /// What must hold besides, wherever the expression is used.
    pub(crate) fn conditions(&self, id: ExprId) -> &[Bool] {
        &self.entry(id).conditions
    }

    /// Whether it takes more than the theory of bit vectors.
    pub(crate) fn needs_floats(&self, id: ExprId) -> bool {
        self.entry(id).needs_floats
    }

    fn entry(&self, id: ExprId) -> &Entry {
        self.entries[id.handle() as usize].as_ref().expect("operands are met before their users")
    }

    /// How many terms were made so far.
    #[cfg(test)]
    pub(crate) fn made(&self) -> u64 {
        self.made
    }
}

fn is_beyond_bits(op: Op) -> bool {
    matches!(op as u8, 40..=70)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Arena;

    fn made_by(terms: &mut Terms, arena: &Arena, id: ExprId) -> u64 {
        let before = terms.made();
        let exprs = arena.exprs();
        terms.begin(&exprs);
        terms.meet(&exprs, id);
        terms.made() - before
    }

    #[test]
    fn expressions_that_are_the_same_in_another_arena_keep_their_terms() {
        let mut terms = Terms::default();
        let mut arena = Arena::default();
        let x = arena.input(0, 8, 1);
        let one = arena.constant(8, 1);
        let sum = arena.op(Op::Add, 8, &[x, one]);
        assert_eq!(made_by(&mut terms, &arena, sum), 3);
        let mut longer = Arena::default();
        let x = longer.input(0, 8, 200);
        let one = longer.constant(8, 1);
        let sum = longer.op(Op::Add, 8, &[x, one]);
        let product = longer.op(Op::Mul, 8, &[sum, sum]);
        assert_eq!(made_by(&mut terms, &longer, product), 1);
    }

    #[test]
    fn a_user_of_an_operand_that_changed_is_made_anew_even_queries_later() {
        let mut terms = Terms::default();
        let arena = |constant: u64| {
            let mut arena = Arena::default();
            let x = arena.input(0, 8, 1);
            let number = arena.constant(8, constant);
            let sum = arena.op(Op::Add, 8, &[x, number]);
            (arena, number, sum)
        };
        let (first, _, sum) = arena(1);
        assert_eq!(made_by(&mut terms, &first, sum), 3);
        let (second, number, sum) = arena(2);
        assert_eq!(made_by(&mut terms, &second, number), 1);
        assert_eq!(made_by(&mut terms, &second, sum), 1);
        assert_eq!(made_by(&mut terms, &second, sum), 0);
    }

    #[test]
    fn other_tables_make_other_terms() {
        let mut terms = Terms::default();
        let arena = |bytes: &[u8]| {
            let mut arena = Arena::default();
            let offset = arena.input(0, 64, 1);
            let read = arena.table(8, bytes, offset);
            (arena, read)
        };
        let (first, read) = arena(&[1, 2, 3]);
        assert_eq!(made_by(&mut terms, &first, read), 2);
        let (second, read) = arena(&[1, 2, 4]);
        assert_eq!(made_by(&mut terms, &second, read), 2);
    }
}
