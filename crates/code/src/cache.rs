//! The cache: what was built before, found again by everything it was built from.
//!
//! An entry is a folder named by the hash of what is known before building (our version, the compiler, the files'
//! names, flags and options). It holds named blobs and a manifest with all files that were read when it was built;
//! it is valid only while these are unchanged. A header that appears in an earlier include folder is not noticed.
//!
//! Entries appear whole, by renaming a folder. Whatever is wrong with one makes it look absent.

use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use std::{env, iter};
use testwright_scratch::Folder;

mod key;

pub use key::{Key, KeyBuilder};

/// The name of the list of contents in an entry's folder.
const MANIFEST: &str = "manifest.json";
/// No more entries are kept.
const MOST_ENTRIES: usize = 500;
/// No more bytes are kept.
const MOST_BYTES: u64 = 2 << 30;
/// A file that changed less than this before it was hashed could change again without a new time stamp.
const SETTLED: Duration = Duration::from_secs(2);

/// Where built things are kept.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    most_entries: usize,
    /// Without a home, the cache lives as long as this process.
    temporary: Option<Arc<Folder>>,
}

/// Something that was built before, or just now.
#[derive(Debug, Clone)]
pub struct Entry {
    folder: PathBuf,
    /// Keeps a temporary cache alive.
    _temporary: Option<Arc<Folder>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    dependencies: Vec<Dependency>,
    blobs: Vec<(String, u64)>,
}

/// A file that was read, and how it was.
#[derive(Debug, Serialize, Deserialize)]
struct Dependency {
    path: PathBuf,
    size: u64,
    /// Seconds and nanoseconds of the last change; none if that was too recent to be trusted.
    changed: Option<(i64, i64)>,
    hash: String,
}

impl Cache {
    /// The user's cache: `$TESTWRIGHT_CACHE`, else `$XDG_CACHE_HOME/testwright`, else `~/.cache/testwright`. Where
    /// none of these can be written, a temporary one.
    ///
    /// # Errors
    /// If not even a temporary folder can be made.
    pub fn open() -> io::Result<Cache> {
        let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let chosen = named("TESTWRIGHT_CACHE")
            .or_else(|| named("XDG_CACHE_HOME").map(|folder| folder.join("testwright")))
            .or_else(|| named("HOME").map(|folder| folder.join(".cache/testwright")));
        if let Some(cache) = chosen.and_then(|folder| Cache::at(&folder).ok()) {
            return Ok(cache);
        }
        let temporary = testwright_scratch::folder()?;
        let mut cache = Cache::at(temporary.path())?;
        cache.temporary = Some(Arc::new(temporary));
        Ok(cache)
    }

