//! Where a load or store goes: the structs around that place, and the members of a union that it may mean.

use crate::meaning::records;
use std::collections::HashMap;
use testwright_base::ids::TypeId;
use testwright_base::layout::integer;
use testwright_base::types::{Field, Shape, Types};
use testwright_llvm::{Kind, Module, Opcode, Type, Value};

/// How far two addresses are compared.
const DEPTH: usize = 8;

/// A load or store.
#[derive(Clone, Copy)]
pub(super) struct Access<'c> {
    pub pointer: Value<'c>,
    /// Of what is loaded or stored.
    ty: Type<'c>,
}

impl<'c> Access<'c> {
    /// What an instruction loads or stores.
    pub fn of(instruction: Value<'c>) -> Option<Access<'c>> {
        match instruction.opcode()? {
            Opcode::LLVMLoad => Some(Access { pointer: instruction.operand(0), ty: instruction.ty() }),
            Opcode::LLVMStore => {
                Some(Access { pointer: instruction.operand(1), ty: instruction.operand(0).ty() })
            }
            _ => None,
        }
    }
}

/// A place in a struct with a union.
pub(super) struct Place<'c> {
    pub record: TypeId,
    /// The pointer to the struct.
    pub base: Value<'c>,
    /// From the start of the struct, in bytes.
    offset: u64,
    /// The structs and arrays inside on the way to the place, the innermost first.
    way: Vec<Around<'c>>,
}

/// A struct or array around a place.
#[derive(Clone, Copy)]
struct Around<'c> {
    ty: Type<'c>,
    /// From its start to the place, in bytes.
    offset: u64,
}

/// Finds places in the structs that have a union and a field that may be its tag.
pub(super) struct Places<'t, 'c> {
    module: &'t Module<'c>,
    pub types: &'t Types,
    candidates: Vec<TypeId>,
    known: HashMap<Type<'c>, Option<TypeId>>,
}

impl<'t, 'c> Places<'t, 'c> {
    pub fn new(module: &'t Module<'c>, types: &'t Types) -> Places<'t, 'c> {
        let is_candidate = |id: &TypeId| {
            let Shape::Record { union: false, fields, .. } = &types.get(*id).shape else { return false };
            let has_tag = fields.iter().any(|field| integer(types, field.ty).is_some());
            has_tag && (0..fields.len()).any(|field| union_members(types, *id, field).is_some())
        };
        let candidates = (0..types.len()).map(TypeId::of).filter(is_candidate).collect();
        Places { module, types, candidates, known: HashMap::new() }
    }

    /// Whether there are no such structs.
    pub fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// What a pointer means in each struct around.
    pub fn of(&mut self, mut pointer: Value<'c>) -> Vec<Place<'c>> {
        let (mut found, mut way, mut offset) = (Vec::new(), Vec::new(), 0);
        loop {
            match pointer.opcode() {
                Some(Opcode::LLVMBitCast) => {}
                Some(Opcode::LLVMGetElementPtr) => {
                    let Some(distance) = self.distance(pointer) else { return found };
                    offset += distance;
                    let (base, ty) = (pointer.operand(0), pointer.gep_source());
                    let is_part = pointer.operand_count() > 2 && pointer.operand(1).constant_int() == Some(0);
                    if let Some(record) = self.record(ty).filter(|_| is_part) {
                        found.push(Place { record, base, offset, way: way.clone() });
                    }
                    if is_part && !ty.struct_name().is_some_and(|name| name.starts_with("union.")) {
                        way.push(Around { ty, offset });
                    }
                }
                _ => return found,
            }
            pointer = pointer.operand(0);
        }
    }

    /// The struct that LLVM knows as this type, if it may have a tag.
    fn record(&mut self, ty: Type<'c>) -> Option<TypeId> {
        let (module, types, candidates) = (self.module, self.types, &self.candidates);
        let find = || {
            let name = ty.struct_name().filter(|_| ty.is_sized())?;
            records(types, &name, module.alloc_size(ty)).next().filter(|id| candidates.contains(id))
        };
        *self.known.entry(ty).or_insert_with(find)
    }

    /// How far a GEP goes in bytes. One element of an array stands for all.
    fn distance(&self, gep: Value<'c>) -> Option<u64> {
        let mut ty = gep.gep_source();
        let mut distance = 0_u64;
        for (number, index) in gep.operands().into_iter().enumerate().skip(1) {
            let constant = index.constant_int().map(u32::try_from).transpose().ok()?;
            if number > 1 && ty.kind() == Kind::Struct {
                distance += self.module.offset_of(ty, constant?);
                ty = *ty.parts().get(constant? as usize)?;
                continue;
            }
            if number > 1 {
                ty = matches!(ty.kind(), Kind::Array).then(|| ty.element())?;
            }
            let size = if ty.is_sized() { self.module.alloc_size(ty) } else { 0 };
            distance += u64::from(constant.unwrap_or(0)) * size;
        }
        Some(distance)
    }

    /// The field that an access means, if it may be a tag.
    pub fn tag(&self, access: Access<'c>, place: &Place<'c>) -> Option<(usize, &'t Field)> {
        let Shape::Record { fields, .. } = &self.types.get(place.record).shape else { return None };
        let is_it = |field: &Field| {
            let is_whole = field.bit_width.is_none() && field.offset_bits == 8 * place.offset;
            is_whole && integer(self.types, field.ty).is_some() && self.is_scalar(access.ty, field.ty)
        };
        fields.iter().enumerate().find(|(_, field)| is_it(field)).filter(|_| place.way.is_empty())
    }

    /// The union that an access goes to, and the members that it may mean.
    pub fn members(&self, access: Access<'c>, place: &Place<'c>) -> Option<(usize, Vec<usize>)> {
        let Shape::Record { fields, .. } = &self.types.get(place.record).shape else { return None };
        let is_around = |field: &Field| {
            let start = field.offset_bits / 8;
            (start..start + self.types.get(field.ty).size).contains(&place.offset)
        };
        let union = fields.iter().position(is_around)?;
        let members = union_members(self.types, place.record, union)?;
        let offset = place.offset - fields[union].offset_bits / 8;
        let meant = |member: &usize| self.means(access.ty, members[*member].ty, offset, &place.way);
        let meant: Vec<usize> = (0..members.len()).filter(meant).collect();
        (!meant.is_empty()).then_some((union, meant))
    }

    /// Whether an access so far from the start of a member may mean that member. Code takes the way through it.
    fn means(&self, access: Type<'c>, ty: TypeId, offset: u64, way: &[Around<'c>]) -> bool {
        let shape = &self.types.get(ty).shape;
        match (shape, way.last()) {
            (Shape::Record { union: true, fields, .. }, _) => {
                fields.iter().any(|field| self.means(access, field.ty, offset, way))
            }
            (Shape::Record { .. } | Shape::Array { .. }, Some(around)) => {
                around.offset == offset && self.is_like(around.ty, ty) && self.holds(access, ty, offset)
            }
            (Shape::Record { .. } | Shape::Array { .. }, None) | (_, Some(_)) => false,
            (_, None) => offset == 0 && self.is_scalar(access, ty),
        }
    }

