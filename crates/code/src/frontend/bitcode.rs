//! Bitcode: what a front end makes of sources.

use super::Sources;
use crate::error::CodeError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use testwright_base::subject::Elsewhere;
use testwright_llvm::{Context, Module};

/// How the functions of companions are marked: files that were not named, but define what the named ones call.
pub(crate) const COMPANION: &str = "tw-companion";

/// What the compiler made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bitcode {
    /// One module per file, in the order of the sources.
    pub modules: Vec<Vec<u8>>,
    /// Every file that was read, headers included; absolute, sorted.
    pub dependencies: Vec<PathBuf>,
    /// The names of the parameters of functions that nobody defines.
    pub parameters: Parameters,
}

/// The names of parameters, by function; empty where a declaration gives none.
pub type Parameters = BTreeMap<String, Vec<String>>;

/// Sources that can be linked into one program.
#[derive(Debug)]
pub struct Fitting {
    /// Those that were kept.
    pub sources: Sources,
    /// What the compiler made of them.
    pub bitcode: Bitcode,
    /// The others, and why.
    pub left_out: Vec<String>,
    /// Who would define what is missing, and why that is not used.
    pub elsewhere: Vec<Elsewhere>,
}

/// Links the modules of all files into one. Statics of the same name are renamed; debug information keeps the name.
///
/// # Errors
/// If two files define the same thing, or the bitcode is newer than our LLVM reads.
pub fn link<'c>(context: &'c Context, bitcode: &Bitcode) -> Result<Module<'c>, CodeError> {
    let mut modules = bitcode.modules.iter();
    let Some(first) = modules.next() else {
        return Err(CodeError::Link("there are none".to_owned()));
    };
    let module = context.parse_bitcode(first, "subject")?;
    for other in modules {
        let other = context.parse_bitcode(other, "subject")?;
        module.link(other).map_err(|error| CodeError::Link(error.0))?;
    }
    Ok(module)
}
