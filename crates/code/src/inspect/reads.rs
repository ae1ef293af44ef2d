//! Which functions read which global variables that something may have changed: inputs beside the parameters.
//!
//! A static variable that nothing in the code writes keeps the value it starts with, however it is declared; tables of
//! coefficients are often like that. A variable whose address goes elsewhere may be written there.

use super::subject::global_values;
use std::collections::{BTreeSet, HashMap};
use testwright_base::ids::GlobalId;
use testwright_llvm::{Module, Opcode, Value};

/// The globals that each function reads and that may change, in order.
pub fn reads<'c>(module: &Module<'c>) -> HashMap<Value<'c>, Vec<GlobalId>> {
    let mut reads: HashMap<Value<'c>, BTreeSet<GlobalId>> = HashMap::new();
    for (index, global) in global_values(module).into_iter().enumerate() {
        let uses = Uses::of(global);
        if uses.written || !global.is_internal() {
            for reader in uses.readers {
                reads.entry(reader).or_default().insert(GlobalId::of(index));
            }
        }
    }
    reads.into_iter().map(|(function, globals)| (function, globals.into_iter().collect())).collect()
}

/// What is done with a variable.
#[derive(Default)]
struct Uses<'c> {
    readers: Vec<Value<'c>>,
    written: bool,
}

impl<'c> Uses<'c> {
    fn of(global: Value<'c>) -> Uses<'c> {
        let mut uses = Uses::default();
        let mut open = vec![global];
        while let Some(place) = open.pop() {
            for user in place.users() {
                if user.is_constant_expression() {
                    open.push(user);
                } else if user.is_instruction() {
                    uses.add(place, user, &mut open);
                }
                // What else uses it is the value that another variable starts with.
            }
        }
        uses
    }

    fn add(&mut self, place: Value<'c>, user: Value<'c>, open: &mut Vec<Value<'c>>) {
        match user.opcode() {
            Some(Opcode::LLVMLoad) => self.readers.push(user.block().function()),
            Some(Opcode::LLVMStore) if user.operand(1) == place => self.written = true,
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast) => open.push(user),
            Some(Opcode::LLVMICmp) => {}
            _ => {
                self.written = true;
                self.readers.push(user.block().function());
            }
        }
    }
}
