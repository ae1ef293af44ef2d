//! Claims: a place outside the temporary folders that one process works at.
//!
//! A claim is a lock and a folder of a fixed name to work in, both beside the place. A note in the process's root
//! names the place, so that a later process can look after it if this one is killed.

use crate::lock::Lock;
use crate::root::Root;
use crate::tree::remove_tree;
use crate::{root_in, state};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, io};

/// A place that this process has for itself. Dropped, it is free, and the folder beside it is gone.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    note: PathBuf,
    lock: Option<Lock>,
    _root: Arc<Root>,
}

/// What is removed if the process ends before the claim is dropped.
#[derive(Debug)]
pub(crate) struct Claimed {
    folder: PathBuf,
    lock: PathBuf,
    /// Folders that were made for it, the outermost first; removed if nothing else came into them.
    made: Vec<PathBuf>,
}

impl Claimed {
    pub fn remove(&self) {
        let _ = remove_tree(&self.folder);
        // The lock goes last: until then nobody else works here.
        let _ = fs::remove_file(&self.lock);
        self.remove_made();
    }

    fn remove_made(&self) {
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

impl Claim {
    /// Claims a place with the file `lock`, to work in `folder`, which need not exist; `None` if another process has
    /// it. The folders that the lock's file lies in are made if need be.
    ///
    /// # Errors
    /// If the lock cannot be made, or everything was removed because the process ends.
    pub fn take(place: &Path, lock: &Path, folder: &Path) -> io::Result<Option<Claim>> {
        let root = root_in(&env::temp_dir())?;
        let mut state = state();
        state.check()?;
        let above = lock.parent().unwrap_or(Path::new("/"));
        let missing: Vec<&Path> = above.ancestors().take_while(|folder| !folder.exists()).collect();
        let made: Vec<PathBuf> = missing.into_iter().rev().map(Path::to_owned).collect();
        let claimed = Claimed { folder: folder.to_owned(), lock: lock.to_owned(), made };
        // The note comes first: whatever is left behind from now on is found.
        let note = root.note(place)?;
        match fs::create_dir_all(above).and_then(|()| Lock::take(lock)) {
            Ok(Some(lock)) => {
                state.claims.push(claimed);
                Ok(Some(Claim { folder: folder.to_owned(), note, lock: Some(lock), _root: root }))
            }
            other => {
                claimed.remove_made();
                let _ = fs::remove_file(note);
                other.map(|_| None)
            }
        }
    }

    /// The folder to work in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Does something that a signal must not cut in two: [`remove_all`](crate::remove_all) waits for its end.
    ///
    /// # Errors
    /// If everything was removed because the process ends.
    pub fn undivided<T>(&self, act: impl FnOnce() -> T) -> io::Result<T> {
        let state = state();
        state.check()?;
        Ok(act())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = state();
        let Some(index) = state.claims.iter().position(|claimed| claimed.folder == self.folder) else {
            return;
        };
        let claimed = state.claims.remove(index);
        let _ = remove_tree(&claimed.folder);
        let _ = fs::remove_file(&self.note);
        self.lock = None;
        claimed.remove_made();
    }
}