    /// Whether LLVM's struct or array may be this one.
    fn is_like(&self, own: Type<'c>, ty: TypeId) -> bool {
        let declared = self.types.get(ty);
        if !own.is_sized() || self.module.alloc_size(own) != declared.size {
            return false;
        }
        let Some(name) = own.struct_name() else { return matches!(declared.shape, Shape::Array { .. }) };
        let is_named = |id: TypeId| self.types.get(id).shape == declared.shape;
        if !name.starts_with("struct.anon") {
            return records(self.types, &name, declared.size).any(is_named);
        }
        // What has no name is known by its parts.
        own.parts().into_iter().enumerate().all(|(part, part_type)| {
            let offset = self.module.offset_of(own, part as u32);
            part_type.scalar_width().is_none() || self.holds(part_type, ty, offset)
        })
    }

    /// Whether a scalar of LLVM's type lies there.
    fn holds(&self, scalar: Type<'c>, ty: TypeId, offset: u64) -> bool {
        match &self.types.get(ty).shape {
            Shape::Array { element, .. } => {
                let size = self.types.get(*element).size;
                size > 0 && self.holds(scalar, *element, offset % size)
            }
            Shape::Record { fields, .. } => fields.iter().any(|field| {
                let start = field.offset_bits / 8;
                let size = self.types.get(field.ty).size;
                match field.bit_width {
                    Some(_) => scalar.kind() == Kind::Int,
                    None => {
                        (start..start + size).contains(&offset)
                            && self.holds(scalar, field.ty, offset - start)
                    }
                }
            }),
            _ => offset == 0 && self.is_scalar(scalar, ty),
        }
    }

    /// Whether values of a scalar type are LLVM's values of this type in memory.
    fn is_scalar(&self, own: Type<'c>, ty: TypeId) -> bool {
        match self.types.get(ty).shape {
            Shape::Bool => own.kind() == Kind::Int && own.int_width() <= 8,
            Shape::Int { bits, .. } | Shape::Enum { bits, .. } => own.int_width() == bits,
            Shape::Float { bits: 32 } => own.kind() == Kind::Float,
            Shape::Float { bits: 64 } => own.kind() == Kind::Double,
            Shape::Float { .. } => own.kind() == Kind::X87,
            Shape::Pointer(_) => own.kind() == Kind::Pointer,
            _ => false,
        }
    }
}

/// The members of the union that is this field of a struct.
pub(super) fn union_members(types: &Types, record: TypeId, field: usize) -> Option<&[Field]> {
    let Shape::Record { union: false, fields, .. } = &types.get(record).shape else { return None };
    match &types.get(fields.get(field)?.ty).shape {
        Shape::Record { union: true, fields, .. } => Some(fields),
        _ => None,
    }
}

/// Whether two addresses are computed alike, so that they are the same unless something between them was stored.
pub(super) fn is_same(a: Value<'_>, b: Value<'_>) -> bool {
    is_same_within(DEPTH, a, b)
}

fn is_same_within(depth: usize, a: Value<'_>, b: Value<'_>) -> bool {
    if a == b {
        return true;
    }
    let is_computed = matches!(
        a.opcode(),
        Some(
            Opcode::LLVMGetElementPtr
                | Opcode::LLVMLoad
                | Opcode::LLVMBitCast
                | Opcode::LLVMSExt
                | Opcode::LLVMZExt
        )
    );
    depth > 0
        && is_computed
        && a.opcode() == b.opcode()
        && a.ty() == b.ty()
        && (a.opcode() != Some(Opcode::LLVMGetElementPtr) || a.gep_source() == b.gep_source())
        && a.operand_count() == b.operand_count()
        && a.operands().into_iter().zip(b.operands()).all(|(a, b)| is_same_within(depth - 1, a, b))
}
