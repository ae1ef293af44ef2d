//! What pointers mean that are declared to lead to anything: the struct that the code takes them for.
//!
//! ```text
//! int visit(void *context) { struct counter *counter = context; return counter->limit; }
//!
//! %limit = getelementptr %struct.counter, ptr %context, i32 0, i32 1      so %context leads to a struct counter
//! ```
//!
//! The same goes for fields: `struct internal_state *state` of a stream, which one file knows to be another struct. If the
//! code takes a pointer for several things, it is left as it is declared.

use std::collections::{BTreeMap, BTreeSet};
use testwright_base::ids::TypeId;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Type, Types};
use testwright_llvm::{Block, Kind, Module, Opcode, Value};

/// The names of the structs whose fields the code uses.
pub fn structs(module: &Module<'_>) -> BTreeSet<String> {
    instructions(module).filter_map(struct_of).collect()
}

/// Finds what the code takes parameters and fields for. Locals must be values already.
pub fn find(module: &Module<'_>, subject: &mut Subject) {
    let fields = fields(module, subject);
    params(module, subject);
    for (owner, taken) in fields {
        let declared = subject.types.get(owner).shape.clone();
        let mut meant = declared.clone();
        let Shape::Record { fields, .. } = &mut meant else { continue };
        for field in fields {
            if let Some(element) = taken.get(&(field.offset_bits / 8)) {
                field.ty = subject.types.mean(field.ty, *element);
            }
        }
        for id in like(&subject.types, &declared).collect::<Vec<_>>() {
            let ty = subject.types.get(id).clone();
            subject.types.set(id, Type { shape: meant.clone(), ..ty });
        }
    }
}

/// The types of this shape: a record, and its typedefs.
fn like<'t>(types: &'t Types, shape: &'t Shape) -> impl Iterator<Item = TypeId> + 't {
    (0..types.len()).map(TypeId::of).filter(move |id| types.get(*id).shape == *shape)
}

fn params(module: &Module<'_>, subject: &mut Subject) {
    for index in 0..subject.functions.len() {
        let function = &subject.functions[index];
        let (Some(value), Some(signature)) = (module.function(&function.name), &function.signature) else {
            continue;
        };
        let hidden = usize::from(value.parameter_type_attribute(0, "sret").is_some());
        let params = value.params();
        // Only if C parameters and LLVM's are the same ones is it known which is which.
        let declared = signature.declared(&subject.types);
        if declared.len() + hidden != params.len() {
            continue;
        }
        let meant = |ty: TypeId, value: Value<'_>| {
            let taken = (!subject.types.is_list(ty)).then(|| taken_for(module, subject, value));
            taken.and_then(|taken| the_one(&subject.types, ty, &taken))
        };
        let taken: Vec<Option<TypeId>> =
            declared.iter().zip(&params[hidden..]).map(|(param, value)| meant(param.ty, *value)).collect();
        for (param, element) in taken.into_iter().enumerate() {
            let Some(element) = element else { continue };
            let Some(signature) = &mut subject.functions[index].signature else { continue };
            signature.params[param].ty = subject.types.mean(signature.params[param].ty, element);
        }
    }
}

/// By record and offset: what pointers in fields are taken for.
fn fields(module: &Module<'_>, subject: &Subject) -> BTreeMap<TypeId, BTreeMap<u64, TypeId>> {
    let mut taken: BTreeMap<(TypeId, u64), BTreeSet<TypeId>> = BTreeMap::new();
    for load in instructions(module) {
        if load.opcode() != Some(Opcode::LLVMLoad) || load.ty().kind() != Kind::Pointer {
            continue;
        }
        let place = load.operand(0);
        let (Some(name), Some(field)) = (struct_of(place), field_of(place)) else { continue };
        let offset = module.offset_of(place.gep_source(), field);
        let size = module.alloc_size(place.gep_source());
        if let Some(owner) = records(&subject.types, &name, size).next() {
            taken.entry((owner, offset)).or_default().extend(taken_for(module, subject, load));
        }
    }
    let mut fields: BTreeMap<TypeId, BTreeMap<u64, TypeId>> = BTreeMap::new();
    for ((owner, offset), taken) in taken {
        let Shape::Record { fields: declared, .. } = &subject.types.get(owner).shape else { continue };
        let Some(field) = declared.iter().find(|field| field.offset_bits == 8 * offset) else { continue };
        if let Some(element) = the_one(&subject.types, field.ty, &taken) {
            fields.entry(owner).or_default().insert(offset, element);
        }
    }
    fields
}

