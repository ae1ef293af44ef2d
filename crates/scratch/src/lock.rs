//! Locks: a file that one process holds as long as it lives.
//!
//! The file is removed by its holder, so a process may have opened a file that is gone when it gets the lock. Such a
//! lock protects nothing; it is noticed because the name leads to another file or to none.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A lock that this process holds. Dropped, it is free again, and its file is gone.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The system frees the lock when the file is closed.
    file: Option<File>,
}

impl Lock {
    /// The lock with this file, which is made if need be; `None` if somebody else holds it.
    ///
    /// # Errors
    /// If the file cannot be made or locked.
    pub fn take(path: &Path) -> io::Result<Option<Lock>> {
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
            if let Some(taken) = Lock::of(file, path)? {
                return Ok(taken);
            }
        }
    }

    /// The lock with this file if it is there and nobody holds it.
    pub(crate) fn take_over(path: &Path) -> io::Result<Option<Lock>> {
        let file = OpenOptions::new().write(true).open(path)?;
        Ok(Lock::of(file, path)?.flatten())
    }

    /// Frees it without removing its file.
    pub(crate) fn leave(mut self) {
        self.file = None;
    }

    /// The outer `None` says that the file is gone.
    fn of(file: File, path: &Path) -> io::Result<Option<Option<Lock>>> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Some(None)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let own = file.metadata()?;
        let is_there =
            fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino()));
        Ok(is_there.then(|| Some(Lock { path: path.to_owned(), file: Some(file) })))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still held: nobody can get it in between.
        if self.file.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_holds_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path).unwrap().expect("nobody holds it");
        assert!(Lock::take(&path).unwrap().is_none());
        assert!(Lock::take_over(&path).unwrap().is_none());
        drop(first);
        assert!(!path.exists());
        assert!(Lock::take(&path).unwrap().is_some());
    }

    #[test]
    fn a_file_that_nobody_holds_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "").unwrap();
        assert!(Lock::take_over(&path).unwrap().is_some());
        assert!(Lock::take_over(&path).is_err(), "the file went with the lock");
    }

    #[test]
    fn a_lock_on_a_file_that_is_gone_protects_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let opened = File::create(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(Lock::of(opened, &path).unwrap().is_none());
        let opened = File::create(&path).unwrap();
        fs::rename(&path, folder.path().join("other")).unwrap();
        fs::write(&path, "").unwrap();
        assert!(Lock::of(opened, &path).unwrap().is_none(), "another file has the name");
    }
}
