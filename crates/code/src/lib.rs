//! Source to bitcode to subject to instrumented code.
//!
//! Each stage is one function from one type to the next:
//!
//! ```text
//! resolve      targets, flags -> Sources         compile     Sources -> Bitcode (both of a Frontend)
//! prepare      Bitcode -> Prepared              (linked, models added, sites numbered, drivers added)
//! instrumented Prepared, Build -> module        object      Prepared, Build -> Object (optimised machine code)
//! ```
#![forbid(unsafe_code)]

pub mod cache;
mod doubts;
pub mod driver;
mod error;
mod fixed;
pub mod frontend;
mod handle;
pub mod inspect;
pub mod instrument;
mod meaning;
mod missing;
mod models;
mod mutated;
pub mod path_conditions;
mod predicate;
mod prepare;
mod ranges;
mod reachable;
mod redirect;
mod stub;
mod tags;
mod variadic;

pub use error::{CodeError, CompileError};
pub use frontend::{Frontend, frontend};
pub use models::may_refuse;
pub use mutated::{CHOOSER_VARIABLE, Mutated, mutated};
pub use prepare::{Prepared, prepare, prepare_with};
pub use reachable::reachable_outcomes;
pub use stub::Behaviours;

/// The version of the LLVM that generates code.
pub use testwright_llvm::version as llvm_version;

use std::collections::BTreeSet;
use testwright_base::build::Build;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_llvm::{Context, Module, Target};

/// What identifies this version of the instrumentation, for caches.
pub const IDENTITY: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("TESTWRIGHT_MODELS_HASH"));

/// Machine code of a build.
#[derive(Debug, Clone)]
pub struct Object {
    /// An ELF object file.
    pub bytes: Vec<u8>,
    /// The subject, with what the build added: externals and what is unsupported.
    pub subject: Subject,
}

/// Instruments, optimises and compiles a build.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn object(prepared: &Prepared, build: Build) -> Result<Object, CodeError> {
    let context = Context::new();
    let target = Target::x86_64()?;
    let mut subject = prepared.subject.clone();
    let module = instrument_in(&context, prepared, &mut subject, build, &target)?;
    // The third level pays for the trace build: it makes copies of loops in which nothing is symbolic.
    let pipeline = if build == Build::Trace { "default<O3>" } else { "default<O2>" };
    module.run_passes(pipeline, &target)?;
    if build == Build::Trace {
        instrument::trace::segment::keep_stores_apart(&module);
    }
    Ok(Object { bytes: module.object(&target)?, subject })
}

/// As [`object`], for the fitness build of these functions: also the path conditions that it measures.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn fitness_object(
    prepared: &Prepared,
    functions: &BTreeSet<FunctionId>,
    settings: &path_conditions::Settings,
) -> Result<(Object, path_conditions::Analysis), CodeError> {
    let context = Context::new();
    let target = Target::x86_64()?;
    let mut subject = prepared.subject.clone();
    let module = context.parse_bitcode(&prepared.bitcode, "prepared")?;
    models::divert(&module, Build::Fitness);
    instrument::drop_unreachable(&module, &target)?;
    let analysis = instrument::add_fitness(&module, &subject, functions, settings);
    instrument::instrument(&module, &mut subject, Build::Fitness, &target)?;
    module.run_passes("default<O2>", &target)?;
    Ok((Object { bytes: module.object(&target)?, subject }, analysis))
}

/// The instrumented module as text, before optimisation.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn instrumented_text(prepared: &Prepared, build: Build) -> Result<String, CodeError> {
    let context = Context::new();
    let target = Target::x86_64()?;
    let mut subject = prepared.subject.clone();
    Ok(instrument_in(&context, prepared, &mut subject, build, &target)?.text())
}

/// The prepared module as text.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn bitcode_text(prepared: &Prepared) -> Result<String, CodeError> {
    let context = Context::new();
    Ok(context.parse_bitcode(&prepared.bitcode, "prepared")?.text())
}

fn instrument_in<'c>(
    context: &'c Context,
    prepared: &Prepared,
    subject: &mut Subject,
    build: Build,
    target: &Target,
) -> Result<Module<'c>, CodeError> {
    let module = context.parse_bitcode(&prepared.bitcode, "prepared")?;
    models::divert(&module, build);
    // What no driver reaches is not built.
    instrument::drop_unreachable(&module, target)?;
    instrument::instrument(&module, subject, build, target)?;
    Ok(module)
}