    /// The cache in this folder, which is made if need be. Nobody else may write there: what is in it gets run.
    ///
    /// # Errors
    /// If the folder cannot be made or written.
    pub fn at(folder: &Path) -> io::Result<Cache> {
        let folder = std::path::absolute(folder)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        // Nobody claims a place from here; what is left behind are folders on their way in or out.
        let _ = testwright_scratch::clean(&folder);
        testwright_scratch::folder_in(&folder)?;
        Ok(Cache { folder, most_entries: MOST_ENTRIES, temporary: None })
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was built for this key, if it is whole and every file it was built from is unchanged.
    #[must_use]
    pub fn entry(&self, key: &Key) -> Option<Entry> {
        let folder = self.folder.join(key.as_str());
        let manifest = File::open(folder.join(MANIFEST)).ok()?;
        // The time stamp of the manifest says when the entry was last used.
        let _ = manifest.set_modified(SystemTime::now());
        let manifest: Manifest = serde_json::from_reader(io::BufReader::new(manifest)).ok()?;
        let whole =
            |(name, size): &(String, u64)| folder.join(name).metadata().is_ok_and(|data| data.len() == *size);
        let valid =
            manifest.blobs.iter().all(whole) && manifest.dependencies.iter().all(Dependency::is_unchanged);
        valid.then(|| self.entry_at(folder))
    }

    /// Keeps what was built for this key from these files, in place of an earlier entry.
    ///
    /// # Errors
    /// If a file cannot be read, or the cache not be written.
    pub fn store(&self, key: &Key, dependencies: &[PathBuf], blobs: &[(&str, &[u8])]) -> io::Result<Entry> {
        let dependencies = dependencies.iter().map(|path| Dependency::of(path)).collect::<io::Result<_>>()?;
        let fresh = testwright_scratch::folder_in(&self.folder)?;
        for (name, bytes) in blobs {
            fs::write(fresh.path().join(name), bytes)?;
        }
        let blobs = blobs.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.len() as u64)).collect();
        fs::write(fresh.path().join(MANIFEST), serde_json::to_vec(&Manifest { dependencies, blobs })?)?;
        let folder = self.folder.join(key.as_str());
        self.put(&fresh, &folder)?;
        self.evict(&folder);
        Ok(self.entry_at(folder))
    }

    /// Renames a complete folder to its place. Others may do the same at the same time: one of them wins.
    fn put(&self, fresh: &Folder, folder: &Path) -> io::Result<()> {
        for _ in 0..4 {
            if fs::rename(fresh.path(), folder).is_ok() {
                return Ok(());
            }
            let old = testwright_scratch::folder_in(&self.folder)?;
            let _ = fs::rename(folder, old.path().join("entry"));
        }
        // What was there has just been moved away: if this fails, somebody else has won.
        fs::rename(fresh.path(), folder)
    }

    fn entry_at(&self, folder: PathBuf) -> Entry {
        Entry { folder, _temporary: self.temporary.clone() }
    }

    /// Removes the entries that were not used for longest, until the rest is small enough. Other things may lie in the
    /// same folder; they are left alone.
    fn evict(&self, newest: &Path) {
        let Ok(list) = fs::read_dir(&self.folder) else { return };
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = list
            .flatten()
            .filter(|entry| entry.path() != newest && is_ours(&entry.file_name()))
            .map(|entry| {
                // Without a manifest it is damaged.
                let used = entry.path().join(MANIFEST).metadata().or_else(|_| entry.metadata());
                let used = used.and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
                (used, size_of_folder(&entry.path()), entry.path())
            })
            .collect();
        entries.sort();
        let mut count = entries.len() + 1;
        let mut bytes = entries.iter().map(|(_, size, _)| size).sum::<u64>() + size_of_folder(newest);
        for (_, size, path) in entries {
            if count <= self.most_entries && bytes <= MOST_BYTES {
                return;
            }
            let _ = fs::remove_dir_all(path);
            count -= 1;
            bytes -= size;
        }
    }
}

/// Whether the cache gives such names to entries.
fn is_ours(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Entry {
    /// Where the blob of this name is.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Dependency {
    fn of(path: &Path) -> io::Result<Dependency> {
        let data = path.metadata()?;
        let settled = data.modified()?.elapsed().is_ok_and(|age| age > SETTLED);
        let changed = settled.then(|| stamp(&data));
        Ok(Dependency { path: path.to_owned(), size: data.len(), changed, hash: hash_of_file(path)? })
    }

    fn is_unchanged(&self) -> bool {
        let Ok(data) = self.path.metadata() else { return false };
        if data.len() != self.size {
            return false;
        }
        self.changed == Some(stamp(&data)) || hash_of_file(&self.path).is_ok_and(|hash| hash == self.hash)
    }
}

fn stamp(data: &Metadata) -> (i64, i64) {
    (data.mtime(), data.mtime_nsec())
}

fn hash_of_file(path: &Path) -> io::Result<String> {
    Ok(blake3::hash(&fs::read(path)?).to_hex().to_string())
}

fn size_of_folder(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).chain(iter::once(0)).sum()
}

#[cfg(test)]
mod tests;
