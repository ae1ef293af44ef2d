//! Names of files as the user knows them.
//!
//! The compiler splits a name into directory and rest as it likes, so both are joined and compared with the files
//! that the user named; other files are named from the folder we are in, or absolutely.

use std::collections::HashMap;
use std::env;
use std::path::{Component, Path, PathBuf};

/// Names of files as the user knows them.
#[derive(Debug)]
pub struct FileNames {
    here: PathBuf,
    /// By absolute name.
    named: HashMap<PathBuf, String>,
    /// Answers given before, by directory and file.
    known: HashMap<(String, String), String>,
}

impl FileNames {
    /// The names for a user who named these files.
    #[must_use]
    pub fn new(files: &[String]) -> FileNames {
        FileNames::seen_from(env::current_dir().unwrap_or_default(), files)
    }

    fn seen_from(here: PathBuf, files: &[String]) -> FileNames {
        let named = files.iter().map(|file| (straight(&here.join(file)), file.clone())).collect();
        FileNames { here, named, known: HashMap::new() }
    }

    /// The name of the file that the compiler calls so.
    pub fn name(&mut self, directory: &str, file: &str) -> String {
        let key = (directory.to_owned(), file.to_owned());
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let path = straight(&self.here.join(directory).join(file));
        let name = match self.named.get(&path) {
            Some(name) => name.clone(),
            None => path.strip_prefix(&self.here).unwrap_or(&path).display().to_string(),
        };
        self.known.insert(key, name.clone());
        name
    }
}

/// The path without `.` and `..`, as far as that is possible without looking at the disk.
fn straight(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(directory: &str, file: &str, expected: &str) {
        let files = ["./src/a.c".to_owned(), "/elsewhere/b.c".to_owned(), "../up.c".to_owned()];
        let mut names = FileNames::seen_from(PathBuf::from("/home/me"), &files);
        assert_eq!(names.name(directory, file), expected);
        assert_eq!(names.name(directory, file), expected, "the second time");
    }

    #[test]
    fn files_that_were_named_keep_their_name() {
        check("/home/me", "src/a.c", "./src/a.c");
        check("/home", "me/src/a.c", "./src/a.c");
        check("/", "/home/me/src/a.c", "./src/a.c");
        check("/elsewhere", "b.c", "/elsewhere/b.c");
        check("/home", "up.c", "../up.c");
    }

    #[test]
    fn other_files_are_named_from_here_or_absolutely() {
        check("/home/me/build", "../include/x.h", "include/x.h");
        check("/usr/include", "stdio.h", "/usr/include/stdio.h");
    }
}