fn instructions<'c>(module: &Module<'c>) -> impl Iterator<Item = Value<'c>> {
    module.functions().into_iter().flat_map(Value::blocks).flat_map(Block::instructions)
}

/// The struct whose field an instruction finds.
fn struct_of(place: Value<'_>) -> Option<String> {
    (place.opcode() == Some(Opcode::LLVMGetElementPtr)).then(|| place.gep_source().struct_name())?
}

/// The number of the field that an instruction finds in a struct, and not in a field of that.
fn field_of(place: Value<'_>) -> Option<u32> {
    if place.operand_count() != 3 || place.operand(1).constant_int() != Some(0) {
        return None;
    }
    place.operand(2).constant_int().and_then(|field| u32::try_from(field).ok())
}

/// The first type with a name among a record and its typedefs: a test has to name it.
fn the_first(types: &Types, record: TypeId) -> Option<TypeId> {
    like(types, &types.get(record).shape).find(|id| types.get(*id).name.is_some())
}

/// The structs whose fields are used behind a pointer, here or where it is handed to.
fn taken_for(module: &Module<'_>, subject: &Subject, pointer: Value<'_>) -> BTreeSet<TypeId> {
    let mut taken = BTreeSet::new();
    for user in pointer.users().into_iter().filter(|user| user.is_instruction()) {
        if let Some(name) = struct_of(user).filter(|_| user.operand(0) == pointer) {
            let record = records(&subject.types, &name, module.alloc_size(user.gep_source())).next();
            taken.extend(record.and_then(|record| the_first(&subject.types, record)));
        }
        if user.opcode() == Some(Opcode::LLVMCall) && user.callee().is_function() {
            taken.extend(handed_to(subject, user, pointer));
        }
    }
    taken
}

/// The struct that the parameter leads to which a pointer is handed over as.
fn handed_to(subject: &Subject, call: Value<'_>, pointer: Value<'_>) -> Option<TypeId> {
    let callee = call.callee().name();
    let function = subject.functions.iter().find(|function| function.name == callee)?;
    let params = &function.signature.as_ref()?.params;
    let arguments = call.operands();
    // The last operand is the function itself.
    let position = arguments.iter().position(|argument| *argument == pointer)?;
    let param = params.get(position).filter(|_| arguments.len() == params.len() + 1)?;
    let Shape::Pointer(target) = subject.types.get(param.ty).shape else { return None };
    let is_record = matches!(subject.types.get(target).shape, Shape::Record { complete: true, .. });
    the_first(&subject.types, target).filter(|_| is_record)
}

/// The complete records that LLVM calls by this name.
pub fn records<'t>(types: &'t Types, name: &str, size: u64) -> impl Iterator<Item = TypeId> + 't {
    let (keyword, tag) = name.split_once('.').unwrap_or(("struct", name));
    // LLVM tells structs of the same name apart by a number.
    let number = tag.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let tag = number.map_or(tag, |(tag, _)| tag).to_owned();
    let tagged = format!("{keyword} {tag}");
    let is_it = move |id: &TypeId| {
        let ty = types.get(*id);
        let is_named = ty.name.as_ref().is_some_and(|name| *name == tagged || *name == tag);
        is_named && ty.size == size && matches!(ty.shape, Shape::Record { complete: true, .. })
    };
    (0..types.len()).map(TypeId::of).filter(is_it)
}

/// What a pointer of this type is taken for, if that is one thing and more than its declaration says.
fn the_one(types: &Types, pointer: TypeId, taken: &BTreeSet<TypeId>) -> Option<TypeId> {
    let Shape::Pointer(target) = types.get(pointer).shape else { return None };
    let (Some(one), 1) = (taken.first(), taken.len()) else { return None };
    let (declared, meant) = (types.get(target), types.get(*one));
    let says_less = match declared.shape {
        Shape::Void | Shape::Record { complete: false, .. } => true,
        Shape::Record { .. } => declared.size < meant.size && types.spell(target) != types.spell(*one),
        _ => false,
    };
    (says_less && types.meant(target).is_none()).then_some(*one)
}
