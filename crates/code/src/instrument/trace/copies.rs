//! Two copies of a function with loops: one in which nothing was symbolic so far, and one in which something was.
//!
//! The first knows nothing of handles and of the bit that says whether there are any ([`super::frame`]); all it does for
//! tracing is to look at the taint of what it loads. If that is set, it goes on in the second copy, which never goes back.
//!
//! ```text
//! before:  head:  br seen, cold, check             after:  head:  br cold                    head':  br check'
//!          check: br taint, cold, fast                     check: (gone)                     check': br taint, cold, fast'
//!          fast:  .. br tail                               fast:  .. br tail                 fast':  .. br tail'
//! ```
//!
//! A jump from the middle of one copy to the middle of the other takes all values along, so they must be in memory; LLVM puts
//! them there before (`reg2mem`) and back into registers afterwards. There are no phis meanwhile, which makes copying easy.

use super::outline;
use crate::instrument::emitter::Emitter;
use std::collections::{HashMap, HashSet};
use testwright_llvm::{Block, Error, Opcode, Target, Value};

/// What a branch of ours is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Whether parameters are symbolic.
    Entry,
    /// Whether anything was symbolic before.
    Seen,
    /// Whether something is symbolic now.
    Taint,
}

const KIND: &str = "tw.turn";

/// A function with more instructions has one copy.
const LARGEST: usize = 20_000;

/// Says what a branch is about.
pub fn mark<'c>(emitter: &Emitter<'c, '_>, branch: Value<'c>, turn: Turn) {
    branch.set_numbers(emitter.module.context().metadata_kind(KIND), &[turn as u64]);
}

/// Makes the copies.
///
/// # Errors
/// If a pass of LLVM's fails.
pub fn split(emitter: &Emitter<'_, '_>, target: &Target) -> Result<(), Error> {
    emitter.module.run_passes("function(reg2mem)", target)?;
    for function in emitter.module.functions() {
        let blocks = function.blocks();
        if !blocks.is_empty() && is_worth_it(&blocks) {
            Splitter::new(emitter, &blocks).split();
        }
    }
    Ok(())
}

/// Without loops the optimiser does as much; assembly may define labels, and what returns twice expects to be unique.
fn is_worth_it(blocks: &[Block<'_>]) -> bool {
    let instructions: Vec<Value<'_>> = blocks.iter().flat_map(|block| block.instructions()).collect();
    let is_unique = |instruction: &Value<'_>| {
        instruction.opcode() == Some(Opcode::LLVMCall)
            && (instruction.callee().is_inline_assembly()
                || instruction.callee().has_attribute("returns_twice"))
    };
    instructions.len() <= LARGEST
        && !crate::instrument::steps::loop_headers(blocks).is_empty()
        && !instructions.iter().any(is_unique)
}

/// The second copy is there for what is symbolic, so its regions need not spare its registers. Calls of them cost a twentieth to
/// a twelfth of a symbolic run (base64, bitwise crc32).
fn put_regions_in_place(function: Value<'_>) {
    for call in function.blocks().into_iter().flat_map(Block::instructions) {
        if call.opcode() == Some(Opcode::LLVMCall) && outline::is_region(call.callee()) {
            let region = call.callee();
            region.set_preserve_usual();
            call.set_preserve_usual();
            for attribute in ["noinline", "cold"] {
                region.remove_attribute(attribute);
            }
            region.add_attribute("alwaysinline");
        }
    }
}

struct Splitter<'c, 'm, 'e> {
    emitter: &'e Emitter<'c, 'm>,
    turns: HashMap<Value<'c>, Turn>,
}

impl<'c, 'm, 'e> Splitter<'c, 'm, 'e> {
    fn new(emitter: &'e Emitter<'c, 'm>, blocks: &[Block<'c>]) -> Splitter<'c, 'm, 'e> {
        let kind = emitter.module.context().metadata_kind(KIND);
        let turn = |branch: Value<'c>| {
            let number = branch.numbers(kind)?[0];
            let turns = [Turn::Entry, Turn::Seen, Turn::Taint];
            Some((branch, turns.into_iter().find(|turn| *turn as u64 == number)?))
        };
        let terminators = blocks.iter().filter_map(|block| block.terminator());
        Splitter { emitter, turns: terminators.filter_map(turn).collect() }
    }

    fn split(&self) {
        let Some(entry) =
            self.turns.iter().find(|(_, turn)| **turn == Turn::Entry).map(|(branch, _)| *branch)
        else {
            return;
        };
        let start = entry.successors()[1];
        let order = self.reachable(start);
        let builder = &self.emitter.builder;
        let function = start.function();
        let copies: HashMap<Block<'c>, Block<'c>> =
            order.iter().map(|block| (*block, function.append_block("clean"))).collect();
        for block in &order {
            builder.at_end(copies[block]);
            let mut values: HashMap<Value<'c>, Value<'c>> = HashMap::new();
            for instruction in block.instructions() {
                let copy = builder.duplicate(instruction);
                for index in 0..copy.operand_count() {
                    if let Some(value) = values.get(&copy.operand(index)) {
                        copy.set_operand(index, *value);
                    }
                }
                values.insert(instruction, copy);
            }
            let (old, new) = (block.terminator(), copies[block].terminator());
            if let (Some(old), Some(new)) = (old, new) {
                self.redirect(old, new, &copies);
            }
        }
        for (branch, turn) in &self.turns {
            if *turn == Turn::Seen {
                branch.set_successor(1, branch.successors()[0]);
            }
        }
        entry.set_successor(1, copies[&start]);
        put_regions_in_place(function);
    }

    /// The blocks that can be reached while nothing is symbolic.
    fn reachable(&self, start: Block<'c>) -> Vec<Block<'c>> {
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        let mut work = vec![start];
        while let Some(block) = work.pop() {
            if !seen.insert(block) {
                continue;
            }
            order.push(block);
            let Some(terminator) = block.terminator() else { continue };
            let skipped = usize::from(self.turns.contains_key(&terminator));
            work.extend(terminator.successors().into_iter().skip(skipped));
        }
        order
    }

    /// Where the copy of a terminator leads.
    fn redirect(&self, old: Value<'c>, new: Value<'c>, copies: &HashMap<Block<'c>, Block<'c>>) {
        let turn = self.turns.get(&old);
        let successors = old.successors();
        for (index, successor) in successors.iter().enumerate() {
            match (turn, index) {
                (Some(Turn::Taint), 0) => {}
                (Some(Turn::Seen), 0) => new.set_successor(0, copies[&successors[1]]),
                _ => new.set_successor(index, copies[successor]),
            }
        }
    }
}
