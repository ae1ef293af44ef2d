//! The names around a place, and whether a suite may go there at all.

use super::manifest::{self, Contents};
use super::with_ending;
use crate::build::first_of;
use crate::failure::Failure;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use testwright_scratch::Claim;

/// A place and the names around it.
pub struct Names {
    /// The place, as the user names it.
    pub shown: PathBuf,
    /// The place itself: absolute, and without links on the way.
    pub folder: PathBuf,
    /// Where the suite goes that was there.
    pub old: PathBuf,
    /// Where a suite is made.
    pub new: PathBuf,
    lock: PathBuf,
}

/// The place that the user means. Links to folders are followed; what does not exist may be made.
pub fn locate(out: &Path) -> Result<Names, Failure> {
    let refuse = |why: &str| Failure::usage(format!("no suite can go to {}: {why}; {OTHER}", out.display()));
    // Without dots and slashes at the end.
    let plain: PathBuf = out.components().collect();
    if plain.as_os_str().is_empty() {
        return Err(refuse("it has no name"));
    }
    let folder = resolve(&std::path::absolute(&plain)?).map_err(|error| refuse(&error.to_string()))?;
    let Some(name) = folder.file_name() else { return Err(refuse("it is no folder of its own")) };
    let is_link = fs::symlink_metadata(&plain).is_ok_and(|data| data.is_symlink());
    let beside = |ending: &str| {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(ending);
        folder.with_file_name(hidden)
    };
    let above = folder.parent().unwrap_or(Path::new("/"));
    if let (Ok(data), Ok(above)) = (fs::metadata(&folder), fs::metadata(above)) {
        if !data.is_dir() {
            return Err(refuse("it is not a folder"));
        }
        if data.dev() != above.dev() {
            return Err(refuse("another file system is mounted there, which cannot be replaced"));
        }
    }
    let shown = if is_link { folder.clone() } else { plain };
    let (new, lock) = (beside(".testwright.new"), beside(".testwright.lock"));
    Ok(Names { old: with_ending(&folder, ".old"), shown, new, lock, folder })
}

/// What to do about it.
const OTHER: &str = "name another folder with --out";

/// The path without links; its last parts need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::Error::other("it is a link that leads nowhere"));
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(resolve(parent)?.join(name)),
        _ => Err(io::Error::other("a folder above it does not exist")),
    }
}

impl Names {
    /// Refuses a place that holds what is tested, or where the user is.
    pub fn check_apart_from(&self, targets: &[PathBuf]) -> Result<(), Failure> {
        let holds = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path.starts_with(&self.folder));
        let refuse = |what: &str| {
            let place = self.shown.display();
            Err(Failure::usage(format!("no suite can go to {place}: it holds {what}; {OTHER}")))
        };
        if targets.iter().any(|target| holds(target)) {
            return refuse("the code under test");
        }
        if env::current_dir().is_ok_and(|here| holds(&here)) {
            return refuse("the current folder");
        }
        Ok(())
    }

    /// Claims the place, if no other process has it.
    pub fn claim(&self) -> Result<Claim, Failure> {
        let claim =
            Claim::take(&self.folder, &self.lock, &self.new).map_err(|error| self.cannot_write(&error))?;
        claim.ok_or_else(|| {
            let place = self.shown.display();
            Failure::usage(format!(
                "another run of Testwright is writing to {place}; wait for its end, or {OTHER}"
            ))
        })
    }

    /// Whether a process that was killed has left something beside the place.
    pub fn is_left_behind(&self) -> bool {
        self.lock.exists() || self.new.exists()
    }

    /// What to say if the system refuses something.
    pub fn cannot_write(&self, error: &io::Error) -> Failure {
        Failure::usage(format!("cannot write to {}: {error}; {OTHER}", self.shown.display()))
    }

    /// `.old`, as the user would name it.
    pub fn shown_old(&self) -> PathBuf {
        with_ending(&self.shown, ".old")
    }

    /// Whether a folder holds a suite. Refuses it if it holds anything of the user's.
    pub fn inspect(&self, folder: &Path, shown: &Path) -> Result<bool, Failure> {
        let place = shown.display();
        let message = match manifest::inspect(folder).map_err(|error| self.cannot_write(&error))? {
            Contents::Nothing => return Ok(false),
            Contents::Ours { .. } => return Ok(true),
            Contents::NoFolder => format!("{place} is not a folder, and is not replaced by a suite"),
            Contents::Unfinished => {
                format!("{place} holds a suite that is not complete, and is not replaced")
            }
            Contents::Foreign(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                format!(
                    "{place} is not replaced, because Testwright did not write what it holds: {}",
                    first_of(&names)
                )
            }
            Contents::Changed { changed, foreign } => {
                let line =
                    |what: &str, name: &String| format!("\n  {what:<9} {}", shown.join(name).display());
                let changed: String = changed.iter().map(|name| line("changed", name)).collect();
                let foreign: String = foreign.iter().map(|name| line("not ours", name)).collect();
                format!(
                    "{place} is not replaced, because not all of it is as Testwright wrote it:{changed}{foreign}\n"
                )
            }
        };
        let separator = if message.ends_with('\n') { "" } else { "; " };
        Err(Failure::usage(format!("{message}{separator}move it away, or {OTHER}")))
    }
}
