//! Sources: what the user named, resolved to files with their flags.

use super::clang::Clang;
use super::compile::OPTIONS;
use super::database::{self, Database, Entry};
use super::flags;
use crate::cache::{Key, KeyBuilder};
use crate::error::CodeError;
use std::env;
use std::path::{Path, PathBuf};

/// The C files of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// One per file.
    pub units: Vec<Unit>,
}

/// A C file and how it is compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The file, as the user named it or below the folder we are in; relative to that folder or absolute.
    pub file: PathBuf,
    /// Where the compiler is started; absolute.
    pub directory: PathBuf,
    /// The flags of the build system, cleaned; those that only another compiler knows do no harm.
    pub build_flags: Vec<String>,
    /// The flags of the user, cleaned.
    pub flags: Vec<String>,
    /// What the user should know about flags that were left out.
    pub notes: Vec<String>,
}

/// Variables of the environment that change what clang includes.
const ENVIRONMENT: &[&str] = &["CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"];

impl Sources {
    /// The files as the user knows them.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.units.iter().map(|unit| unit.file.display().to_string()).collect()
    }

    /// What the result of compiling depends on, apart from the contents of the files; `options` are the caller's.
    #[must_use]
    pub fn key(&self, clang: &Clang, options: &[&str]) -> Key {
        let mut key = KeyBuilder::new().file(&clang.path).text(&clang.version).list(OPTIONS).list(options);
        for name in ENVIRONMENT {
            key = key.text(&env::var_os(name).unwrap_or_default().to_string_lossy());
        }
        for unit in &self.units {
            key = key.path(&unit.file).path(&unit.directory).list(&unit.build_flags).list(&unit.flags);
        }
        key.finish()
    }
}

/// The sources that the user means: files, or a folder with a compilation database. The database in a folder above
/// a file gives the file's flags; `user_flags` come after those.
///
/// # Errors
/// If a target does not exist or is not C, or a database or flag cannot be used.
pub fn resolve(targets: &[PathBuf], user_flags: &[String]) -> Result<Sources, CodeError> {
    let mut units = Vec::new();
    for target in targets {
        if target.is_dir() {
            units.extend(folder_units(target, user_flags)?);
        } else {
            units.push(file_unit(target, user_flags)?);
        }
    }
    let mut seen = std::collections::HashSet::new();
    units.retain(|unit| seen.insert(std::path::absolute(&unit.file).ok()));
    Ok(Sources { units })
}

fn folder_units(folder: &Path, user_flags: &[String]) -> Result<Vec<Unit>, CodeError> {
    let path = folder.join(database::NAME);
    if !path.is_file() {
        return Err(CodeError::NoDatabase(folder.to_owned()));
    }
    let database = Database::read(&path)?;
    let entries = database.entries.iter().filter(|entry| is_c(&entry.file));
    let units = entries
        .map(|entry| entry_unit(entry, &below_here(&entry.file), user_flags))
        .collect::<Result<Vec<_>, _>>()?;
    if units.is_empty() {
        return Err(CodeError::Database { path, message: "it names no C file".to_owned() });
    }
    Ok(units)
}

fn file_unit(file: &Path, user_flags: &[String]) -> Result<Unit, CodeError> {
    if !file.exists() {
        return Err(CodeError::Missing(file.to_owned()));
    }
    if !is_c(file) {
        return Err(CodeError::NotC(file.to_owned()));
    }
    if let Some(database) = Database::above(file)?
        && let Some(entry) = database.entry(file)
    {
        return entry_unit(entry, file, user_flags);
    }
    let directory = env::current_dir().map_err(|error| CodeError::io("find", Path::new("."), error))?;
    unit(file, directory, &[], user_flags)
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
