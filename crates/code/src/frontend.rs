//! Front ends: what the user named to bitcode with debug information, one folder per language.
//!
//! Everything behind a front end reads bitcode. A language is a [`Frontend`] in a folder of its own, which [`frontend`] picks.

mod bitcode;
pub(crate) mod c;
mod sources;

pub(crate) use bitcode::COMPANION;
pub use bitcode::{Bitcode, Fitting, Parameters, link};
pub use sources::{Sources, Unit, Used};

use crate::cache::Key;
use crate::error::CodeError;
use crate::handle::Handle;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use testwright_base::ids::FunctionId;
use testwright_base::subject::{Param, Subject};
use testwright_base::types::Types;

/// A language that code under test is written in.
pub trait Frontend: Sync {
    /// The files that targets mean, with their flags; those of the user come last.
    ///
    /// # Errors
    /// If a target does not exist or is of another language, or its flags cannot be used.
    fn resolve(&self, targets: &[PathBuf], flags: &[String]) -> Result<Sources, CodeError>;

    /// What the result of compiling depends on, apart from the contents of the files; `options` are the caller's.
    ///
    /// # Errors
    /// If there is no compiler.
    fn key(&self, sources: &Sources, options: &[&str]) -> Result<Key, CodeError>;

    /// Compiles the sources that fit together, and what else of the project they need.
    ///
    /// # Errors
    /// With the compiler's messages if a file does not compile.
    fn compile(&self, sources: &Sources) -> Result<Fitting, CodeError>;

    /// The parameters that only functions of the code under test can make.
    ///
    /// # Errors
    /// If a file cannot be read.
    fn handles(&self, sources: &Sources, subject: &Subject) -> Result<Vec<Handle>, CodeError>;

    /// The source of what decides in mutated programs which mutant there is, see [`crate::mutated()`].
    fn chooser(&self) -> String;

    /// Compiles every file with the conditions on its functions, and with what makes handles for them. `subject` is what the
    /// files are without them.
    ///
    /// # Errors
    /// If the compiler does not accept a condition, with its complaint and the place of the condition.
    fn compile_stating(
        &self,
        sources: &Sources,
        subject: &Subject,
        conditions: &[Condition],
        handles: &[Handle],
    ) -> Result<Bitcode, CodeError>;

    /// Compiles every file as for production, without checks: what our builds are measured against.
    ///
    /// # Errors
    /// With the compiler's messages if a file does not compile.
    fn compile_natively(&self, sources: &Sources) -> Result<Bitcode, CodeError>;

    /// For each pointer the parameters that may say how many elements it leads to, likeliest first.
    fn lengths(&self, types: &Types, params: &[Param]) -> BTreeMap<usize, Vec<usize>>;

    /// The flags that a file was compiled with, as far as tests need them too.
    ///
    /// # Errors
    /// If the compiler cannot be started.
    fn used_flags(&self, unit: &Unit) -> Result<Used, CodeError>;

    /// The values of those of these names that stand for integers in a file.
    ///
    /// # Errors
    /// If there is no compiler.
    fn constants(&self, unit: &Unit, names: &BTreeSet<String>) -> Result<BTreeMap<String, i128>, CodeError>;

    /// The compiler.
    ///
    /// # Errors
    /// If there is none, or the one that was named cannot be used.
    fn compiler(&self) -> Result<Compiler, CodeError>;
}

/// The front end of all targets.
#[must_use]
pub fn frontend() -> &'static dyn Frontend {
    &c::C
}

/// A compiler that a front end starts.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// Where it is.
    pub path: PathBuf,
    /// What it says about itself.
    pub version: String,
}

/// An expression that holds whenever a function is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The function.
    pub function: FunctionId,
    /// The expression, over parameters and globals.
    pub text: String,
    /// The file that states it.
    pub file: String,
    /// The line in that file.
    pub line: u32,
}
