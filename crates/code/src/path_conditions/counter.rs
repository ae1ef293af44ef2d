//! Counters: variables that inputs make move, but do not decide how far.
//!
//! `weight` in `while (weight > 1) { if (*text < '0') return; weight--; text++; }` is one: it starts with a constant, and rounds of the
//! loop add constants to it. At a decision on it there is nothing that an input could change but how many more rounds
//! follow. So its distance counts rounds, and each of them weighs as much as a decision does: a run that has counted further is nearer, whatever
//! it lacks for the next round. A path round the loop knows what a round adds, and keeps it beyond the point where other
//! variables are destroyed.

use super::atom::{Atom, Clause};
use super::body::Body;
use super::term::{Term, TermId, Terms, checked_arithmetic};
use std::collections::HashSet;
use testwright_llvm::{Kind, Opcode, Value};

/// The counters of a function that some decision compares with constants or with each other.
pub struct Counters<'c> {
    values: HashSet<Value<'c>>,
}

impl<'c> Counters<'c> {
    /// Of a function.
    pub fn new(body: &Body<'c>) -> Counters<'c> {
        let instructions = || body.instructions.iter().flatten().copied();
        let mut values: HashSet<Value<'c>> =
            instructions().filter(|instruction| sources(*instruction).is_some()).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let fits = |value: &Value<'c>| {
                let mut sources = sources(*value).into_iter().flatten();
                sources.all(|source| is_constant(source) || values.contains(&source))
            };
            let kept: HashSet<Value<'c>> = values.iter().copied().filter(fits).collect();
            changed = kept.len() < values.len();
            values = kept;
        }
        let is_known = |value: &Value<'c>| is_constant(*value) || values.contains(value);
        let compared = instructions().filter(|instruction| {
            instruction.opcode() == Some(Opcode::LLVMICmp) && instruction.operands().iter().all(is_known)
                || instruction.opcode() == Some(Opcode::LLVMSwitch) && is_known(&instruction.condition())
        });
        let mut open: Vec<Value<'c>> = compared.flat_map(Value::operands).collect();
        let mut asked = HashSet::new();
        while let Some(value) = open.pop() {
            if values.contains(&value) && asked.insert(value) {
                open.extend(sources(value).into_iter().flatten());
            }
        }
        Counters { values: asked }
    }

    /// Whether a value is one, or computed from them alone.
    pub fn contains(&self, value: Value<'c>) -> bool {
        self.values.contains(&value)
    }

    /// Whether a clause asks for nothing but counters.
    pub fn are_all(&self, terms: &Terms<'c>, clause: &Clause) -> bool {
        clause.iter().all(|atom| match atom {
            Atom::Integers(_, a, b) => self.is_made_of(terms, *a) && self.is_made_of(terms, *b),
            Atom::OneOf(term, _) | Atom::NoneOf(term, _) => self.is_made_of(terms, *term),
            Atom::Floats(..) | Atom::Bit(..) => false,
        })
    }

    fn is_made_of(&self, terms: &Terms<'c>, term: TermId) -> bool {
        match terms.get(term) {
            Term::Int(_) | Term::Later(_) => true,
            Term::Live(value) => self.contains(*value),
            Term::Binary(Opcode::LLVMAdd | Opcode::LLVMSub, a, b) => {
                self.is_made_of(terms, *a) && self.is_made_of(terms, *b)
            }
            Term::Cast(Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt, a) => {
                self.is_made_of(terms, *a)
            }
            _ => false,
        }
    }
}

fn is_constant(value: Value<'_>) -> bool {
    value.constant_int().is_some()
}

/// The operand of an addition that is no constant; none if neither is one.
fn moved<'c>(a: Value<'c>, b: Value<'c>) -> Option<Value<'c>> {
    if is_constant(b) { Some(a) } else { is_constant(a).then_some(b) }
}

/// What a counter would be computed from, apart from constants; none if the instruction cannot give one.
fn sources(instruction: Value<'_>) -> Option<Vec<Value<'_>>> {
    if instruction.ty().kind() != Kind::Int || !(2..=64).contains(&instruction.ty().int_width()) {
        return None;
    }
    match instruction.opcode()? {
        Opcode::LLVMPHI => Some(instruction.incoming().into_iter().map(|(value, _)| value).collect()),
        Opcode::LLVMAdd | Opcode::LLVMSub => {
            Some(vec![moved(instruction.operand(0), instruction.operand(1))?])
        }
        Opcode::LLVMExtractValue => match checked_arithmetic(instruction)? {
            (Opcode::LLVMAdd | Opcode::LLVMSub, a, b) => Some(vec![moved(a, b)?]),
            _ => None,
        },
        Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMFreeze => {
            Some(vec![instruction.operand(0)])
        }
        Opcode::LLVMSelect => Some(vec![instruction.operand(1), instruction.operand(2)]),
        _ => None,
    }
}
