//! Carried values: what one round of a loop, or one call of a function that is called again and again, leaves to the next.
//!
//! `count == 9 && c == 'X'` asks for nine rounds and then for a character. Where the sum of both is measured, a round that has the
//! character too early looks better than one that has counted further, and the search keeps what it would have to give up.
//! So conditions on carried values come first: until they hold, those behind them on the path are as far as can be.

use super::atom::{Atom, Clause};
use super::body::Body;
use super::memory::root;
use super::term::{Term, TermId, Terms};
use std::collections::HashSet;
use testwright_base::ids::BlockId;
use testwright_llvm::{Opcode, Value};

/// The carried values of a function.
pub struct Carried<'c> {
    /// Variables of loops, and globals that the function changes.
    values: HashSet<Value<'c>>,
}

impl<'c> Carried<'c> {
    /// Of a function; its globals count if it is called again and again.
    pub fn new(body: &Body<'c>, is_called_again: bool) -> Carried<'c> {
        let mut values = HashSet::new();
        for block in body.flow.blocks() {
            for instruction in &body.instructions[block.index()] {
                let comes_back = || {
                    let from = instruction.incoming().into_iter().filter_map(|(_, from)| body.number(from));
                    from.into_iter().any(|from| body.flow.dominates(block, BlockId::of(from)))
                };
                match instruction.opcode() {
                    Some(Opcode::LLVMPHI) if comes_back() => _ = values.insert(*instruction),
                    Some(Opcode::LLVMStore) if is_called_again => {
                        let place = root(instruction.operand(1));
                        _ = place.is_global_variable() && values.insert(place);
                    }
                    _ => {}
                }
            }
        }
        Carried { values }
    }

    /// Whether a clause asks for a carried value.
    pub fn has(&self, terms: &Terms<'c>, clause: &Clause) -> bool {
        clause.iter().any(|atom| match atom {
            Atom::Integers(_, a, b) | Atom::Floats(_, a, b, _) => {
                self.is_in(terms, *a) || self.is_in(terms, *b)
            }
            Atom::Bit(term, _) | Atom::OneOf(term, _) | Atom::NoneOf(term, _) => self.is_in(terms, *term),
        })
    }

    /// Whether a term is computed from a carried value. What lies at a carried address is not: another round, another place.
    fn is_in(&self, terms: &Terms<'c>, term: TermId) -> bool {
        let has = |term: &TermId| self.is_in(terms, *term);
        match terms.get(term) {
            Term::Live(value) if value.opcode() == Some(Opcode::LLVMLoad) => {
                let place = root(value.operand(0));
                place.is_global_variable() && self.values.contains(&place)
            }
            Term::Live(value) => self.values.contains(value),
            Term::Load(address) => {
                matches!(terms.get(*address), Term::Constant(global) if self.values.contains(global))
            }
            Term::Binary(_, a, b) | Term::Compare(_, a, b) | Term::CompareFloats(_, a, b) => has(a) || has(b),
            Term::Select(c, a, b) => has(c) || has(a) || has(b),
            Term::Negate(a) | Term::Cast(_, a) => has(a),
            // There is nothing to wait for: it says itself how far it is.
            Term::Later(_) => false,
            Term::Apply(_, arguments) => arguments.iter().any(has),
            Term::Int(_) | Term::Constant(_) | Term::Offset(..) | Term::Element(..) => false,
        }
    }
}
