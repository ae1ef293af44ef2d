//! Single files that the user names for us to write: never in place of something else.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// What a log of steps begins with.
pub const STEPS: &str = "{\"bidders\"";
/// What a plot begins with.
pub const PLOT: &str = "<svg ";
/// What a query begins with.
pub const QUERY: &str = "(set-logic";

/// A new file, or the place of an earlier one of the same kind, which begins like this. Its folder is made if need be.
pub fn create(path: &Path, beginning: &str) -> Result<File, Failure> {
    check(path, beginning)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(path));
    made.map_err(|error| cannot_write(path, &error.to_string()))
}

/// Writes a text to such a file.
pub fn write(path: &Path, beginning: &str, text: &str) -> Result<(), Failure> {
    create(path, beginning)?
        .write_all(text.as_bytes())
        .map_err(|error| cannot_write(path, &error.to_string()))
}

/// Refuses to write to this path if something else is there: a file that begins otherwise, a folder, a disk. Pipes and
/// terminals have nothing to lose.
pub fn check(path: &Path, beginning: &str) -> Result<(), Failure> {
    let Ok(data) = fs::metadata(path) else { return Ok(()) };
    let kind = data.file_type();
    if kind.is_fifo() || kind.is_char_device() || (kind.is_file() && data.len() == 0) {
        return Ok(());
    }
    if !kind.is_file() {
        return Err(cannot_write(path, "it is not a plain file"));
    }
    let mut found = Vec::new();
    let read = File::open(path).and_then(|file| file.take(beginning.len() as u64).read_to_end(&mut found));
    match read {
        Ok(_) if found == beginning.as_bytes() => Ok(()),
        Ok(_) => Err(cannot_write(path, "there is a file that Testwright did not write; name another one")),
        Err(error) => Err(cannot_write(path, &error.to_string())),
    }
}

fn cannot_write(path: &Path, why: &str) -> Failure {
    Failure::usage(format!("cannot write {}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_same_kind_are_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refused =
            |path: &Path| create(path, PLOT).err().map(|failure| failure.message).unwrap_or_default();
        for (name, text) in [("empty", ""), ("plot", "<svg viewBox='0 0 1 1'/>")] {
            fs::write(path(name), text).unwrap();
            assert_eq!(refused(&path(name)), "", "{name}");
        }
        assert_eq!(refused(&path("deep/new.svg")), "");
        assert_eq!(refused(Path::new("/dev/null")), "");
        for text in ["int x;\n", "<", "<sv"] {
            fs::write(path("mine"), text).unwrap();
            assert!(refused(&path("mine")).contains("did not write"), "{text}");
            assert_eq!(fs::read_to_string(path("mine")).unwrap(), text);
        }
        assert!(refused(folder.path()).contains("not a plain file"));
        assert!(refused(&path("mine/below")).contains("cannot write"));
    }
}
