//! `va_arg`, as clang spells it out for x86-64.
//!
//! ```text
//! if (ap->gp_offset <= 40) place = ap->reg_save_area + ap->gp_offset, ap->gp_offset += 8;
//! else                     place = ap->overflow_arg_area, ap->overflow_arg_area += 8;
//! value = *place;
//! ```

use testwright_llvm::{Block, Kind, Opcode, Type, Value};

/// What `va_arg` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Argument {
    /// An `int`, whatever its sign.
    Int,
    /// A `long`, whatever its sign.
    Long,
    /// A `double`.
    Double,
    /// A pointer.
    Pointer,
    /// Something that does not take eight bytes.
    Other,
}

impl Argument {
    fn of(ty: Type<'_>) -> Argument {
        match (ty.kind(), ty.int_width()) {
            (Kind::Int, 32) => Argument::Int,
            (Kind::Int, 64) => Argument::Long,
            (Kind::Double, _) => Argument::Double,
            (Kind::Pointer, _) => Argument::Pointer,
            _ => Argument::Other,
        }
    }
}

/// A `va_arg`.
#[derive(Debug, Clone, Copy)]
pub struct Read<'c> {
    /// The list that is read from.
    pub list: Value<'c>,
    /// Where the overflow area is looked at.
    pub area: Value<'c>,
    /// Where the argument is read.
    pub block: Block<'c>,
    /// What it is.
    pub argument: Argument,
}

/// Where a function reads arguments, in the order of its text, and what.
#[must_use]
pub fn arguments_read(function: Value<'_>) -> Vec<Read<'_>> {
    const OVERFLOW_AREA: u128 = 2;
    let loads = function.blocks().into_iter().flat_map(Block::instructions).filter(|instruction| {
        instruction.opcode() == Some(Opcode::LLVMLoad) && is_field(instruction.operand(0), OVERFLOW_AREA)
    });
    loads.map(read_from).collect()
}

/// What is read at a place in the overflow area: the place is one of two that the argument may have.
fn read_from(area: Value<'_>) -> Read<'_> {
    let place = area.users().into_iter().find(|user| user.opcode() == Some(Opcode::LLVMPHI));
    let users = place.map(Value::users).unwrap_or_default();
    let argument = match users.as_slice() {
        [load] if load.opcode() == Some(Opcode::LLVMLoad) => Argument::of(load.ty()),
        _ => Argument::Other,
    };
    let list = area.operand(0).operand(0);
    Read { list, area, block: place.unwrap_or(area).block(), argument }
}

/// Whether a branch only asks where an argument lies.
#[must_use]
pub fn finds_argument(branch: Value<'_>) -> bool {
    let compare = branch.condition();
    compare.opcode() == Some(Opcode::LLVMICmp) && {
        let offset = compare.operand(0);
        offset.opcode() == Some(Opcode::LLVMLoad)
            && (is_field(offset.operand(0), 0) || is_field(offset.operand(0), 1))
    }
}

/// Whether this is the address of that field of a `va_list`.
fn is_field(place: Value<'_>, field: u128) -> bool {
    let is_list = || {
        let name = place.gep_source().struct_name();
        name.is_some_and(|name| name.split('.').nth(1) == Some("__va_list_tag"))
    };
    place.opcode() == Some(Opcode::LLVMGetElementPtr)
        && place.operand_count() == 3
        && place.operand(2).constant_int() == Some(field)
        && is_list()
}
