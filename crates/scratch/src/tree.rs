//! Trees of files: removed whole, also while others still write there.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// Removes a folder with all it holds. It may be gone already, folders in it may be closed to their owner, and others
/// may still write there.
///
/// # Errors
/// If something cannot be removed.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    insist(|| {
        let removed = match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                open_up(folder);
                fs::remove_dir_all(folder)
            }
            other => other,
        };
        match removed {
            // Another thread has removed something in it at the same time, and may not come to the rest.
            Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(folder).is_ok() => {
                Err(ErrorKind::DirectoryNotEmpty.into())
            }
            other => gone_is_fine(other),
        }
    })
}

/// Removes everything in a folder.
///
/// # Errors
/// If something cannot be removed.
pub fn empty(folder: &Path) -> io::Result<()> {
    remove_but(folder, "")
}

/// Removes everything in a folder but one file.
///
/// # Errors
/// If something cannot be removed.
pub fn remove_but(folder: &Path, kept: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == kept {
            continue;
        }
        if entry.file_type()?.is_dir() {
            remove_tree(&entry.path())?;
        } else {
            gone_is_fine(fs::remove_file(entry.path()))?;
        }
    }
    Ok(())
}

/// Tries again for about a second while folders do not get empty: processes that are about to end put files there.
fn insist(remove: impl Fn() -> io::Result<()>) -> io::Result<()> {
    const ATTEMPTS: u32 = 100;
    for _ in 1..ATTEMPTS {
        match remove() {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => sleep(Duration::from_millis(10)),
            other => return other,
        }
    }
    remove()
}

pub(crate) fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Lets the owner into all folders of a tree: code under test may have closed them.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
