//! Temporary folders that go away with their process, however it ends.
//!
//! ```text
//! /tmp/testwright-tmp.Xy12ab/    one per process and place, the *root*
//!     lock                       locked as long as the process lives
//!     1/  2/  ..                 the folders that were asked for
//! ```
//!
//! A folder is removed when its value is dropped, the root with the last one. Whoever ends the process on a signal
//! calls [`remove_all`] before. What a killed process leaves behind is recognised by its lock, which nobody holds any
//! more; the next process that calls [`clean`] removes it.
//!
//! Limits: a process that is killed while it makes or removes a root may leave an empty folder, which is removed in
//! the same way. A file system without locks keeps what killed processes leave there.
#![forbid(unsafe_code)]

mod claim;
mod lock;
mod root;
mod tree;

pub use claim::Claim;
pub use lock::Lock;
pub use tree::{empty, remove_but, remove_tree};

use claim::Claimed;
use root::{KnownRoot, Root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{env, io};

/// A temporary folder; removed when this is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Keeps the folder above it.
    _root: Arc<Root>,
}

impl Folder {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If it cannot be removed now, the root may still be, or the next process does it.
        let _ = remove_tree(&self.path);
    }
}

/// What a process has to remove at its end.
#[derive(Debug, Default)]
struct State {
    /// The roots, by the folder they lie in.
    roots: BTreeMap<PathBuf, KnownRoot>,
    /// Places elsewhere.
    claims: Vec<Claimed>,
    /// Set when everything was removed for good.
    ended: bool,
}

static STATE: Mutex<State> = Mutex::new(State { roots: BTreeMap::new(), claims: Vec::new(), ended: false });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An empty temporary folder.
///
/// # Errors
/// If it cannot be made, or everything was removed because the process ends.
pub fn folder() -> io::Result<Folder> {
    folder_in(&env::temp_dir())
}

/// An empty temporary folder within this one, on the same file system.
///
/// # Errors
/// As [`folder`].
pub fn folder_in(parent: &Path) -> io::Result<Folder> {
    let root = root_in(parent)?;
    let path = root.subfolder()?;
    Ok(Folder { path, _root: root })
}

fn root_in(parent: &Path) -> io::Result<Arc<Root>> {
    let parent = std::path::absolute(parent)?;
    let mut state = state();
    state.check()?;
    if let Some(root) = state.roots.get(&parent).and_then(KnownRoot::living) {
        return Ok(root);
    }
    let root = Arc::new(Root::new(&parent)?);
    state.roots.insert(parent, KnownRoot::of(&root));
    Ok(root)
}

impl State {
    fn check(&self) -> io::Result<()> {
        if self.ended { Err(io::Error::other("this process is about to end")) } else { Ok(()) }
    }
}

/// Removes what killed processes of this user left behind in a folder, and returns the places that they had claimed.
/// What cannot be removed is left for the next time.
#[must_use = "somebody should look after the places"]
pub fn clean(parent: &Path) -> Vec<PathBuf> {
    root::clean(parent)
}

/// Removes everything temporary of this process. Nothing can be made afterwards, so other threads may still be running.
pub fn remove_all() {
    let mut state = state();
    state.ended = true;
    for claimed in state.claims.drain(..) {
        claimed.remove();
    }
    state.roots.values().for_each(KnownRoot::remove);
}

#[cfg(test)]
mod tests;
