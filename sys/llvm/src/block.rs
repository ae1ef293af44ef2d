//! A basic block.

use crate::Value;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

/// A basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'c> {
    pub(crate) raw: LLVMBasicBlockRef,
    context: PhantomData<&'c ()>,
}

impl<'c> Block<'c> {
    pub(crate) fn from_raw(raw: LLVMBasicBlockRef) -> Block<'c> {
        Block { raw, context: PhantomData }
    }

    /// The instructions, first to last.
    #[must_use]
    pub fn instructions(self) -> Vec<Value<'c>> {
        let mut list = Vec::new();
        // SAFETY: walks the list of a live block.
        unsafe {
            let mut instruction = LLVMGetFirstInstruction(self.raw);
            while !instruction.is_null() {
                list.push(Value::from_raw(instruction));
                instruction = LLVMGetNextInstruction(instruction);
            }
        }
        list
    }

    /// The last instruction, if it ends the block.
    #[must_use]
    pub fn terminator(self) -> Option<Value<'c>> {
        // SAFETY: the block is live.
        Value::from_nullable(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// The function it belongs to.
    #[must_use]
    pub fn function(self) -> Value<'c> {
        // SAFETY: the block is live and in a function.
        Value::from_raw(unsafe { LLVMGetBasicBlockParent(self.raw) })
    }

    /// A new block before this one.
    #[must_use]
    pub fn insert_before(self, name: &str) -> Block<'c> {
        let name = crate::context::c_string(name);
        // SAFETY: the block is live; the context is found through its function.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(self.raw)));
            Block::from_raw(LLVMInsertBasicBlockInContext(context, self.raw, name.as_ptr()))
        }
    }

    /// Terminators that lead here, each once.
    #[must_use]
    pub fn predecessors(self) -> Vec<Value<'c>> {
        let mut list: Vec<Value<'c>> = Vec::new();
        // SAFETY: walks the uses of a live block; users that are terminators are instructions.
        unsafe {
            let mut usage = LLVMGetFirstUse(LLVMBasicBlockAsValue(self.raw));
            while !usage.is_null() {
                let user = LLVMGetUser(usage);
                if !LLVMIsATerminatorInst(user).is_null() && !list.contains(&Value::from_raw(user)) {
                    list.push(Value::from_raw(user));
                }
                usage = LLVMGetNextUse(usage);
            }
        }
        list
    }

    /// Splits the block before `instruction`: what stands before it moves to a new block, which takes over
    /// the predecessors and falls through to this one. Phis of successors stay right, because the end of
    /// the block keeps its identity.
    ///
    /// ```text
    /// before:  b: A; I; B              after:  new: A; br b      b: I; B
    /// ```
    ///
    /// The new block has no terminator yet; the caller gives it one.
    #[must_use]
    pub fn split_before(self, instruction: Value<'c>, builder: &crate::Builder<'c>) -> Block<'c> {
        assert!(instruction.block() == self, "a block is split before an instruction of its own");
        let head = self.insert_before("");
        builder.at_end(head);
        // SAFETY: instructions are unlinked and linked again one by one, in order, within one function.
        unsafe {
            let mut current = LLVMGetFirstInstruction(self.raw);
            while current != instruction.raw {
                let next = LLVMGetNextInstruction(current);
                LLVMInstructionRemoveFromParent(current);
                LLVMInsertIntoBuilder(builder.raw, current);
                current = next;
            }
        }
        for terminator in self.predecessors() {
            for (index, successor) in terminator.successors().into_iter().enumerate() {
                if successor == self {
                    terminator.set_successor(index, head);
                }
            }
        }
        head
    }

    /// Moves all instructions of this block to the end of another, in order.
    pub fn move_instructions(self, target: Block<'c>, builder: &crate::Builder<'c>) {
        builder.at_end(target);
        for instruction in self.instructions() {
            // SAFETY: unlinked and linked again; the caller keeps operands within reach.
            unsafe {
                LLVMInstructionRemoveFromParent(instruction.raw);
                LLVMInsertIntoBuilder(builder.raw, instruction.raw);
            }
        }
    }

    /// Lets one entry per phi that comes from `old` come from `new` instead.
    ///
    /// The phis are made anew, so references to them are stale afterwards.
    pub fn retarget_phis(self, old: Block<'c>, new: Block<'c>, builder: &crate::Builder<'c>) {
        for phi in self.instructions() {
            if phi.opcode() != Some(crate::Opcode::LLVMPHI) {
                break;
            }
            let mut incoming = phi.incoming();
            if let Some(entry) = incoming.iter_mut().find(|(_, block)| *block == old) {
                entry.1 = new;
            }
            builder.before(phi);
            let replacement = builder.phi(phi.ty());
            replacement.add_incoming(&incoming);
            phi.replace_all_uses(replacement);
            phi.erase();
        }
    }
}
