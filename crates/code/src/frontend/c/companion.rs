//! Companions: files of the project that were not named, but define what the named ones call.
//!
//! The compilation database says which files there are. Which of them may define a missing name is read from their text, so that few
//! are compiled; what the compiler makes of those decides. What they call is looked for in the same way, until nothing more is found.
//!
//! Functions of companions have no drivers and no goals, but are traced and instrumented like the rest, and may make handles.

use super::clang::Clang;
use super::compile::{Compiled, OPTIONS, compile_each};
use super::definitions::definitions;
use crate::error::CodeError;
use crate::frontend::{COMPANION, Sources, Unit};
use crate::missing;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use testwright_base::subject::Elsewhere;
use testwright_llvm::{Context, Module, Value};

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Companions {
    /// The files to add.
    pub units: Vec<Unit>,
    /// Who would define what is still missing.
    pub elsewhere: Vec<Elsewhere>,
    /// What the answer depends on: every file that was looked at.
    pub dependencies: Vec<PathBuf>,
}

/// The companions of sources that are compiled.
pub(super) fn companions<'a>(
    sources: &Sources,
    modules: impl Iterator<Item = &'a Vec<u8>>,
    clang: &Clang,
) -> Result<Companions, CodeError> {
    if sources.neighbours.is_empty() {
        return Ok(Companions::default());
    }
    let mut names = Names::default();
    for module in modules {
        names.add(&NamesOf::read(module)?);
    }
    if names.missing.is_empty() {
        return Ok(Companions::default());
    }
    let index = index(&sources.neighbours);
    let found = if sources.alone {
        left_alone(&sources.neighbours, &index, &names)
    } else {
        taken(&sources.neighbours, &index, names, clang)?
    };
    let absolute = |unit: &Unit| std::path::absolute(&unit.file).unwrap_or_else(|_| unit.file.clone());
    Ok(Companions { dependencies: sources.neighbours.iter().map(absolute).collect(), ..found })
}

/// Takes nobody, but tells who would define what.
fn left_alone(neighbours: &[Unit], index: &Index, names: &Names) -> Companions {
    let owner = |name: &String| neighbours.get(*index.get(name)?.first()?);
    let told = |name: &String| Some(elsewhere(name, owner(name)?, ALONE));
    Companions { elsewhere: names.missing.iter().filter_map(told).collect(), ..Companions::default() }
}

/// Takes files that define what is missing, and what is missing then.
fn taken(
    neighbours: &[Unit],
    index: &Index,
    mut names: Names,
    clang: &Clang,
) -> Result<Companions, CodeError> {
    let mut found = Companions::default();
    let mut tried = BTreeSet::new();
    loop {
        let owners = names.missing.iter().filter_map(|name| index.get(name)).flatten().copied();
        let next: BTreeSet<usize> = owners.filter(|owner| !tried.contains(owner)).collect();
        if next.is_empty() {
            found.elsewhere.retain(|elsewhere| names.missing.contains(&elsewhere.name));
            return Ok(found);
        }
        tried.extend(next.iter().copied());
        let units: Vec<Unit> = next.iter().map(|owner| neighbours[*owner].clone()).collect();
        for (unit, compiled) in units.iter().zip(compile_each(&units, clang, OPTIONS)) {
            take(unit, compiled, &mut names, &mut found)?;
        }
    }
}

/// Takes a file, if it defines something that is missing and nothing that is there.
fn take(
    unit: &Unit,
    compiled: Result<Compiled, CodeError>,
    names: &mut Names,
    found: &mut Companions,
) -> Result<(), CodeError> {
    let Ok(compiled) = compiled else {
        let text = fs::read_to_string(&unit.file).unwrap_or_default();
        let here = definitions(&text);
        let missing = names.missing.iter().filter(|name| here.contains(name.as_str()));
        found.elsewhere.extend(missing.map(|name| elsewhere(name, unit, "it does not compile")));
        return Ok(());
    };
    let own = NamesOf::read(&compiled.module)?;
    let wanted: Vec<&String> = own.defined.iter().filter(|name| names.missing.contains(*name)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    match own.strong.iter().find(|name| names.strong.contains(*name)) {
        Some(rival) => {
            let why = format!("it defines {rival}, which is defined already");
            found.elsewhere.extend(wanted.into_iter().map(|name| elsewhere(name, unit, &why)));
        }
        None => {
            names.add(&own);
            found.units.push(Unit { companion: true, ..unit.clone() });
        }
    }
    Ok(())
}

/// Why a file is not used although it could be.
const ALONE: &str = "the files to test are compiled alone";

fn elsewhere(name: &str, unit: &Unit, why: &str) -> Elsewhere {
    Elsewhere { name: name.to_owned(), file: unit.file.display().to_string(), why: why.to_owned() }
}

/// The neighbours that may define a name, by their numbers.
type Index = BTreeMap<String, Vec<usize>>;

fn index(neighbours: &[Unit]) -> Index {
    let mut index = Index::new();
    for (number, unit) in neighbours.iter().enumerate() {
        // A file that cannot be read defines nothing.
        let text = fs::read(&unit.file).unwrap_or_default();
        for name in definitions(&String::from_utf8_lossy(&text)) {
            index.entry(name.to_owned()).or_default().push(number);
        }
    }
    index
}

/// The names of a program.
#[derive(Default)]
struct Names {
    defined: BTreeSet<String>,
    strong: BTreeSet<String>,
    missing: BTreeSet<String>,
}

impl Names {
    fn add(&mut self, module: &NamesOf) {
        self.defined.extend(module.defined.iter().cloned());
        self.strong.extend(module.strong.iter().cloned());
        self.missing.extend(module.missing.iter().cloned());
        self.missing.retain(|name| !self.defined.contains(name));
    }
}

/// The names of a module that others see.
struct NamesOf {
    defined: Vec<String>,
    strong: Vec<String>,
    missing: Vec<String>,
}

impl NamesOf {
    fn read(bitcode: &[u8]) -> Result<NamesOf, CodeError> {
        let context = Context::new();
        let module = context.parse_bitcode(bitcode, "unit")?;
        let values = || module.functions().into_iter().chain(module.globals());
        let is_seen = |value: &Value<'_>| !value.is_declaration() && !value.is_internal();
        Ok(NamesOf {
            defined: values().filter(is_seen).map(Value::name).collect(),
            strong: values().filter(|value| value.is_strong()).map(Value::name).collect(),
            missing: missing_names(&module),
        })
    }
}

fn missing_names(module: &Module<'_>) -> Vec<String> {
    missing::functions(module).into_iter().chain(missing::variables(module)).map(Value::name).collect()
}

/// A module with the functions of a companion marked.
pub(super) fn marked(bitcode: &[u8]) -> Result<Vec<u8>, CodeError> {
    let context = Context::new();
    let module = context.parse_bitcode(bitcode, "unit")?;
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        function.mark(COMPANION);
    }
    Ok(module.bitcode())
}
