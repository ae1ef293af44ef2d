//! Replacing a suite by a new one, so that the old or the new one is whole whenever this program is killed.
//!
//! One system call exchanges the two folders. Where the file system cannot do that, two renames do, and whoever claims the place next
//! ends what was begun.

use super::manifest;
use std::path::Path;
use std::{fs, io};
use testwright_exec::exchange;

/// Puts `new` in the place of `folder`, and that in the place of `old`, which may be missing. Whatever was there is
/// ours. All three are in one folder.
pub fn replace(new: &Path, folder: &Path, old: &Path) -> io::Result<()> {
    match exchange(new, folder) {
        Err(error) if is_unknown(&error) => replace_in_steps(new, folder, old),
        Err(error) => Err(error),
        // The previous suite has changed places with the new one.
        Ok(()) => keep(new, old).or_else(|error| exchange(new, folder).and(Err(error))),
    }
}

/// Some file systems cannot exchange names.
fn is_unknown(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

/// Puts the previous suite in the place of `old`, and removes what was there.
fn keep(previous: &Path, old: &Path) -> io::Result<()> {
    if !old.exists() {
        return fs::rename(previous, old);
    }
    exchange(previous, old)?;
    // Whoever claims this place next removes what is left.
    let _ = manifest::remove_suite(previous);
    Ok(())
}

/// For a moment there is no suite at `folder`, but the previous one at `old` and the new one at `new`. Whoever claims
/// this place next ends what was begun.
fn replace_in_steps(new: &Path, folder: &Path, old: &Path) -> io::Result<()> {
    manifest::remove_suite(old)?;
    fs::rename(folder, old)?;
    fs::rename(new, folder).or_else(|error| fs::rename(old, folder).and(Err(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(folder: &Path, text: &str) {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("Makefile"), text).unwrap();
        manifest::finish(folder, Vec::new()).unwrap();
    }

    fn text(folder: &Path) -> String {
        fs::read_to_string(folder.join("Makefile")).unwrap_or_default()
    }

    #[test]
    fn the_previous_suite_is_kept_whichever_way_it_is_replaced() {
        for replace in [replace, replace_in_steps] {
            let above = tempfile::tempdir().unwrap();
            let path = |name: &str| above.path().join(name);
            suite(&path("out"), "first");
            for (number, (text_of_old, text_of_new)) in
                [("first", "second"), ("second", "third")].into_iter().enumerate()
            {
                suite(&path("new"), text_of_new);
                replace(&path("new"), &path("out"), &path("out.old")).unwrap();
                assert_eq!(
                    (text(&path("out.old")), text(&path("out"))),
                    (text_of_old.to_owned(), text_of_new.to_owned())
                );
                assert!(!path("new").exists(), "{number}");
            }
        }
    }

    #[test]
    fn a_previous_suite_that_cannot_be_kept_stays_where_it_is() {
        let above = tempfile::tempdir().unwrap();
        let path = |name: &str| above.path().join(name);
        suite(&path("out"), "first");
        suite(&path("new"), "second");
        assert!(replace(&path("new"), &path("out"), &path("none/out.old")).is_err());
        assert_eq!((text(&path("out")), text(&path("new"))), ("first".to_owned(), "second".to_owned()));
    }
}
