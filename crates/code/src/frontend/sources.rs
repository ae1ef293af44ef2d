//! Sources: what the user named, resolved to files with their flags.

use std::path::PathBuf;

/// The files of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// One per file.
    pub units: Vec<Unit>,
    /// The other files of the project, as far as it is known: some of them may define what these call.
    pub neighbours: Vec<Unit>,
    /// Whether what the others define is left missing all the same.
    pub alone: bool,
}

/// A file and how it is compiled.
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
    /// Whether it was not named, but defines what the named ones call.
    pub companion: bool,
}

/// The flags of a unit as they were used, for its tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// The flags. Relative paths lead from the folder of the unit.
    pub flags: Vec<String>,
    /// What the user should know about those that were left out.
    pub notes: Vec<String>,
}

impl Sources {
    /// The files as the user knows them.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.units.iter().map(|unit| unit.file.display().to_string()).collect()
    }

    /// All files that these may be compiled from.
    pub fn all_units(&self) -> impl Iterator<Item = &Unit> {
        self.units.iter().chain(&self.neighbours)
    }
}
