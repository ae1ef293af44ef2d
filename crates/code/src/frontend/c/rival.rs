//! Files that cannot be in one program: the folder of a project often builds several, each with a `main` of its own.
//!
//! The first file that defines a name keeps it. A later one that defines it too is left out as a whole, and the user is told: tests
//! are linked from whole files, and nobody could say which of two functions of one name a call means. Then files are added that
//! define what is missing.

use super::clang::Clang;
use super::companion::companions;
use super::compile::compile;
use crate::error::CodeError;
use crate::frontend::{Bitcode, Fitting, Sources, Unit};
use std::collections::BTreeMap;
use std::fmt;
use testwright_llvm::{Context, Value};

/// A file that is left out, because it defines a name that another one defines too.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LeftOutFile {
    /// The file.
    file: String,
    /// What both define.
    name: String,
    /// The file that is kept.
    owner: String,
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
pub(super) fn fitting(all: &Sources, clang: &Clang) -> Result<Fitting, CodeError> {
    let mut bitcode = compile(all, clang)?;
    let left_out = left_out(all, &bitcode)?;
    let mut sources = without(all, &left_out);
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
    let left_out = left_out.iter().map(ToString::to_string).collect();
    Ok(Fitting { sources, bitcode, left_out, elsewhere: companions.elsewhere })
}

/// All but these files.
fn without(all: &Sources, left_out: &[LeftOutFile]) -> Sources {
    let is_left_out = |unit: &&Unit| left_out.iter().any(|left| left.file == unit.file.display().to_string());
    let units = all.units.iter().filter(|unit| !is_left_out(unit)).cloned().collect();
    Sources { units, neighbours: all.neighbours.clone(), alone: all.alone }
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
