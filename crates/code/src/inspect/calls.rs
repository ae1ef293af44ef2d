//! Who calls whom.

use std::collections::HashMap;
use testwright_base::ids::{BlockId, FunctionId};
use testwright_base::subject::{Call, Callee};
use testwright_llvm::{Opcode, Type, Value};

/// The defined functions, and what is needed to know who may be called.
#[derive(Debug)]
pub struct Calls<'c> {
    ids: HashMap<Value<'c>, FunctionId>,
    /// Functions whose address is taken, with their type.
    taken: Vec<(FunctionId, Type<'c>)>,
}

impl<'c> Calls<'c> {
    /// For the functions of a subject, in its order.
    #[must_use]
    pub fn new(functions: &[Value<'c>]) -> Calls<'c> {
        let numbered =
            || functions.iter().enumerate().map(|(index, function)| (*function, FunctionId::of(index)));
        let taken = numbered().filter(|(function, _)| is_address_taken(*function));
        Calls {
            ids: numbered().collect(),
            taken: taken.map(|(function, id)| (id, function.global_type())).collect(),
        }
    }

    /// The calls that a function makes, in order.
    #[must_use]
    pub fn of(&self, function: Value<'c>) -> Vec<Call> {
        let mut calls = Vec::new();
        for (index, block) in function.blocks().into_iter().enumerate() {
            let made = block.instructions().into_iter().filter(|instruction| is_call(*instruction));
            let callees = made.filter_map(|instruction| self.callee(instruction));
            calls.extend(callees.map(|callee| Call { block: BlockId::of(index), callee }));
        }
        calls
    }

    fn callee(&self, call: Value<'c>) -> Option<Callee> {
        let callee = aliased(call.callee());
        if callee.is_inline_assembly() || callee.is_intrinsic() {
            return None;
        }
        if !callee.is_function() {
            let fitting = self.taken.iter().filter(|(_, ty)| *ty == call.call_type());
            return Some(Callee::Pointer(fitting.map(|(id, _)| *id).collect()));
        }
        Some(match self.ids.get(&callee) {
            Some(id) => Callee::Defined(*id),
            None => Callee::External(callee.name()),
        })
    }
}

/// Whether an instruction calls something.
pub fn is_call(instruction: Value<'_>) -> bool {
    matches!(instruction.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr))
}

/// The function behind an alias; anything else as it is.
pub fn aliased(mut callee: Value<'_>) -> Value<'_> {
    while !callee.is_function()
        && callee.is_constant()
        && callee.operand_count() == 1
        && !callee.is_global_variable()
    {
        callee = callee.operand(0);
    }
    callee
}

/// Whether a function is used in any other way than being called.
fn is_address_taken(function: Value<'_>) -> bool {
    function.users().into_iter().any(|user| {
        let called = is_call(user) && user.callee() == function;
        !called || user.call_arguments().contains(&function)
    })
}
