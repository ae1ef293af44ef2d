//! Mutated code for programs of others: the object of one file, in which a function decides at each point what to go on with.
//!
//! Builds of ours ask the worker; these objects call [`CHOOSER`], which whoever links them supplies
//! (`crates/code/src/frontend/c/chooser.rs`).

use crate::error::CodeError;
use crate::frontend::{Bitcode, link};
use crate::inspect;
use crate::instrument::emitter::{Emitter, Marks};
use crate::instrument::mutants::{self, Asks};
use testwright_base::mutant::Mutant;
use testwright_base::subject::Subject;
use testwright_llvm::{Context, Module, Target};

/// The function that decides: `uint64_t testwright_mutate(uint32_t first, uint32_t point, uint64_t a, uint64_t b, uint64_t value)`.
pub const CHOOSER: &str = "testwright_mutate";
/// The function that decides about elements of tables:
/// `uint64_t testwright_mutate_element(uint32_t first, uint32_t count, uint64_t index, uint64_t value)`.
pub const CHOOSER_OF_ELEMENTS: &str = "testwright_mutate_element";

/// The variable of the environment by which it decides: the number of the mutant, 0 or nothing for the original.
pub const CHOOSER_VARIABLE: &str = "TESTWRIGHT_MUTANT";

/// An object with mutants.
#[derive(Debug, Clone)]
pub struct Mutated {
    /// An ELF object file.
    pub object: Vec<u8>,
    /// Its mutants, numbered from the first number on, with the names of their functions.
    pub mutants: Vec<(Mutant, String)>,
}

/// Compiles the code of one file, with mutants of the functions that these files define. None if there are no such functions.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn mutated(bitcode: &Bitcode, files: &[String], first: u32) -> Result<Option<Mutated>, CodeError> {
    let context = Context::new();
    let target = Target::x86_64()?;
    let module = link(&context, bitcode)?;
    module.set_target(&target);
    let mut subject = inspect::inspect(&module, files)?;
    for function in &mut subject.functions {
        let is_named = function.place.as_ref().is_some_and(|place| files.contains(&place.file));
        function.companion = !is_named;
    }
    inspect::mark_places(&module, &subject);
    module.strip_debug();
    module.run_passes("function(sroa<preserve-cfg>)", &target)?;
    add_mutants(&module, &mut subject, first);
    module.verify()?;
    if subject.mutants.is_empty() {
        return Ok(None);
    }
    module.run_passes("default<O1>", &target)?;
    let name = |mutant: &Mutant| subject.function(mutant.function).name.clone();
    let mutants = subject.mutants.iter().map(|mutant| (mutant.clone(), name(mutant))).collect();
    Ok(Some(Mutated { object: module.object(&target)?, mutants }))
}

fn add_mutants(module: &Module<'_>, subject: &mut Subject, first: u32) {
    let emitter = Emitter::new(module, Marks::Store);
    let (number, word) = (emitter.i32, emitter.i64);
    let ty = word.function(&[number, number, word, word, word], false);
    let chooser = module.add_function(CHOOSER, ty);
    let ty = word.function(&[number, number, word, word], false);
    let element = module.add_function(CHOOSER_OF_ELEMENTS, ty);
    mutants::instrument(&emitter, subject, Asks::Function { chooser, element, first });
}
