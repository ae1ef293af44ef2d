//! Publishing: a suite is made in a folder beside its place and put there whole.

use crate::exit::Failure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Where a suite is to go.
pub struct Destination {
    folder: PathBuf,
    staging: PathBuf,
}

impl Destination {
    /// The place that the user named.
    pub fn claim(out: &Path) -> Result<Destination, Failure> {
        let folder: PathBuf = std::path::absolute(out)?.components().collect();
        let Some(name) = folder.file_name() else {
            return Err(Failure::usage(format!("{} cannot hold a suite", out.display())));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".testwright.new");
        let staging = folder.with_file_name(hidden);
        Ok(Destination { folder, staging })
    }

    /// An empty folder to make the suite in. Relative paths lead from it to the same files as from the final one.
    pub fn staging(&self) -> Result<&Path, Failure> {
        fs::create_dir_all(&self.staging)?;
        empty(&self.staging)?;
        Ok(&self.staging)
    }

    /// Puts the suite into its place; the previous one is kept as `.old`.
    pub fn publish(self) -> Result<(), Failure> {
        if self.folder.exists() {
            let mut old = self.folder.clone().into_os_string();
            old.push(".old");
            let old = PathBuf::from(old);
            if old.exists() {
                fs::remove_dir_all(&old)?;
            }
            fs::rename(&self.folder, &old)?;
        }
        Ok(fs::rename(&self.staging, &self.folder)?)
    }
}

/// Removes everything in a folder, but not the folder itself.
pub fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?
        } else {
            fs::remove_file(entry.path())?
        }
    }
    Ok(())
}
