//! Files that cannot be in one program: the folder of a project often builds several, each with a `main` of its own.
//!
//! The first file that defines a name keeps it. A later one that defines it too is left out as a whole, and the user is told: tests
//! are linked from whole files, and nobody could say which of two functions of one name a call means. Then files are added that
//! define what is missing.

use super::clang::Clang;
use super::companion::companions;
use super::compile::{Bitcode, compile};
use super::source::{Sources, Unit};
use crate::error::CodeError;
use std::collections::BTreeMap;
use std::fmt;
use testwright_base::subject::Elsewhere;
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
    /// Who would define what is missing, and why that is not used.
    pub elsewhere: Vec<Elsewhere>,
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

/// Compiles the sources that fit together, and those of their neighbours that define what they call.
///
/// # Errors
/// With the compiler's messages if a file does not compile.
pub fn fitting(all: &Sources, clang: &Clang) -> Result<Fitting, CodeError> {
    let mut bitcode = compile(all, clang)?;
    let left_out = left_out(all, &bitcode)?;
    let mut sources = all.without(&left_out);
    let is_kept = |unit: &Unit| sources.units.contains(unit);
    let modules = all.units.iter().zip(&bitcode.modules).filter(|(unit, _)| is_kept(unit));
    let companions = companions(&sources, modules.map(|(_, module)| module), clang)?;
    // Which files fit depends on all of them.
    let dependencies = [bitcode.dependencies.as_slice(), &companions.dependencies].concat();
    if !left_out.is_empty() || !companions.units.is_empty() {
        sources.units.extend(companions.units);
        // What is missing now must be declared where it is used.
        bitcode = compile(&sources, clang)?;
    }
    bitcode.dependencies.extend(dependencies);
    bitcode.dependencies.sort();
    bitcode.dependencies.dedup();
    Ok(Fitting { sources, bitcode, left_out, elsewhere: companions.elsewhere })
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
