//! A short way through decisions all of whose outcomes at hand are marked already.
//!
//! `a <= 0 || b <= 0 || c <= 0` is one branch to an optimiser and three to us, because each condition has outcomes
//! to mark; random inputs make the processor guess wrong at each of them. Once the marks are set there is
//! nothing left to do on the way, so all conditions are computed at once and a single branch decides:
//!
//! ```text
//! before:  A: br a, X, B                   B: br b, X, C          C: br c, X, Y
//! after:   A: mark = a ? A.true : b ? B.true : c ? C.true : C.false
//!             br coverage[mark], short, long
//!          short: br a | b | c, X, Y       long: br a, X, B  ..as before
//! ```
//!
//! That the last outcome on a way is marked implies that those before it are: the conditions in between compute
//! from values alone, so that a run cannot end there. Where conditions read memory or may trap, nothing is shortened.

use super::emitter::{Emitter, Memory};
use crate::inspect::WAY_KIND;
use std::collections::HashMap;
use testwright_abi::memory::{COVERAGE_OFFSET, SHARED_BASE};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_llvm::{Block, IntPredicate, Opcode, Value};

/// More conditions than this cost more to compute at once than branches guessed wrong.
const MAX_CONDITIONS: usize = 6;

/// Adds the short ways. To be done before outcomes are marked.
pub fn shorten(emitter: &Emitter<'_, '_>, subject: &Subject) {
    for function in emitter.module.functions() {
        let blocks = function.blocks();
        let mut done: Vec<Block<'_>> = Vec::new();
        for block in blocks {
            if done.contains(&block) {
                continue;
            }
            if let Some(decision) = Decision::starting_at(emitter, subject, block) {
                done.extend(decision.conditions.iter().map(|condition| condition.branch.block()));
                decision.shorten(emitter);
            }
        }
    }
}

/// One branch of a decision.
struct Condition<'c> {
    branch: Value<'c>,
    /// Which successor leaves the decision early: 0 or 1.
    early: usize,
    /// Number of its first outcome.
    first: u32,
}

/// Branches in a row, each of which either leads to the next or to a block that they share.
struct Decision<'c> {
    conditions: Vec<Condition<'c>>,
    /// The shared block.
    early: Block<'c>,
    /// Where the last branch leads otherwise.
    late: Block<'c>,
}

impl<'c> Decision<'c> {
    fn starting_at(emitter: &Emitter<'c, '_>, subject: &Subject, block: Block<'c>) -> Option<Decision<'c>> {
        let (branch, first) = site_branch(emitter, subject, block)?;
        let successors = branch.successors();
        [(0, 1), (1, 0)].into_iter().find_map(|(early, next)| {
            let mut decision = Decision {
                conditions: vec![Condition { branch, early, first }],
                early: successors[early],
                late: successors[next],
            };
            while decision.conditions.len() < MAX_CONDITIONS && decision.extend(emitter, subject) {}
            let is_worth_it = decision.conditions.len() > 1
                && decision.early != decision.late
                && !starts_with_phi(decision.early)
                && !starts_with_phi(decision.late);
            is_worth_it.then_some(decision)
        })
    }

    /// Adds the condition in the block that comes next, if there is one.
    fn extend(&mut self, emitter: &Emitter<'c, '_>, subject: &Subject) -> bool {
        let block = self.late;
        let Some((branch, first)) = site_branch(emitter, subject, block) else { return false };
        let successors = branch.successors();
        let Some(early) = successors.iter().position(|successor| *successor == self.early) else {
            return false;
        };
        let is_ours = block.predecessors().len() == 1
            && successors[1 - early] != self.early
            && block.instructions().into_iter().all(|instruction| {
                instruction == branch
                    || is_pure(instruction)
                        && is_used_only_in(instruction, block)
                        && !has_outcomes(emitter, subject, instruction)
            });
        if is_ours {
            self.conditions.push(Condition { branch, early, first });
            self.late = successors[1 - early];
        }
        is_ours
    }

    fn shorten(&self, emitter: &Emitter<'c, '_>) {
        let builder = &emitter.builder;
        let start = self.conditions[0].branch;
        builder.before(start);
        let leaves: Vec<Value<'c>> =
            self.conditions.iter().map(|condition| leaves_early(emitter, condition)).collect();
        let last = self.conditions.last().expect("a decision has conditions");
        let mut mark = mark_of(emitter, last, 1 - last.early);
        for (condition, leaves) in self.conditions.iter().zip(&leaves).rev() {
            mark = builder.select(*leaves, mark_of(emitter, condition, condition.early), mark);
        }
        let seen = emitter.ours(builder.load(emitter.i8, mark), Memory::Coverage);
        let is_new = builder.compare(IntPredicate::LLVMIntEQ, seen, emitter.i8.zero());
        let any = leaves[1..].iter().fold(leaves[0], |any, leaves| builder.or(any, *leaves));

        let long = start.block();
        let head = long.split_before(start, builder);
        let short = long.function().append_block("short");
        builder.at_end(head);
        builder.branch(is_new, long, short).set_branch_weights(&[1, 100_000]);
        builder.at_end(short);
        builder.branch(any, self.early, self.late);
    }
}

/// The branch at the end of a block, if its outcomes are to be marked, and the number of the first.
fn site_branch<'c>(
    emitter: &Emitter<'c, '_>,
    subject: &Subject,
    block: Block<'c>,
) -> Option<(Value<'c>, u32)> {
    let branch =
        block.terminator().filter(|end| end.opcode() == Some(Opcode::LLVMBr) && end.is_conditional())?;
    let (site, first) = emitter.site(branch)?;
    // Which way an evaluation takes is counted on the long way only.
    if branch.has_metadata(emitter.module.context().metadata_kind(WAY_KIND)) {
        return None;
    }
    // The branches of sanitizer checks have a single outcome, and it is not on their edge.
    let is_branch = matches!(subject.sites.get(site as usize)?.kind, SiteKind::Branch);
    is_branch.then_some((branch, first))
}

