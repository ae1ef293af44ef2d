//! Sources: what the user named, resolved to files with their flags.

use super::clang::Clang;
use super::compile::OPTIONS;
use super::database::{self, Database, Entry, Known};
use super::flags;
use crate::cache::{Key, KeyBuilder};
use crate::error::CodeError;
use crate::frontend::{Sources, Unit};
use std::collections::{HashMap, HashSet};
use std::env;
use std::path::{Path, PathBuf};

/// Variables of the environment that change what clang includes.
const ENVIRONMENT: &[&str] = &["CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"];

/// What the result of compiling depends on, apart from the contents of the files; `options` are the caller's.
pub(super) fn key(sources: &Sources, clang: &Clang, options: &[&str]) -> Key {
    let mut key = KeyBuilder::new().file(&clang.path).text(&clang.version).list(OPTIONS).list(options);
    for name in ENVIRONMENT {
        key = key.text(&env::var_os(name).unwrap_or_default().to_string_lossy());
    }
    for unit in sources.all_units() {
        key = key.path(&unit.file).path(&unit.directory).list(&unit.build_flags).list(&unit.flags);
    }
    key.text(&format!("{} {}", sources.units.len(), sources.alone)).finish()
}

/// The sources that the user means: files, a folder with a compilation database in it or in its `build` folder, or a folder of
/// which a database above it knows files. The nearest database above a file that knows it gives the file's flags;
/// `user_flags` come after those.
///
/// # Errors
/// If a target does not exist or is not C, or a database or flag cannot be used.
pub fn resolve(targets: &[PathBuf], user_flags: &[String]) -> Result<Sources, CodeError> {
    let (mut units, mut neighbours) = (Vec::new(), Vec::new());
    for target in targets {
        let (own, others) = match target.is_dir() {
            true => folder_units(target, user_flags)?,
            false => file_units(target, user_flags)?,
        };
        units.extend(own);
        neighbours.extend(others);
    }
    let units = one_per_file(units);
    let named: HashSet<PathBuf> = units.iter().map(|unit| database::identity(&unit.file)).collect();
    neighbours.retain(|unit: &Unit| !named.contains(&database::identity(&unit.file)));
    Ok(Sources { neighbours: one_per_file(neighbours), units, alone: false })
}

/// The first unit of each file. It says so if others differ.
fn one_per_file(units: Vec<Unit>) -> Vec<Unit> {
    let mut kept: Vec<Unit> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for unit in units {
        let place = *places.entry(database::identity(&unit.file)).or_insert(kept.len());
        let Some(first) = kept.get_mut(place) else {
            kept.push(unit);
            continue;
        };
        let flags = |unit: &Unit| (unit.directory.clone(), unit.build_flags.clone(), unit.flags.clone());
        let note = format!(
            "the build compiles {} in several ways; the first in {} is used",
            first.file.display(),
            database::NAME
        );
        if flags(first) != flags(&unit) && !first.notes.contains(&note) {
            first.notes.push(note);
        }
    }
    kept
}

/// The files of a folder, and the others that its database knows.
fn folder_units(folder: &Path, user_flags: &[String]) -> Result<(Vec<Unit>, Vec<Unit>), CodeError> {
    let (known, path) = match database::place(folder) {
        Some(path) => (Known { own: Database::read(&path)?.entries, others: Vec::new() }, path),
        None => {
            let known = Database::entries_above(folder)?;
            (known.ok_or_else(|| CodeError::NoDatabase(folder.to_owned()))?, folder.to_owned())
        }
    };
    let entries = known.own.iter().filter(|entry| is_c(&entry.file));
    let units = entries
        .map(|entry| entry_unit(entry, &below_here(&entry.file), user_flags))
        .collect::<Result<Vec<_>, _>>()?;
    if units.is_empty() {
        return Err(CodeError::Database { path, message: "it names no C file".to_owned() });
    }
    Ok((units, other_units(&known, user_flags)))
}

/// The ways in which a file is compiled: one, unless a database knows several. And the other files of that database.
fn file_units(file: &Path, user_flags: &[String]) -> Result<(Vec<Unit>, Vec<Unit>), CodeError> {
    if !file.exists() {
        return Err(CodeError::Missing(file.to_owned()));
    }
    if !is_c(file) {
        return Err(CodeError::NotC(file.to_owned()));
    }
    if let Some(known) = Database::entries_above(file)? {
        let own = known.own.iter().map(|entry| entry_unit(entry, file, user_flags));
        return Ok((own.collect::<Result<_, _>>()?, other_units(&known, user_flags)));
    }
    let directory = env::current_dir().map_err(|error| CodeError::io("find", Path::new("."), error))?;
    Ok((vec![unit(file, directory, &[], user_flags)?], Vec::new()))
}

/// The files beside those that are meant, as far as their flags can be used.
fn other_units(known: &Known, user_flags: &[String]) -> Vec<Unit> {
    let others = known.others.iter().filter(|entry| is_c(&entry.file));
    others.filter_map(|entry| entry_unit(entry, &below_here(&entry.file), user_flags).ok()).collect()
}

fn entry_unit(entry: &Entry, file: &Path, user_flags: &[String]) -> Result<Unit, CodeError> {
    unit(file, entry.directory.clone(), &entry.flags, user_flags)
}

fn unit(
    file: &Path,
    directory: PathBuf,
    build_flags: &[String],
    user_flags: &[String],
) -> Result<Unit, CodeError> {
    flags::check_machine(build_flags.iter().chain(user_flags))?;
    let (build, user) = (flags::clean(build_flags), flags::clean(user_flags));
    Ok(Unit {
        file: file.to_owned(),
        directory,
        build_flags: build.kept,
        flags: user.kept,
        notes: [build.notes, user.notes].concat(),
        companion: false,
    })
}

/// A shorter name for a file below the folder we are in.
fn below_here(file: &Path) -> PathBuf {
    let here = env::current_dir().ok();
    here.and_then(|here| file.strip_prefix(here).ok()).unwrap_or(file).to_owned()
}

fn is_c(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "c" || extension == "i")
}
