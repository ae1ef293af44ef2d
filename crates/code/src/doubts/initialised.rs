//! Whether a local variable that stays in memory was set as a whole before it is read.
//!
//! A store, fill or copy that covers it all counts, if every way to the read comes by. Variables that are set piece by piece
//! count as not set.

use super::Finder;
use super::trusted;
use testwright_llvm::{Opcode, Value};

impl<'c> Finder<'c, '_> {
    /// Whether all of a local variable was set before an instruction.
    pub(super) fn is_initialised(&self, local: Value<'c>, at: Value<'c>) -> bool {
        let size = self.module.alloc_size(local.allocated_type());
        let starts = starts(local);
        let mut users = starts.iter().flat_map(|start| start.users().into_iter().map(|user| (user, *start)));
        users.any(|(user, start)| self.sets(user, start, size) && self.is_before(user, at))
    }

    /// Whether an instruction sets so many bytes from the start of a variable on.
    fn sets(&self, user: Value<'c>, start: Value<'c>, size: u64) -> bool {
        match user.opcode() {
            Some(Opcode::LLVMStore) => {
                user.operand(1) == start && self.module.store_size(user.operand(0).ty()) >= size
            }
            Some(Opcode::LLVMCall) => {
                let callee = user.callee();
                let fills = callee.is_function() && trusted::fills(&callee.name());
                let arguments = user.call_arguments();
                fills
                    && arguments[0] == start
                    && arguments.get(2).and_then(|length| length.constant_int()) >= Some(u128::from(size))
            }
            _ => false,
        }
    }

    /// Whether an instruction comes before another one on every way to it.
    fn is_before(&self, first: Value<'c>, second: Value<'c>) -> bool {
        let (a, b) = (first.block(), second.block());
        if a == b {
            let instructions = a.instructions();
            let place = |one: Value<'c>| instructions.iter().position(|other| *other == one);
            return place(first) < place(second);
        }
        self.flow.dominates(self.blocks[&a], self.blocks[&b])
    }
}

/// The variable, and its first elements: they have the same address.
fn starts(local: Value<'_>) -> Vec<Value<'_>> {
    let mut found = vec![local];
    let mut next = 0;
    while let Some(start) = found.get(next).copied() {
        let is_zero = |index: &Value<'_>| index.constant_int() == Some(0);
        let same = |user: &Value<'_>| {
            user.opcode() == Some(Opcode::LLVMGetElementPtr)
                && user.operand(0) == start
                && user.operands().iter().skip(1).all(is_zero)
        };
        found.extend(start.users().into_iter().filter(same));
        next += 1;
    }
    found
}
