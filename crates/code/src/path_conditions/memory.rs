//! Memory along a path: what a load gives after the stores before it.
//!
//! Addresses are compared as far as terms tell; where they do not, the comparison is left to the run that
//! evaluates the condition, which has the addresses at hand.

use super::state::State;
use super::term::{Term, TermId, Terms};
use testwright_llvm::{IntPredicate, Opcode, Type, Value};

/// How many stores are looked at that may or may not be to the same place.
const MAX_UNCLEAR: usize = 4;

/// How two places lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alias {
    Same,
    Apart,
    Overlapping,
    Unclear,
}

/// What a load of `bytes` bytes gives; none if nobody knows.
pub fn load<'c>(
    terms: &mut Terms<'c>,
    state: &State,
    address: TermId,
    ty: Type<'c>,
    bytes: u64,
    flag: Type<'c>,
) -> Option<TermId> {
    let mut unclear: Vec<(TermId, TermId)> = Vec::new();
    let mut value = None;
    for write in state.writes.iter().rev() {
        let alias = match write.bytes {
            Some(written) => alias(terms, address, bytes, write.address, written),
            None if is_apart(terms, address, write.address) => Alias::Apart,
            None => Alias::Overlapping,
        };
        match (alias, write.value) {
            (Alias::Apart, _) => {}
            (Alias::Same, Some(stored)) if terms.ty(stored) == ty => {
                value = Some(stored);
                break;
            }
            (Alias::Unclear, Some(stored)) if terms.ty(stored) == ty && write.bytes == Some(bytes) => {
                unclear.push((write.address, stored));
            }
            _ => return None,
        }
    }
    if unclear.len() > MAX_UNCLEAR {
        return None;
    }
    let is_constant = matches!(base(terms, address).0, Some(global) if global.is_global_variable() && global.is_global_constant());
    if value.is_none() && state.clobbered && !is_constant {
        return None;
    }
    let mut value = value.unwrap_or_else(|| terms.load(address, ty));
    for (place, stored) in unclear.into_iter().rev() {
        let same = terms.compare(IntPredicate::LLVMIntEQ, address, place, flag);
        value = terms.select(same, stored, value);
    }
    Some(value)
}

/// The object that an address is computed from, as far as plain address arithmetic tells.
pub fn root(mut address: Value<'_>) -> Value<'_> {
    while matches!(address.opcode(), Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast)) {
        address = address.operand(0);
    }
    address
}

/// The object of an address if it is a variable of the program's, and the constant distance from its start, if known.
fn base<'c>(terms: &Terms<'c>, address: TermId) -> (Option<Value<'c>>, TermId, Option<u64>) {
    let (mut term, mut offset) = (address, Some(0u64));
    loop {
        match *terms.get(term) {
            Term::Offset(inner, bytes) => {
                offset = offset.map(|offset| offset.wrapping_add(bytes));
                term = inner;
            }
            Term::Element(inner, ..) => {
                offset = None;
                term = inner;
            }
            Term::Constant(value) if value.is_global_variable() => return (Some(value), term, offset),
            Term::Live(value) if value.opcode() == Some(Opcode::LLVMAlloca) => {
                return (Some(value), term, offset);
            }
            _ => return (None, term, offset),
        }
    }
}

/// Whether a load can be made without asking: it lies inside a variable.
pub fn is_inside_variable<'c>(
    terms: &Terms<'c>,
    address: TermId,
    bytes: u64,
    size: impl Fn(Value<'c>) -> u64,
) -> bool {
    match base(terms, address) {
        (Some(variable), _, Some(offset)) => {
            offset.checked_add(bytes).is_some_and(|end| end <= size(variable))
        }
        _ => false,
    }
}

fn is_apart(terms: &Terms<'_>, a: TermId, b: TermId) -> bool {
    matches!((base(terms, a).0, base(terms, b).0), (Some(a), Some(b)) if a != b)
}

fn alias(terms: &Terms<'_>, a: TermId, a_bytes: u64, b: TermId, b_bytes: u64) -> Alias {
    if a == b {
        return if a_bytes == b_bytes { Alias::Same } else { Alias::Overlapping };
    }
    let ((a_variable, a_base, a_offset), (b_variable, b_base, b_offset)) = (base(terms, a), base(terms, b));
    match (a_offset, b_offset) {
        (Some(a), Some(b)) if a_base == b_base => {
            let apart =
                b.wrapping_sub(a) as i64 >= a_bytes as i64 || a.wrapping_sub(b) as i64 >= b_bytes as i64;
            if apart { Alias::Apart } else { Alias::Overlapping }
        }
        _ if a_variable.is_some() && b_variable.is_some() && a_variable != b_variable => Alias::Apart,
        _ => Alias::Unclear,
    }
}
