//! Files that cannot be in one program: the folder of a project often builds several, each with a `main` of its own.
//!
//! The first file that defines a name keeps it. A later one that defines it too is left out as a whole, and the user is told: tests
//! are linked from whole files, and nobody could say which of two functions of one name a call means.

use super::clang::Clang;
use super::compile::{Bitcode, compile};
use super::source::Sources;
use crate::error::CodeError;
use std::collections::BTreeMap;
use std::fmt;
use testwright_llvm::{Context, Value};

/// Sources that can be linked into one program.
#[derive(Debug)]
pub struct Fitting {
    /// Those that were kept.
    pub sources: Sources,
    /// What the compiler made of them.
    pub bitcode: Bitcode,
    /// The others.
    pub left_out: Vec<LeftOutFile>,
}

/// A file that is left out, because it defines a name that another one defines too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutFile {
    /// The file.
    pub file: String,
    /// What both define.
    pub name: String,
    /// The file that is kept.
    pub owner: String,
}

/// `b.c is left out: it defines main, and so does a.c`
impl fmt::Display for LeftOutFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeftOutFile { file, name, owner } = self;
        write!(formatter, "{file} is left out: it defines {name}, and so does {owner}")
    }
}

/// Compiles the sources that fit together.
///
/// # Errors
/// With the compiler's messages if a file does not compile.
pub fn fitting(sources: &Sources, clang: &Clang) -> Result<Fitting, CodeError> {
    let bitcode = compile(sources, clang)?;
    let left_out = left_out(sources, &bitcode)?;
    if left_out.is_empty() {
        return Ok(Fitting { sources: sources.clone(), bitcode, left_out });
    }
    let sources = sources.without(&left_out);
    // What is missing now must be declared where it is used. Which files fit depends on all of them.
    let bitcode = Bitcode { dependencies: bitcode.dependencies, ..compile(&sources, clang)? };
    Ok(Fitting { sources, bitcode, left_out })
}

/// The files that define what an earlier one defines.
fn left_out(sources: &Sources, bitcode: &Bitcode) -> Result<Vec<LeftOutFile>, CodeError> {
    let context = Context::new();
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    let mut left_out = Vec::new();
    for (index, module) in bitcode.modules.iter().enumerate() {
        let module = context.parse_bitcode(module, "unit")?;
        let values = module.functions().into_iter().chain(module.globals());
        let names: Vec<String> = values.filter(|value| value.is_strong()).map(Value::name).collect();
        let rival = names.iter().find_map(|name| Some((name, *owners.get(name)?)));
        let file = |index: usize| sources.units[index].file.display().to_string();
        match rival {
            Some((name, owner)) => {
                left_out.push(LeftOutFile { file: file(index), name: name.clone(), owner: file(owner) });
            }
            None => owners.extend(names.into_iter().map(|name| (name, index))),
        }
    }
    Ok(left_out)
}
