//! The compilation database: which flags the build system gives to which file.

use super::command::split;
use super::response;
use crate::error::CodeError;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of the file that holds it.
pub const NAME: &str = "compile_commands.json";

/// The folder in which build systems usually work.
const BUILD: &str = "build";

/// Programs that stand before the compiler in a command.
const LAUNCHERS: &[&str] = &["ccache", "sccache", "distcc", "icecc", "env", "libtool"];

/// The entries of a compilation database.
#[derive(Debug)]
pub struct Database {
    /// One per source.
    pub entries: Vec<Entry>,
}

/// How one source is compiled.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The source, absolute.
    pub file: PathBuf,
    /// Where the compiler is started, absolute.
    pub directory: PathBuf,
    /// The arguments of the compiler, as they stand there.
    pub flags: Vec<String>,
}

/// What a database knows of a file.
pub struct Known {
    /// Its entries; several if the build compiles it in several ways.
    pub own: Vec<Entry>,
    /// Those of other files.
    pub others: Vec<Entry>,
}

#[derive(Deserialize)]
struct Record {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Database {
    /// Reads a database.
    ///
    /// # Errors
    /// If it is no list of entries with `directory`, `file` and either `command` or `arguments`.
    pub fn read(path: &Path) -> Result<Database, CodeError> {
        let text = fs::read(path).map_err(|error| CodeError::io("read", path, error))?;
        let wrong = |message: String| CodeError::Database { path: path.to_owned(), message };
        let records: Vec<Record> = serde_json::from_slice(&text)
            .map_err(|error| wrong(format!("not a compilation database: {error}")))?;
        let folder = std::path::absolute(path).map_err(|error| CodeError::io("find", path, error))?;
        let folder = folder.parent().unwrap_or(Path::new("/"));
        let mut entries = Vec::new();
        for record in records {
            let directory = folder.join(&record.directory);
            let file = directory.join(&record.file);
            let words = match (record.arguments, record.command) {
                (Some(arguments), _) => arguments,
                (None, Some(command)) => split(&command),
                (None, None) => {
                    return Err(wrong(format!("no command for {}", record.file.display())));
                }
            };
            let flags = response::expand(without_compiler(words), &directory);
            entries.push(Entry { file: straight(&file), directory, flags });
        }
        Ok(Database { entries })
    }

    /// The entries for a file, or for all files below a folder, in the nearest database above it that knows any, and the others
    /// there. None if no database does.
    ///
    /// # Errors
    /// If there is a database that cannot be read.
    pub fn entries_above(target: &Path) -> Result<Option<Known>, CodeError> {
        let target = std::path::absolute(target).map_err(|error| CodeError::io("find", target, error))?;
        let wanted = identity(&target);
        for path in target.ancestors().skip(1).filter_map(place) {
            let entries = Database::read(&path)?.entries.into_iter();
            let (own, others): (Vec<Entry>, Vec<Entry>) =
                entries.partition(|entry| identity(&entry.file).starts_with(&wanted));
            if !own.is_empty() {
                return Ok(Some(Known { own, others }));
            }
        }
        Ok(None)
    }
}

/// Where the database of a folder lies: in it, or where build systems put it.
pub fn place(folder: &Path) -> Option<PathBuf> {
    [folder.join(NAME), folder.join(BUILD).join(NAME)].into_iter().find(|path| path.is_file())
}

/// What all names of a file have in common.
pub fn identity(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

/// The name of a file without `..` in it, if there is such a file.
fn straight(file: &Path) -> PathBuf {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return file.to_owned() };
    folder.canonicalize().map_or_else(|_| file.to_owned(), |folder| folder.join(name))
}

/// The arguments after the compiler's name, and after that of a launcher before it.
fn without_compiler(words: Vec<String>) -> Vec<String> {
    let is_launcher = |word: &String| {
        Path::new(word).file_name().is_some_and(|name| LAUNCHERS.iter().any(|launcher| name == *launcher))
    };
    let before = words.iter().take_while(|word| is_launcher(word)).count();
    words.into_iter().skip(before + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, &[&str])]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        fs::write(&path, text).unwrap();
        let expected: Vec<Entry> = expected
            .iter()
            .map(|(file, directory, flags)| Entry {
                file: folder.path().join(file),
                directory: folder.path().join(directory),
                flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            })
            .collect();
        assert_eq!(Database::read(&path).unwrap().entries, expected);
    }

    #[test]
    fn entries_with_a_command_are_split() {
        check(
            r#"[{"directory": "/b", "file": "a.c", "command": "ccache gcc -DX=\"1 2\" -c a.c"}]"#,
            &[("/b/a.c", "/b", &["-DX=1 2", "-c", "a.c"])],
        );
    }

    #[test]
    fn entries_with_arguments_are_taken_as_they_are() {
        check(
            r#"[{"directory": "build", "file": "/s/a.c", "arguments": ["cc", "-I", "x y", "/s/a.c"], "output": "a.o"}]"#,
            &[("/s/a.c", "build", &["-I", "x y", "/s/a.c"])],
        );
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        fs::write(&path, text).unwrap();
        let message = Database::read(&path).unwrap_err().to_string();
        assert_eq!(message.replace(&format!("{}/", folder.path().display()), ""), expected);
    }

    #[test]
    fn what_is_no_database_is_refused() {
        check_refused(
            "{}",
            "compile_commands.json: not a compilation database: invalid type: map, expected a sequence at line 1 \
             column 0",
        );
        check_refused(r#"[{"directory": "/b", "file": "a.c"}]"#, "compile_commands.json: no command for a.c");
    }
}
