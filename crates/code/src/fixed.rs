//! Memory at fixed addresses: registers of devices and the like, which code names by a number. They become variables, so they
//! are inputs like other variables.
//!
//! ```text
//! before:  %v = load volatile i32, ptr inttoptr (i64 1073876992 to ptr)
//! after:   @at_0x40011000 = global i32 0
//!          %v = load volatile i32, ptr @at_0x40011000
//! ```
//!
//! A device may answer every read with something else; the variable keeps its value until somebody writes it. Addresses that
//! are computed, or kept in variables, stay as they are: a run that follows them ends there, and the report names them.

use std::collections::{BTreeMap, BTreeSet};
use testwright_base::ids::TypeId;
use testwright_base::subject::{Fixed, Subject};
use testwright_base::types::{Shape, Type as CType};
use testwright_llvm::{Block, Kind, Module, Opcode, Type, Value};

/// Linux lets nobody map memory below.
const LOWEST: u64 = 1 << 16;
/// Numbers from here on are no addresses that a program can have.
const HIGHEST: u64 = 1 << 46;

/// Lets loads and stores at constant addresses use variables, and returns what they stand for, in order.
pub fn define(module: &Module<'_>) -> Vec<Fixed> {
    let accesses = accesses(module);
    let sizes: BTreeSet<(u64, u64)> = accesses.iter().map(|access| (access.address, access.size)).collect();
    let mut defined = BTreeMap::new();
    for (address, size) in &sizes {
        let overlaps = |(other, length): &(u64, u64)| *other < address + size && *address < other + length;
        let is_alone = sizes.iter().filter(|other| overlaps(other)).count() == 1;
        let name = format!("at_{address:#x}");
        if !is_alone
            || !is_scalar(*size)
            || module.global(&name).is_some()
            || module.function(&name).is_some()
        {
            continue;
        }
        let ty = module.context().int(*size as u32 * 8);
        let global = module.add_global(&name, ty);
        global.set_initializer(ty.zero());
        global.set_alignment(16);
        defined.insert(*address, (global, Fixed { name, address: *address, size: *size }));
    }
    for access in accesses {
        if let Some((global, _)) = defined.get(&access.address) {
            access.instruction.set_operand(access.operand, *global);
        }
    }
    defined.into_values().map(|(_, fixed)| fixed).collect()
}

/// Says what type the variables have: no debug information tells of them.
pub fn describe(subject: &mut Subject, fixed: Vec<Fixed>) {
    for one in &fixed {
        let ty = unsigned(subject, one.size);
        if let Some(global) = subject.globals.iter_mut().find(|global| global.name == one.name) {
            global.ty = Some(ty);
        }
    }
    subject.fixed = fixed;
}

/// All numbers that the code takes for addresses, whatever it does with them, in order.
pub fn addresses(module: &Module<'_>) -> Vec<u64> {
    let operands = instructions(module).flat_map(Value::operands);
    let found: BTreeSet<u64> = operands.filter_map(|operand| address_of(module, operand)).collect();
    found.into_iter().collect()
}

/// A load or store at a constant address.
struct Access<'c> {
    instruction: Value<'c>,
    /// Which operand is the address.
    operand: usize,
    address: u64,
    size: u64,
}

fn accesses<'c>(module: &Module<'c>) -> Vec<Access<'c>> {
    let access = |instruction: Value<'c>| {
        let (operand, ty) = match instruction.opcode()? {
            Opcode::LLVMLoad => (0, instruction.ty()),
            Opcode::LLVMStore => (1, instruction.operand(0).ty()),
            _ => return None,
        };
        let address = address_of(module, instruction.operand(operand))?;
        Some(Access { instruction, operand, address, size: module.store_size(ty) })
    };
    instructions(module).filter_map(access).collect()
}

fn instructions<'c>(module: &Module<'c>) -> impl Iterator<Item = Value<'c>> {
    module.functions().into_iter().flat_map(Value::blocks).flat_map(Block::instructions)
}

/// The constant address that a value is: a number, or a place at a constant distance from one.
fn address_of(module: &Module<'_>, value: Value<'_>) -> Option<u64> {
    let address = match value.opcode()? {
        Opcode::LLVMIntToPtr => u64::try_from(value.operand(0).constant_int()?).ok()?,
        Opcode::LLVMGetElementPtr => {
            let base = address_of(module, value.operand(0))?;
            base.checked_add(distance(module, value)?)?
        }
        _ => return None,
    };
    (LOWEST..HIGHEST).contains(&address).then_some(address)
}

/// How far a GEP with constant indices goes.
fn distance(module: &Module<'_>, place: Value<'_>) -> Option<u64> {
    let mut ty = place.gep_source();
    let mut indices = place.operands().into_iter().skip(1).map(Value::constant_int);
    let first = u64::try_from(indices.next()??).ok()?;
    let mut distance = first.checked_mul(module.alloc_size(ty))?;
    for index in indices {
        let index = u64::try_from(index?).ok()?;
        let (step, part): (u64, Type<'_>) = match ty.kind() {
            Kind::Struct => {
                let field = u32::try_from(index).ok()?;
                (module.offset_of(ty, field), *ty.parts().get(index as usize)?)
            }
            Kind::Array => (index.checked_mul(module.alloc_size(ty.element()))?, ty.element()),
            _ => return None,
        };
        distance = distance.checked_add(step)?;
        ty = part;
    }
    Some(distance)
}

fn is_scalar(size: u64) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

fn unsigned(subject: &mut Subject, size: u64) -> TypeId {
    let name = match size {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned int",
        _ => "unsigned long",
    };
    let bits = size as u32 * 8;
    // A register of eight bits holds a number, not a letter.
    let shape = Shape::Int { bits, signed: false, character: false };
    subject.types.push(CType { name: Some(name.to_owned()), size, align: size, shape })
}

#[cfg(test)]
mod tests {
    use crate::inspect::testing::prepared;

    #[test]
    fn registers_become_variables_and_computed_addresses_are_listed() {
        let prepared = prepared(
            "struct uart { volatile unsigned status; volatile unsigned char data[4]; };\n\
             #define UART ((struct uart *)0x40011000)\n\
             #define CLOCK (*(volatile unsigned short *)0x40021c00)\n\
             int send(int x, int i) {\n  if (UART->status & 1) return -1;\n  UART->data[2] = x;\n  CLOCK = 7;\n  \
             return UART->data[i];\n}\n",
        );
        let subject = &prepared.subject;
        let fixed: Vec<(&str, u64)> =
            subject.fixed.iter().map(|fixed| (fixed.name.as_str(), fixed.size)).collect();
        assert_eq!(fixed, [("at_0x40011000", 4), ("at_0x40011006", 1), ("at_0x40021c00", 2)]);
        let send = subject.function(subject.function_named("send").unwrap());
        let read: Vec<&str> =
            send.reads.iter().map(|global| subject.globals[global.index()].name.as_str()).collect();
        assert!(read.contains(&"at_0x40011000"), "{read:?}");
        assert_eq!(subject.addresses, [0x4001_1000, 0x4001_1004, 0x4001_1006, 0x4002_1c00]);
    }
}
