//! Instrumentation: one module, two builds with the same site numbers.

pub mod coverage;
mod decision;
pub mod distance;
pub mod emitter;
pub mod exports;
pub mod mutants;
#[cfg(test)]
mod snapshots;
pub mod steps;
pub mod trace;
pub mod trap;
mod trip;
mod ways;

use crate::path_conditions;
use emitter::{Emitter, Marks};
use std::collections::BTreeSet;
use testwright_base::build::Build;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_llvm::{Error, Module, Target};

/// Turns a prepared module into a build. What cannot be traced is added to `subject.unsupported`.
///
/// # Errors
/// If the result is not well formed, which is a bug of ours.
pub fn instrument(
    module: &Module<'_>,
    subject: &mut Subject,
    build: Build,
    target: &Target,
) -> Result<(), Error> {
    if build == Build::Trace {
        trace::lower::lower(module, target)?;
    }
    let marks = if build == Build::Trace { Marks::Store } else { Marks::CountNews };
    let emitter = Emitter::new(module, marks);
    if build != Build::Bare {
        emitter.separate_program_memory();
    }
    if build == Build::Trace {
        trace::instrument(&emitter, subject);
    }
    if build == Build::Mutants {
        mutants::instrument(&emitter, subject, mutants::Asks::Worker);
        steps::instrument(&emitter);
    } else if build != Build::Bare {
        if build == Build::Run {
            decision::shorten(&emitter, subject);
        }
        let distances = distance::Distances::new(&emitter);
        let has_distances = matches!(build, Build::RunWithDistances | Build::Fitness);
        coverage::instrument(&emitter, subject, has_distances.then_some(&distances));
        ways::instrument(&emitter);
        steps::instrument(&emitter);
    }
    trap::instrument(&emitter);
    exports::export(&emitter, subject);
    module.verify()
}

/// Adds what the fitness build has besides distances; to be done before [`instrument`].
pub fn add_fitness(
    module: &Module<'_>,
    subject: &Subject,
    functions: &BTreeSet<FunctionId>,
    settings: &path_conditions::Settings,
) -> path_conditions::Analysis {
    let emitter = Emitter::new(module, Marks::CountNews);
    path_conditions::instrument(&emitter, subject, functions, settings)
}

/// Drops functions and constants that neither a driver nor a function pointer reaches, such as models that the build does not use.
///
/// # Errors
/// If LLVM refuses.
pub fn drop_unreachable(module: &Module<'_>, target: &Target) -> Result<(), Error> {
    for function in module.functions() {
        if !function.is_declaration() {
            let name = function.name();
            function.set_internal(!name.starts_with("tw_driver_") && !crate::stub::is_symbol(&name));
        }
    }
    // Writable globals stay, needed or not: the subject names them by their place in the list.
    for global in module.globals() {
        // The lists of what is `used` are LLVM's own.
        let is_ours = !global.name().starts_with("llvm.");
        if is_ours && !global.is_declaration() && !global.is_global_constant() {
            global.set_internal(false);
        }
    }
    module.run_passes("globaldce", target)
}
