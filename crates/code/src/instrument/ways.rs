//! Ways through decisions: where branches join inside a decision, which way an evaluation took is counted and marked at its end.
//!
//! Each outcome of a clause adds to a number, so that the sum is the number of the way (Ball and Larus, "Efficient path profiling",
//! 1996). The number lives in a local variable, which an optimiser turns into a value.
//!
//! ```text
//! before:  A: br a, C, B      B: br b, C, else      C: br c, then, else          (a || b) && c, outcomes from 7
//! after:   a true: way = 0    a false: way = 2
//!          b true: way += 0   b false: mark coverage[7 + way + 2]
//!          c true: mark coverage[7 + way + 0]      c false: mark coverage[7 + way + 1]
//! ```

use super::emitter::Emitter;
use crate::inspect::{WAY_KIND, WayMark};
use std::collections::HashMap;
use testwright_abi::memory::{COVERAGE_OFFSET, SHARED_BASE};
use testwright_llvm::{Opcode, Value};

/// Marks the ways of all decisions that have a site of their own.
pub fn instrument(emitter: &Emitter<'_, '_>) {
    let kind = emitter.module.context().metadata_kind(WAY_KIND);
    for function in emitter.module.functions() {
        let instructions = function.blocks().into_iter().flat_map(testwright_llvm::Block::instructions);
        let clauses: Vec<(Value<'_>, WayMark)> = instructions
            .filter_map(|instruction| Some((instruction, WayMark::of(&instruction.numbers(kind)?)?)))
            .collect();
        let mut counters = HashMap::new();
        for (instruction, mark) in clauses {
            let counter = *counters.entry(mark.first).or_insert_with(|| counter(emitter, function));
            let way = Ways { emitter, counter, mark };
            if instruction.opcode() == Some(Opcode::LLVMBr) {
                way.branch(instruction);
            } else {
                way.value(instruction);
            }
        }
    }
}

/// The variable that counts, in the frame of the function.
fn counter<'c>(emitter: &Emitter<'c, '_>, function: Value<'c>) -> Value<'c> {
    let first = function.blocks()[0].instructions()[0];
    emitter.builder.before(first);
    emitter.builder.alloca(emitter.i64)
}

struct Ways<'e, 'c, 'm> {
    emitter: &'e Emitter<'c, 'm>,
    counter: Value<'c>,
    mark: WayMark,
}

impl<'c> Ways<'_, 'c, '_> {
    fn branch(&self, branch: Value<'c>) {
        let builder = &self.emitter.builder;
        for way in 0..2 {
            let jump = self.emitter.edge_block(branch, way);
            builder.before(jump);
            let sum = self.sum(self.emitter.i64.constant(u64::from(self.mark.addends[way])));
            if self.mark.ends[way] {
                self.emitter.hit_at(self.address(sum), jump);
            } else {
                builder.store(sum, self.counter);
            }
        }
    }

    /// The last clause of a decision that becomes a value has no edges.
    fn value(&self, value: Value<'c>) {
        let Some(after) = value.next() else { return };
        let builder = &self.emitter.builder;
        builder.before(after);
        let addends = self.mark.addends.map(|addend| self.emitter.i64.constant(u64::from(addend)));
        let addend = builder.select(value, addends[0], addends[1]);
        self.emitter.hit_at(self.address(self.sum(addend)), after);
    }

    /// The number of the way so far, with this added.
    fn sum(&self, addend: Value<'c>) -> Value<'c> {
        if self.mark.begins {
            return addend;
        }
        let builder = &self.emitter.builder;
        builder.add(builder.load(self.emitter.i64, self.counter), addend)
    }

    fn address(&self, way: Value<'c>) -> Value<'c> {
        let base = SHARED_BASE + COVERAGE_OFFSET + u64::from(self.mark.first);
        self.emitter.builder.offset(self.emitter.pointer.address(base), way)
    }
}
