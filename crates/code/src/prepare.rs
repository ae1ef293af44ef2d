//! Preparation: from linked bitcode to the module that every build starts from.

use crate::error::CodeError;
use crate::frontend::{Bitcode, Frontend, link};
use crate::handle::Handle;
use crate::stub::Behaviours;
use crate::{
    doubts, driver, fixed, handle, inspect, meaning, missing, models, redirect, stub, tags, variadic,
};
use std::path::Path;
use testwright_base::subject::Subject;
use testwright_llvm::{Block, Context, Module, Opcode, Target, Value};

/// What every build starts from: sites are numbered, drivers added, locals are values, nothing else is optimised.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The module.
    pub bitcode: Vec<u8>,
    /// What is in it.
    pub subject: Subject,
}

/// Prepares the code of these files.
///
/// # Errors
/// If the files do not fit together.
pub fn prepare(frontend: &dyn Frontend, bitcode: &Bitcode, files: &[String]) -> Result<Prepared, CodeError> {
    prepare_with(frontend, bitcode, files, &[], &Behaviours::new())
}

/// As [`prepare`], for code that was compiled with what makes these handles, and with stubs that behave as stated.
///
/// # Errors
/// If the files do not fit together.
pub fn prepare_with(
    frontend: &dyn Frontend,
    bitcode: &Bitcode,
    files: &[String],
    handles: &[Handle],
    behaviours: &Behaviours,
) -> Result<Prepared, CodeError> {
    let context = Context::new();
    let target = Target::x86_64()?;
    let module = link(&context, bitcode)?;
    drop_unused_header_functions(&module, files);
    let undefined = missing::define_variables(&module);
    let addresses = fixed::addresses(&module);
    let fixed = fixed::define(&module);
    module.set_target(&target);
    variadic::check(&module);
    models::link(&module, &target)?;
    let mut subject = inspect::inspect(&module, files)?;
    models::give_streams(&mut subject.types);
    subject.undefined = undefined;
    subject.addresses = addresses;
    fixed::describe(&mut subject, fixed);
    doubts::find(&module, &mut subject, &target)?;
    inspect::mark_places(&module, &subject);
    missing::drop_type_variables(&module);
    variadic::describe(&module, &mut subject);
    handle::install(&module, &mut subject, handles);
    stub::describe(&mut subject, &bitcode.parameters, behaviours);
    stub::declare(&module, &mut subject);
    driver::add(&module, &mut subject);
    stub::define(&module, &mut subject);
    redirect::redirect(&module);
    module.strip_debug();
    make_optimisable(&module);
    // Locals become values without a change of control flow, so that every numbered branch stays.
    module.run_passes("function(sroa<preserve-cfg>)", &target)?;
    meaning::find(&module, &mut subject);
    tags::find(&module, &mut subject);
    variadic::give_examples(&mut subject);
    give_lengths(&mut subject, frontend);
    module.verify()?;
    subject.precedences = inspect::precedences(&module, &subject);
    subject.results = inspect::results(&module, &subject);
    inspect::words(&module, &mut subject);
    Ok(Prepared { bitcode: module.bitcode(), subject })
}

/// Functions learn which of their parameters may be lengths.
fn give_lengths(subject: &mut Subject, frontend: &dyn Frontend) {
    for function in &mut subject.functions {
        if let Some(signature) = &function.signature {
            function.lengths = frontend.lengths(&subject.types, &signature.params);
        }
    }
}

/// Static functions of headers that nothing calls: they are not what the user named.
fn drop_unused_header_functions(module: &Module<'_>, files: &[String]) {
    let in_header = |function: Value<'_>| {
        let places = function.blocks().into_iter().flat_map(Block::instructions).filter_map(Value::location);
        let own =
            |name: &str| files.iter().any(|file| Path::new(file).file_name() == Path::new(name).file_name());
        function.is_internal() && !places.map(|place| place.file).any(|file| own(&file))
    };
    loop {
        let unused: Vec<Value<'_>> = module
            .functions()
            .into_iter()
            .filter(|function| {
                !function.is_declaration() && function.users().is_empty() && in_header(*function)
            })
            .collect();
        if unused.is_empty() {
            return;
        }
        unused.into_iter().for_each(Value::erase_global);
    }
}

fn make_optimisable(module: &Module<'_>) {
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        if !redirect::is_thunk(function) {
            function.remove_attribute("noinline");
        }
        forget_effects(function);
        for block in function.blocks() {
            for call in block.instructions() {
                if call.opcode() != Some(Opcode::LLVMCall) || !call.callee().is_function() {
                    continue;
                }
                if let Some(value) = settled(call) {
                    call.replace_all_uses(value);
                    call.erase();
                    continue;
                }
                if !call.callee().is_intrinsic() {
                    forget_effects(call);
                }
                redirect::use_exact_intrinsic(module, call);
            }
        }
    }
    for global in module.globals() {
        // One thread runs the code, and resetting a variable needs its one address.
        if global.is_thread_local() {
            global.set_thread_local(false);
        }
    }
}

/// What an intrinsic gives whose value must not depend on how well a build is optimised, and the address of a
/// variable that is no longer one per thread.
///
/// ```text
/// is.constant(x) -> false     objectsize(p, min) -> 0 if min, else -1: unknown     threadlocal.address(p) -> p
/// ```
fn settled<'c>(call: Value<'c>) -> Option<Value<'c>> {
    let name = call.callee().name();
    if name.starts_with("llvm.is.constant.") {
        return Some(call.ty().zero());
    }
    if name.starts_with("llvm.objectsize.") {
        let least = call.operand(1).constant_int() == Some(1);
        return Some(if least { call.ty().zero() } else { call.ty().constant(u64::MAX) });
    }
    name.starts_with("llvm.threadlocal.address").then(|| call.operand(0))
}

/// What a function was known not to do, it may do once it is instrumented.
fn forget_effects(function_or_call: Value<'_>) {
    for attribute in ["memory", "willreturn", "speculatable", "nosync", "nofree", "nocallback", "norecurse"] {
        function_or_call.remove_attribute(attribute);
    }
}