/// The address of the mark of one outcome.
fn mark_of<'c>(emitter: &Emitter<'c, '_>, condition: &Condition<'c>, way: usize) -> Value<'c> {
    emitter.pointer.address(SHARED_BASE + COVERAGE_OFFSET + u64::from(condition.first) + way as u64)
}

/// Computes at the builder's place whether a condition leaves the decision early. Undefined where the program
/// would not have computed it, which is why the result is frozen.
fn leaves_early<'c>(emitter: &Emitter<'c, '_>, condition: &Condition<'c>) -> Value<'c> {
    let builder = &emitter.builder;
    let branch = condition.branch;
    let mut copies: HashMap<Value<'c>, Value<'c>> = HashMap::new();
    if builder.block() != branch.block() {
        for instruction in branch.block().instructions().into_iter().filter(|one| *one != branch) {
            let operand = |index| {
                let operand = instruction.operand(index);
                copies.get(&operand).copied().unwrap_or(operand)
            };
            let copy = match instruction.opcode() {
                Some(Opcode::LLVMICmp) => {
                    builder.compare(instruction.int_predicate(), operand(0), operand(1))
                }
                Some(Opcode::LLVMFCmp) => {
                    builder.compare_floats(instruction.real_predicate(), operand(0), operand(1))
                }
                Some(opcode @ (Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor)) => {
                    builder.binary(opcode, operand(0), operand(1))
                }
                Some(opcode) => builder.cast(opcode, operand(0), instruction.ty()),
                None => continue,
            };
            copies.insert(instruction, copy);
        }
    }
    let holds = copies.get(&branch.condition()).copied().unwrap_or_else(|| branch.condition());
    let holds = builder.freeze(holds);
    if condition.early == 0 { holds } else { builder.xor(holds, emitter.i1.constant(1)) }
}

/// Whether an instruction only computes, cannot trap, and is one that [`leaves_early`] copies.
fn is_pure(instruction: Value<'_>) -> bool {
    matches!(
        instruction.opcode(),
        Some(
            Opcode::LLVMICmp
                | Opcode::LLVMFCmp
                | Opcode::LLVMAnd
                | Opcode::LLVMOr
                | Opcode::LLVMXor
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMTrunc
                | Opcode::LLVMFPExt
                | Opcode::LLVMFPTrunc
        )
    )
}

/// Whether an instruction is a site with outcomes of its own, such as a comparison that no branch uses directly.
fn has_outcomes(emitter: &Emitter<'_, '_>, subject: &Subject, instruction: Value<'_>) -> bool {
    let site = emitter.site(instruction).and_then(|(site, _)| subject.sites.get(site as usize));
    site.is_some_and(|site| site.outcome_count > 0)
}

fn is_used_only_in(instruction: Value<'_>, block: Block<'_>) -> bool {
    instruction.users().into_iter().all(|user| user.block() == block)
}

fn starts_with_phi(block: Block<'_>) -> bool {
    block.instructions().first().is_some_and(|first| first.opcode() == Some(Opcode::LLVMPHI))
}
