//! The files of the repository, each with the views of its text that the rules need.

use super::rust;
use std::fs;
use std::path::Path;

/// Folders of programs under test and of fixtures: they show code as it is, not as we write it.
const FOREIGN: &[&str] = &["testdata/", "subjects/", "examples/"];

/// A file of the repository.
#[derive(Debug)]
pub struct File {
    /// Path from the root of the repository, with forward slashes.
    pub path: String,
    /// Size in bytes.
    pub size: usize,
    /// The text; empty if the file is not UTF-8.
    pub text: String,
    /// The text of a Rust file of ours, taken apart; `None` for all others.
    pub rust: Option<rust::Parts>,
}

impl File {
    /// The file with these contents.
    pub fn new(path: &str, bytes: Vec<u8>) -> File {
        let size = bytes.len();
        let text = String::from_utf8(bytes).unwrap_or_default();
        let ours = path.ends_with(".rs") && !FOREIGN.iter().any(|folder| path.starts_with(folder));
        let rust = ours.then(|| rust::take_apart(&text));
        File { path: path.to_owned(), size, text, rust }
    }

    /// True if the file lies below one of these folders (each named with its slash).
    pub fn is_below(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }

    /// True for test code that has a file of its own.
    pub fn is_test(&self) -> bool {
        let path = &self.path;
        path.starts_with("tests/")
            || path.contains("/tests/")
            || path.contains("/benches/")
            || path.ends_with("/tests.rs")
    }
}

/// All files below `root` that belong to the repository, sorted by path.
pub fn collect(root: &Path) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    collect_folder(root, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn collect_folder(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().map_err(|error| format!("{path}: {error}"))?;
        if kind.is_dir() && !is_output(&entry.path(), &path) {
            collect_folder(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            match fs::read(entry.path()) {
                Ok(bytes) => files.push(File::new(&path, bytes)),
                // An editor or a build may remove its temporary files at any time.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{path}: {error}")),
            }
        }
    }
    Ok(())
}

/// True for folders of things that were made from the repository. Cargo marks its own with a tag.
fn is_output(folder: &Path, path: &str) -> bool {
    path == ".git"
        || path == "build"
        || path == "target"
        || path.starts_with("testwright.out")
        || folder.join("CACHEDIR.TAG").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rust_files_of_ours_are_taken_apart() {
        for (path, ours) in [
            ("crates/base/src/lib.rs", true),
            ("xtask/src/main.rs", true),
            ("testdata/odd.rs", false),
            ("subjects/search/ring.rs", false),
            ("README.md", false),
        ] {
            assert_eq!(File::new(path, b"fn f() {}".to_vec()).rust.is_some(), ours, "{path}");
        }
    }

    #[test]
    fn test_code_is_known_by_its_place() {
        for (path, test) in [
            ("crates/exec/tests/crash.rs", true),
            ("crates/exec/src/batch/tests.rs", true),
            ("crates/exec/src/tests_of_time.rs", false),
        ] {
            assert_eq!(File::new(path, Vec::new()).is_test(), test, "{path}");
        }
    }

    #[test]
    fn the_files_of_this_repository_are_found_and_its_build_folder_is_not() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask has a parent");
        let files = collect(root).expect("the repository can be read");
        assert!(files.iter().any(|file| file.path == "xtask/src/tidy/file.rs"));
        assert!(files.iter().any(|file| file.path == "Cargo.toml"));
        assert!(!files.iter().any(|file| file.is_below(&["target/", ".git/"])));
        assert!(files.is_sorted_by(|a, b| a.path < b.path));
    }
}
