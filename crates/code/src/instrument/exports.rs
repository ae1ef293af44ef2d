//! What a library tells the worker: its drivers, globals, tables and needs.

use super::emitter::Emitter;
use crate::inspect::is_call;
use testwright_abi::command::{needs, symbol};
use testwright_base::subject::Subject;
use testwright_llvm::{Block, Value};

/// Adds the exported tables and makes everything else internal.
pub fn export(emitter: &Emitter<'_, '_>, subject: &Subject) {
    let module = emitter.module;
    let entries: Vec<Value<'_>> = (0..subject.functions.len())
        .map(|index| module.function(&crate::driver::name(index)).unwrap_or_else(|| emitter.pointer.zero()))
        .collect();
    let globals = crate::inspect::global_values(module);
    let rest: Vec<Value<'_>> = module
        .globals()
        .into_iter()
        .filter(|global| {
            is_program_data(*global) && !global.is_global_constant() && !globals.contains(global)
        })
        .collect();
    let tables: Vec<Value<'_>> = module
        .globals()
        .into_iter()
        .filter(|global| is_program_data(*global) && global.is_global_constant())
        .collect();
    let needs = needs_of(emitter);
    for function in module.functions() {
        if !function.is_declaration() {
            function.set_internal(true);
        }
    }
    for global in module.globals() {
        if !global.is_declaration() && !global.name().starts_with("llvm.") {
            global.set_internal(true);
        }
    }
    let list = emitter.pointer.constant_array(&entries);
    constant(emitter, symbol::ENTRIES, emitter.pointer.array(entries.len() as u64), list);
    let stubs: Vec<Value<'_>> = subject
        .stubs
        .iter()
        .map(|stub| {
            module.function(&crate::stub::symbol(&stub.name)).unwrap_or_else(|| emitter.pointer.zero())
        })
        .collect();
    let list = emitter.pointer.constant_array(&stubs);
    constant(emitter, symbol::STUBS, emitter.pointer.array(stubs.len() as u64), list);
    constant(emitter, symbol::STUBS_COUNT, emitter.i64, emitter.i64.constant(stubs.len() as u64));
    let globals: Vec<Value<'_>> = globals.into_iter().chain(rest).collect();
    spans(emitter, symbol::GLOBALS, symbol::GLOBALS_COUNT, &globals);
    spans(emitter, symbol::TABLES, symbol::TABLES_COUNT, &tables);
    constant(emitter, symbol::NEEDS, emitter.i64, emitter.i64.constant(needs));
}

fn is_program_data(global: Value<'_>) -> bool {
    let name = global.name();
    !global.is_declaration() && !name.starts_with("llvm.") && !name.starts_with("tw_")
}

fn constant<'c>(emitter: &Emitter<'c, '_>, name: &str, ty: testwright_llvm::Type<'c>, value: Value<'c>) {
    let global = emitter.module.add_global(name, ty);
    global.set_initializer(value);
    global.set_internal(false);
}

/// `[Span; n]` and its count.
fn spans<'c>(emitter: &Emitter<'c, '_>, name: &str, count_name: &str, globals: &[Value<'c>]) {
    let span = emitter.module.context().structure(&[emitter.pointer, emitter.i64]);
    let list: Vec<Value<'c>> = globals
        .iter()
        .map(|global| {
            let size = emitter.module.alloc_size(global.global_type());
            span.constant_struct(&[*global, emitter.i64.constant(size)])
        })
        .collect();
    constant(emitter, name, span.array(list.len() as u64), span.constant_array(&list));
    constant(emitter, count_name, emitter.i64, emitter.i64.constant(list.len() as u64));
}

/// What the code may change outside its own globals, judged by the functions it calls.
fn needs_of(emitter: &Emitter<'_, '_>) -> u64 {
    let mut bits = 0;
    for function in emitter.module.functions() {
        let name = function.name();
        if !function.is_declaration() || function.is_intrinsic() || function.users().is_empty() {
            continue;
        }
        bits |= if name.starts_with("fe") && !name.starts_with("feof") && !name.starts_with("ferror") {
            needs::FLOAT_ENVIRONMENT
        } else if crate::redirect::is_pure(&name) {
            0
        } else if crate::redirect::is_stream_function(&name) {
            needs::STREAMS
        } else {
            needs::UNKNOWN | needs::STREAMS | needs::FLOAT_ENVIRONMENT
        };
    }
    // Assembly may hold system calls.
    if emitter.module.functions().iter().any(|function| has_assembly(*function)) {
        bits |= needs::UNKNOWN | needs::STREAMS | needs::FLOAT_ENVIRONMENT;
    }
    if emitter.module.functions().iter().any(|function| crate::redirect::is_heap_thunk(*function)) {
        bits |= needs::HEAP;
    }
    bits
}

fn has_assembly(function: Value<'_>) -> bool {
    let instructions = function.blocks().into_iter().flat_map(Block::instructions);
    instructions.filter(|instruction| is_call(*instruction)).any(|call| call.callee().is_inline_assembly())
}
