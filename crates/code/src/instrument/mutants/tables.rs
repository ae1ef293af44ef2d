//! Tables: each element of a constant array that a function reads has a mutant, one more than it is.
//!
//! ```text
//! before:  %p = getelementptr [64 x i8], ptr @digits, i64 0, i64 %i      %v = load i8, ptr %p
//! after:   ..  %w = call i64 mutate_element(i32 40, i32 64, i64 (%p - @digits), i64 %v)         mutants 40 to 103
//! ```

use super::{Asks, bits, place, points::fits, replace, unbits};
use crate::inspect::PLACE_KIND;
use crate::instrument::emitter::Emitter;
use std::collections::HashMap;
use testwright_abi::memory::MAX_OUTCOMES;
use testwright_base::mutant::Mutant;
use testwright_base::subject::Subject;
use testwright_llvm::{Kind, Opcode, Type, Value};

/// Larger tables are data rather than decisions.
const MOST_ELEMENTS: u64 = 512;

/// Adds the mutants of all tables to `mutants`.
pub fn instrument<'c>(
    emitter: &Emitter<'c, '_>,
    subject: &Subject,
    asks: Asks<'c>,
    mutants: &mut Vec<Mutant>,
) {
    let kind = emitter.module.context().metadata_kind(PLACE_KIND);
    for function in emitter.module.functions() {
        let mut known: HashMap<Value<'c>, u32> = HashMap::new();
        let loads = function.blocks().into_iter().flat_map(testwright_llvm::Block::instructions);
        let loads: Vec<Value<'c>> = loads.filter(|load| load.has_metadata(kind)).collect();
        for load in loads {
            let Some((table, count)) = table(emitter, load) else { continue };
            let Some((of, place)) = place(emitter, subject, load) else { continue };
            let first = *known.entry(table).or_insert_with(|| asks.first() + mutants.len() as u32);
            if u64::from(first) + count > MAX_OUTCOMES {
                return;
            }
            if first == asks.first() + mutants.len() as u32 {
                mutants.extend((0..count).map(|index| Mutant {
                    function: of,
                    place: place.clone(),
                    kind: "CRO".to_owned(),
                    change: format!("element {index} of {} -> one more", named(table)),
                    equivalent: false,
                }));
            }
            insert(emitter, load, table, (asks, first, count));
        }
    }
}

fn named(table: Value<'_>) -> String {
    let name = table.name();
    if name.starts_with(".str") {
        "the text".to_owned()
    } else {
        format!("`{}`", name.rsplit('.').next().unwrap_or(&name))
    }
}

/// The constant array that an instruction loads an element of, and how many elements it has.
fn table<'c>(emitter: &Emitter<'c, '_>, load: Value<'c>) -> Option<(Value<'c>, u64)> {
    if load.opcode() != Some(Opcode::LLVMLoad) || load.is_volatile() || !fits(load.ty()) {
        return None;
    }
    let is_number = matches!(load.ty().kind(), Kind::Float | Kind::Double)
        || load.ty().kind() == Kind::Int && load.ty().int_width() >= 8;
    let mut base = load.operand(0);
    while base.opcode() == Some(Opcode::LLVMGetElementPtr) {
        base = base.operand(0);
    }
    if !is_number || !base.is_global_variable() || !base.is_global_constant() || base.is_declaration() {
        return None;
    }
    let ty = base.global_type();
    if ty.kind() != Kind::Array || innermost(ty) != load.ty() {
        return None;
    }
    let count = emitter.module.alloc_size(ty) / emitter.module.alloc_size(load.ty()).max(1);
    (2..=MOST_ELEMENTS).contains(&count).then_some((base, count))
}

fn innermost(ty: Type<'_>) -> Type<'_> {
    if ty.kind() == Kind::Array { innermost(ty.element()) } else { ty }
}

fn insert<'c>(
    emitter: &Emitter<'c, '_>,
    load: Value<'c>,
    table: Value<'c>,
    (asks, first, count): (Asks<'c>, u32, u64),
) {
    let builder = &emitter.builder;
    let users = load.users();
    builder.before(load.next().expect("a load ends no block"));
    let address = |pointer: Value<'c>| builder.cast(Opcode::LLVMPtrToInt, pointer, emitter.i64);
    let offset = builder.sub(address(load.operand(0)), address(table));
    let size = emitter.i64.constant(emitter.module.alloc_size(load.ty()));
    let index = builder.binary(Opcode::LLVMUDiv, offset, size);
    let constant = |number: u64| emitter.i32.constant(number);
    let arguments = [constant(first.into()), constant(count), index, bits(emitter, load)];
    let changed = match asks {
        Asks::Worker => emitter.call("mutate_element", &arguments),
        Asks::Function { element, .. } => builder.call_function(element, &arguments),
    };
    replace(&users, load, unbits(emitter, changed, load.ty()));
}
