//! Small subjects, types and cases for tests, here and in other crates (feature `sample`).
//!
//! Records are laid out by the rules of the x86-64 ABI, so the types are those that a compiler would report.

mod random;

pub use random::subject_and_case;

use crate::contract::Contract;
use crate::ids::{BlockId, TypeId};
use crate::subject::{Block, Call, Callee, Function, Param, Signature, Subject, Words};
use crate::types::{Field, Shape, Type, Types};
use std::collections::BTreeMap;

/// A subject with nothing in it.
#[must_use]
pub fn empty_subject() -> Subject {
    Subject {
        files: Vec::new(),
        types: Types::default(),
        functions: Vec::new(),
        globals: Vec::new(),
        sites: Vec::new(),
        outcome_count: 0,
        externals: Vec::new(),
        unsupported: Vec::new(),
        stubs: Vec::new(),
        promises: Vec::new(),
        undefined: Vec::new(),
        elsewhere: Vec::new(),
        left_out: Vec::new(),
        fixed: Vec::new(),
        addresses: Vec::new(),
        precedences: Vec::new(),
        results: Vec::new(),
        mutants: Vec::new(),
        decisions: Vec::new(),
    }
}

/// A function of one block that makes these calls.
#[must_use]
pub fn calling(name: &str, callees: &[Callee]) -> Function {
    Function {
        name: name.to_owned(),
        place: None,
        internal: false,
        model: false,
        companion: false,
        signature: None,
        blocks: vec![block(&[])],
        calls: callees.iter().map(|callee| Call { block: BlockId(0), callee: callee.clone() }).collect(),
        uncallable: None,
        reads: Vec::new(),
        looks_at_addresses: false,
        hidden: Vec::new(),
        words: Words::default(),
        lengths: BTreeMap::new(),
        examples: Vec::new(),
        contract: Contract::default(),
        doubts: Vec::new(),
    }
}

/// A function with these parameters.
#[must_use]
pub fn taking(name: &str, params: &[(&str, TypeId)], result: TypeId) -> Function {
    let params = params.iter().map(|(name, ty)| Param { name: (*name).to_owned(), ty: *ty }).collect();
    Function { signature: Some(Signature { params, result, variadic: false }), ..calling(name, &[]) }
}

/// The function, with a parameter that says how many elements another one leads to.
#[must_use]
pub fn counted(function: Function, pointer: usize, length: usize) -> Function {
    Function { lengths: BTreeMap::from([(pointer, vec![length])]), ..function }
}

/// A block with these successors.
#[must_use]
pub fn block(successors: &[u32]) -> Block {
    Block {
        successors: successors.iter().copied().map(BlockId).collect(),
        decides: None,
        line: 0,
        instructions: 1,
    }
}

fn named(types: &mut Types, name: Option<&str>, size: u64, align: u64, shape: Shape) -> TypeId {
    types.push(Type { name: name.map(str::to_owned), size, align, shape })
}

/// `void`
pub fn void(types: &mut Types) -> TypeId {
    named(types, Some("void"), 0, 1, Shape::Void)
}

/// `_Bool`
pub fn boolean(types: &mut Types) -> TypeId {
    named(types, Some("_Bool"), 1, 1, Shape::Bool)
}

/// An integer type; those of 8 bits are char types.
pub fn int(types: &mut Types, name: &str, bits: u32, signed: bool) -> TypeId {
    let size = u64::from(bits / 8);
    named(types, Some(name), size, size, Shape::Int { bits, signed, character: bits == 8 })
}

/// `float`, `double` or `long double`, by width.
pub fn float(types: &mut Types, bits: u32) -> TypeId {
    let size = if bits == 80 { 16 } else { u64::from(bits / 8) };
    named(types, None, size, size, Shape::Float { bits })
}

/// An enumeration on 32 bits.
pub fn enumeration(types: &mut Types, name: &str, constants: &[(&str, i128)]) -> TypeId {
    let signed = constants.iter().any(|(_, value)| *value < 0);
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    named(types, Some(name), 4, 4, Shape::Enum { bits: 32, signed, constants })
}

/// A pointer.
pub fn pointer(types: &mut Types, target: TypeId) -> TypeId {
    named(types, None, 8, 8, Shape::Pointer(target))
}

/// An array.
pub fn array(types: &mut Types, element: TypeId, count: u64) -> TypeId {
    let (size, align) = (types.get(element).size * count, types.get(element).align);
    named(types, None, size, align, Shape::Array { element, count: Some(count) })
}

/// A struct that is declared only.
pub fn incomplete(types: &mut Types, name: &str) -> TypeId {
    named(types, Some(name), 0, 1, Shape::Record { union: false, fields: Vec::new(), complete: false })
}

/// A member of a record to be laid out.
#[derive(Debug, Clone)]
pub struct Member {
    name: Option<String>,
    ty: TypeId,
    bits: Option<u32>,
}

impl Member {
    /// An ordinary member.
    #[must_use]
    pub fn new(name: &str, ty: TypeId) -> Member {
        Member { name: Some(name.to_owned()), ty, bits: None }
    }

    /// A bit-field.
    #[must_use]
    pub fn bits(name: &str, ty: TypeId, bits: u32) -> Member {
        Member { name: Some(name.to_owned()), ty, bits: Some(bits) }
    }

    /// A struct or union without a name.
    #[must_use]
    pub fn anonymous(ty: TypeId) -> Member {
        Member { name: None, ty, bits: None }
    }
}

/// A struct or union with these members.
pub fn record(types: &mut Types, name: Option<&str>, union: bool, members: &[Member]) -> TypeId {
    let (mut end, mut size, mut align, mut fields) = (0, 0, 1, Vec::new());
    for member in members {
        let ty = types.get(member.ty);
        let (unit, width) = (ty.size * 8, member.bits.map_or(ty.size * 8, u64::from));
        let start = if union { 0 } else { end };
        // A bit-field lies where the last member ended unless it would then cross a unit of its type.
        let crosses = member.bits.is_some() && start / unit != (start + width - 1) / unit;
        let offset_bits =
            if member.bits.is_some() && !crosses { start } else { start.next_multiple_of(ty.align * 8) };
        end = offset_bits + width;
        size = size.max(end);
        align = align.max(ty.align);
        let name = member.name.clone();
        fields.push(Field { name, ty: member.ty, offset_bits, bit_width: member.bits });
    }
    let size = size.div_ceil(8).next_multiple_of(align);
    named(types, name, size, align, Shape::Record { union, fields, complete: true })
}
