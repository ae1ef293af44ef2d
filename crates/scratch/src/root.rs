//! Roots: the folder that holds all temporary folders of a process, with a lock that tells whether it lives.

use crate::lock::Lock;
use crate::tree::{remove_but, remove_tree};
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::sleep;
use std::time::Duration;

/// What names of roots begin with.
const PREFIX: &str = "testwright-tmp.";
/// The file in a root that is locked.
const LOCK: &str = "lock";
/// What names of notes in a root begin with.
const NOTE: &str = "note-";

/// A folder for temporary folders; removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    next: AtomicU64,
    /// Its file is removed last: it tells that this is a root.
    lock: Option<Lock>,
}

impl Root {
    pub fn new(parent: &Path) -> io::Result<Root> {
        const ATTEMPTS: usize = 16;
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let path = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?.keep();
            // Another process may take the folder for one that was left behind, as long as it is not locked.
            match Lock::take(&path.join(LOCK)) {
                Ok(Some(lock)) => return Ok(Root { path, next: AtomicU64::new(1), lock: Some(lock) }),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => last = Some(error),
                Err(error) => {
                    let _ = fs::remove_dir(&path);
                    return Err(error);
                }
            }
        }
        Err(last.unwrap_or_else(|| io::Error::other("others keep removing temporary folders")))
    }

    /// A new folder in it.
    pub fn subfolder(&self) -> io::Result<PathBuf> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(number.to_string());
        fs::create_dir(&path)?;
        Ok(path)
    }

    /// Leaves a note in it that this process works at a place elsewhere; where the note is.
    pub fn note(&self, place: &Path) -> io::Result<PathBuf> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("{NOTE}{number}"));
        fs::write(&path, place.as_os_str().as_bytes())?;
        Ok(path)
    }

    /// Removes it while other threads may still use it.
    pub fn remove(&self) {
        if remove_but(&self.path, LOCK).is_ok() {
            let _ = remove_tree(&self.path);
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        match (remove_but(&self.path, LOCK), self.lock.take()) {
            (Err(_), Some(lock)) => lock.leave(),
            (_, lock) => drop(lock),
        }
        let _ = fs::remove_dir(&self.path);
    }
}

/// A root of this process, which others may drop at any time.
#[derive(Debug)]
pub(crate) struct KnownRoot {
    path: PathBuf,
    root: Weak<Root>,
}

impl KnownRoot {
    pub fn of(root: &Arc<Root>) -> KnownRoot {
        KnownRoot { path: root.path.clone(), root: Arc::downgrade(root) }
    }

    /// The root, unless nobody has it any more.
    pub fn living(&self) -> Option<Arc<Root>> {
        self.root.upgrade()
    }

    /// Removes it, or waits a while for the thread that dropped it and may still be removing it: the process must not end before.
    pub fn remove(&self) {
        const ATTEMPTS: usize = 200;
        if let Some(root) = self.living() {
            return root.remove();
        }
        for _ in 0..ATTEMPTS {
            if !self.path.exists() {
                return;
            }
            sleep(Duration::from_millis(10));
        }
    }
}

/// Removes the roots of processes that live no more; the places that these had notes of.
pub(crate) fn clean(parent: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    // The folder of a process belongs to the user it runs as.
    let Ok(user) = fs::metadata("/proc/self").map(|data| data.uid()) else { return places };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_root = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_root && entry.metadata().is_ok_and(|data| data.is_dir() && data.uid() == user) {
            clean_root(&entry.path(), &mut places);
        }
    }
    places
}

fn clean_root(path: &Path, places: &mut Vec<PathBuf>) {
    match Lock::take_over(&path.join(LOCK)) {
        Ok(Some(lock)) => {
            places.extend(notes(path));
            // If something stays, the lock's file must stay too: it tells that this is a root.
            if remove_but(path, LOCK).is_err() {
                return lock.leave();
            }
            drop(lock);
            let _ = fs::remove_dir(path);
        }
        Ok(None) => {}
        // It was not locked yet, or its lock is gone already; then it is empty. Whoever makes it notices.
        Err(_) => _ = fs::remove_dir(path),
    }
}

/// The places that notes in a root name.
fn notes(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let is_note = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(NOTE);
    let read = |entry: fs::DirEntry| fs::read(entry.path()).ok().filter(|bytes| !bytes.is_empty());
    entries.filter(is_note).filter_map(read).map(|bytes| OsString::from_vec(bytes).into()).collect()
}
