//! The rest of a project: C files that are not at hand, in which names of the config file may occur.
//!
//! One `testwright.toml` serves a whole project, so it states things about functions, types and stubs that the code at hand
//! does not have. The project is what lies below the folder of the config file, and what the compilation database knows.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};
use testwright_base::nearest;
use testwright_base::subject::Subject;
use testwright_code::frontend::Sources;

/// Folders with more files than this are searched in part only: a config file may lie in a home folder.
const MOST_FILES: usize = 20_000;
/// A folder with such a file is a suite, which mentions only what it tests.
const MANIFEST: &str = "testwright.manifest";

/// The C files of a project, read when somebody asks about them.
#[derive(Debug, Default)]
pub struct Project {
    folder: Option<PathBuf>,
    /// Files that the compilation database knows.
    known: Vec<PathBuf>,
    files: OnceCell<BTreeMap<PathBuf, BTreeSet<String>>>,
}

impl Project {
    /// What lies below a folder, and what is known beside these sources.
    pub fn new(folder: &Path, sources: &Sources) -> Project {
        let known = sources.all_units().map(|unit| unit.file.clone()).collect();
        Project { folder: fs::canonicalize(folder).ok(), known, files: OnceCell::new() }
    }

    /// Whether there are sources besides those of the subject. Headers alone make no project.
    pub fn goes_beyond(&self, subject: &Subject) -> bool {
        self.others(subject).any(|(path, _)| has_extension(path, "c"))
    }

    /// Whether a file that is not at hand mentions a name.
    pub fn mentions(&self, subject: &Subject, name: &str) -> bool {
        self.others(subject).any(|(_, words)| words.contains(name))
    }

    /// Whether there is a file at the end of whose path this stands.
    pub fn has_file(&self, file: &str) -> bool {
        self.files().keys().any(|path| path.ends_with(file))
    }

    /// The name that may have been meant: of a function or stub at hand, or any in the other files.
    pub fn nearest(&self, subject: &Subject, name: &str) -> Option<String> {
        let functions = subject.functions.iter().filter(|function| function.is_named());
        let functions = functions.map(|function| function.name.as_str());
        let at_hand = functions.chain(subject.stubs.iter().map(|stub| stub.name.as_str()));
        let elsewhere = || self.others(subject).flat_map(|(_, words)| words.iter().map(String::as_str));
        nearest::nearest(name, at_hand).or_else(|| nearest::nearest(name, elsewhere())).map(str::to_owned)
    }

    fn others<'a>(
        &'a self,
        subject: &Subject,
    ) -> impl Iterator<Item = (&'a PathBuf, &'a BTreeSet<String>)> + use<'a> {
        let at_hand: BTreeSet<PathBuf> =
            subject.files.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
        self.files().iter().filter(move |(path, _)| !at_hand.contains(*path))
    }

    fn files(&self) -> &BTreeMap<PathBuf, BTreeSet<String>> {
        self.files.get_or_init(|| {
            let mut paths: BTreeSet<PathBuf> =
                self.known.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
            let mut left = MOST_FILES;
            if let Some(folder) = &self.folder {
                add_files(folder, &mut left, &mut paths);
            }
            let read = |path: PathBuf| {
                let words = words(&fs::read(&path).ok()?);
                Some((path, words))
            };
            paths.into_iter().filter_map(read).collect()
        })
    }
}

/// Adds the C files below a folder. Hidden folders, suites and what links lead to are no part of a project.
fn add_files(folder: &Path, left: &mut usize, paths: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !is_hidden && !path.join(MANIFEST).exists() {
            add_files(&path, left, paths);
        } else if kind.is_file() && ["c", "h"].iter().any(|extension| has_extension(&path, extension)) {
            paths.insert(path);
        }
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// The names in a C text, those in comments among them: what is mentioned anywhere was hardly misspelt.
fn words(text: &[u8]) -> BTreeSet<String> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let parts = text.split(|byte| !is_word(*byte));
    let names = parts.filter(|part| part.first().is_some_and(|first| !first.is_ascii_digit()));
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The config file of this name in the folder of a target or the nearest one above it, as far as its repository reaches.
pub fn config_above(target: &Path, name: &str) -> Option<PathBuf> {
    let start = fs::canonicalize(target).ok()?;
    for folder in start.ancestors().filter(|folder| folder.is_dir()) {
        let path = folder.join(name);
        if path.is_file() {
            let here = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
            return Some(path.strip_prefix(here).map(Path::to_owned).unwrap_or(path));
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    None
}
