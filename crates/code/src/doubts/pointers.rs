//! Where a pointer can lead, as far as its function tells.

use super::trusted;
use std::collections::HashSet;
use testwright_llvm::{Kind, Opcode, Value};

/// What a pointer can lead into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base<'c> {
    /// A local variable.
    Local(Value<'c>),
    /// A global variable.
    Global(Value<'c>),
    /// What a caller handed over.
    Parameter(Value<'c>),
    /// A function.
    Code(Value<'c>),
    /// Nothing.
    Null,
    /// An address that stands in the code.
    Fixed(u64),
    /// An address that was computed as a number.
    Number,
    /// A pointer that was never set.
    Unset,
    /// What a pointer in memory, or the result of a call, leads to.
    Elsewhere,
}

/// All that a pointer can lead into.
pub fn bases(pointer: Value<'_>) -> Vec<Base<'_>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![pointer];
    while let Some(value) = open.pop() {
        if seen.insert(value)
            && let Some(base) = base(value, &mut open)
            && !found.contains(&base)
        {
            found.push(base);
        }
    }
    found
}

/// What a pointer leads into, unless that is where others lead, which are added to `open`.
fn base<'c>(value: Value<'c>, open: &mut Vec<Value<'c>>) -> Option<Base<'c>> {
    if value.is_undefined() {
        return Some(Base::Unset);
    }
    if value.is_argument() {
        return Some(Base::Parameter(value));
    }
    if value.is_function() {
        return Some(Base::Code(value));
    }
    if value.is_global_variable() {
        return Some(Base::Global(value));
    }
    if value.is_constant() && value == value.ty().zero() {
        return Some(Base::Null);
    }
    match value.opcode() {
        Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMFreeze) => {
            open.push(value.operand(0));
        }
        Some(Opcode::LLVMPHI) => open.extend(value.incoming().into_iter().map(|(value, _)| value)),
        Some(Opcode::LLVMSelect) => open.extend([value.operand(1), value.operand(2)]),
        Some(Opcode::LLVMAlloca) => return Some(Base::Local(value)),
        Some(Opcode::LLVMIntToPtr) => {
            let address = value.operand(0).constant_int();
            return Some(address.map_or(Base::Number, |address| Base::Fixed(address as u64)));
        }
        Some(Opcode::LLVMLoad) => return from_table(value, open),
        Some(Opcode::LLVMCall) => {
            let name = if value.callee().is_function() { value.callee().name() } else { String::new() };
            let Some(argument) = trusted::returns_argument(&name) else { return Some(Base::Elsewhere) };
            open.push(value.call_arguments()[argument]);
        }
        _ => return Some(Base::Elsewhere),
    }
    None
}

/// A pointer from a constant table leads to what the table mentions.
fn from_table<'c>(load: Value<'c>, open: &mut Vec<Value<'c>>) -> Option<Base<'c>> {
    let mut table = load.operand(0);
    while table.opcode() == Some(Opcode::LLVMGetElementPtr) {
        table = table.operand(0);
    }
    let is_constant = table.is_global_variable() && table.is_global_constant() && !table.is_weak();
    let Some(content) = table.initializer().filter(|_| is_constant) else { return Some(Base::Elsewhere) };
    let mut parts = vec![content];
    while let Some(part) = parts.pop() {
        match part.ty().kind() {
            Kind::Pointer => open.push(part),
            // LLVM may only be asked for elements of what has elements.
            Kind::Struct | Kind::Array => {
                let count = part.ty().parts().len() as u32;
                parts.extend((0..count).filter_map(|index| part.element_of_constant(index)));
            }
            _ => {}
        }
    }
    None
}

/// Whether two pointers lead into one and the same object.
pub fn is_one_object<'c>(a: &[Base<'c>], b: &[Base<'c>]) -> bool {
    let is_object = matches!(a, [Base::Local(_) | Base::Global(_) | Base::Parameter(_)]);
    is_object && a == b
}

/// Whether the value that another variable starts with has the address of this one.
pub fn is_held(global: Value<'_>) -> bool {
    let mut open = vec![global];
    while let Some(value) = open.pop() {
        for user in value.users() {
            if user.is_instruction() {
                continue;
            }
            if !user.is_constant_expression() {
                return true;
            }
            open.push(user);
        }
    }
    false
}
