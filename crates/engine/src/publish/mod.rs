//! Publishing: a suite is made in a folder beside its place and put there whole.
//!
//! ```text
//! out/                     the place
//! out.old/                 the suite that was there before
//! .out.testwright.lock     held by the process that works here
//! .out.testwright.new/     the suite on its way; its manifest says so
//! ```
//!
//! Nothing of the user's is overwritten, moved or deleted: a folder is replaced only while its manifest vouches for
//! everything in it. That is asked before the search, so that no work is in vain, and again before the replacement.

pub mod input;
mod locate;
mod manifest;
mod replace;

use crate::failure::Failure;
use crate::request::Target;
use locate::{Names, locate};
use manifest::Contents;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use testwright_scratch::Claim;

pub use manifest::PRODUCTS;

/// Where a suite is to go. Nobody else writes there as long as this exists.
pub struct Destination {
    names: Names,
    claim: Claim,
}

/// Where a suite went.
pub struct Published {
    /// The folder, as the user would name it.
    pub folder: PathBuf,
    /// Why it is not the one that was asked for, if so.
    pub problem: Option<Failure>,
}

impl Destination {
    /// The place that the user named for tests of a target, if a suite may go there.
    pub fn claim(out: &Path, target: &Target) -> Result<Destination, Failure> {
        let names = locate(out)?;
        names.check_apart_from(&target.targets)?;
        let destination = Destination { claim: names.claim()?, names };
        let names = &destination.names;
        recover(names).map_err(|error| names.cannot_write(&error))?;
        destination.check()?;
        Ok(destination)
    }

    /// The folder that paths in the suite lead from.
    pub fn folder(&self) -> &Path {
        &self.names.folder
    }

    /// An empty folder to make the suite in. Relative paths lead from it to the same files as from the final one.
    pub fn staging(&self) -> Result<&Path, Failure> {
        let folder = self.claim.folder();
        fs::create_dir(folder)
            .and_then(|()| manifest::begin(folder))
            .map_err(|error| self.names.cannot_write(&error))?;
        Ok(folder)
    }

    /// Puts the suite into its place; the previous one is kept as `.old`. If something of the user's is in the way by
    /// now, the suite goes to another folder.
    pub fn publish(self, programs: Vec<String>) -> Result<Published, Failure> {
        manifest::finish(self.claim.folder(), programs)?;
        // What was verified while everything is being ended was not. Nobody could end it while the places are held, so this
        // comes first.
        testwright_exec::wait_for_signals();
        let problem = self.claim.undivided(|| self.put())?.err();
        let Some(problem) = problem else {
            return Ok(Published { folder: self.names.shown.clone(), problem: None });
        };
        let folder = self.claim.undivided(|| self.put_beside())??;
        let message = format!("{}\nthe new suite is in {}", problem.message, folder.display());
        Ok(Published { folder, problem: Some(Failure { fault: problem.fault, message }) })
    }

    /// Whether there is a suite to replace. Refuses if there is anything else, or if something else would have to make
    /// room for that suite.
    fn check(&self) -> Result<bool, Failure> {
        let names = &self.names;
        let replaces = names.inspect(&names.folder, &names.shown)?;
        if replaces {
            names.inspect(&names.old, &names.shown_old())?;
        }
        Ok(replaces)
    }

    fn put(&self) -> Result<(), Failure> {
        let (new, names) = (self.claim.folder(), &self.names);
        let result = if self.check()? {
            replace::replace(new, &names.folder, &names.old)
        } else {
            // Takes the place of an empty folder too, but of nothing else.
            fs::rename(new, &names.folder)
        };
        result.map_err(|error| names.cannot_write(&error))
    }

    fn put_beside(&self) -> Result<PathBuf, Failure> {
        let numbered = (2..).map(|number| format!(".new-{number}"));
        for ending in std::iter::once(".new".to_owned()).chain(numbered) {
            let folder = with_ending(&self.names.folder, &ending);
            match fs::create_dir(&folder).and_then(|()| fs::rename(self.claim.folder(), &folder)) {
                Ok(()) => return Ok(with_ending(&self.names.shown, &ending)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.names.cannot_write(&error)),
            }
        }
        Err(Failure::bug("there is no name for another folder"))
    }
}

/// Writes files in place of what is in the folder of a suite on its way. Paths are relative to it. What was built from files that
/// stay the same is of use still, so those are not touched.
pub fn write(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    let mut kept: BTreeSet<PathBuf> = files.iter().map(|(path, _)| folder.join(path)).collect();
    kept.insert(folder.join(manifest::NAME));
    remove_others(folder, &kept, &folder.join(PRODUCTS))?;
    for (path, contents) in files {
        let path = folder.join(path);
        if fs::read(&path).is_ok_and(|before| before == contents.as_bytes()) {
            continue;
        }
        // The folder itself is never made here: if it is gone, this program is about to end.
        let above: Vec<&Path> = path.ancestors().skip(1).take_while(|above| *above != folder).collect();
        for above in above.into_iter().rev().filter(|above| !above.exists()) {
            fs::create_dir(above)?;
        }
        fs::write(&path, contents)?;
    }
    Ok(())
}

/// Removes all files in a folder but those that are kept, and folders that get empty; what is below `spared` stays.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>, spared: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if path == spared {
            continue;
        }
        if entry.file_type()?.is_dir() {
            remove_others(&path, kept, spared)?;
            // The manifest knows files only: an empty folder would look like somebody else's. Others stay.
            let _ = fs::remove_dir(&path);
        } else if !kept.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Removes what killed processes have left behind, wherever they were writing.
pub fn clean_up_after_others() {
    for folder in testwright_scratch::clean(&env::temp_dir()) {
        // Whatever is wrong there is told when somebody wants to write there again.
        let Ok(names) = locate(&folder) else { continue };
        if names.is_left_behind()
            && let Ok(_claim) = names.claim()
        {
            let _ = recover(&names);
        }
    }
}

/// Removes the suite on its way that a killed process has left, or puts it where it was about to go.
fn recover(names: &Names) -> io::Result<()> {
    match manifest::inspect(&names.new)? {
        Contents::Nothing => match fs::remove_dir(&names.new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
        // Where names cannot change places in one step, this is between the two steps.
        Contents::Ours { missing: 0 } if !names.folder.exists() && names.old.exists() => {
            fs::rename(&names.new, &names.folder)
        }
        Contents::Ours { .. } | Contents::Unfinished => manifest::remove_suite(&names.new),
        Contents::Changed { .. } | Contents::Foreign(_) | Contents::NoFolder => {
            Err(io::Error::other(format!("{} is in the way; move it away", names.new.display())))
        }
    }
}

/// `out` with `.old` is `out.old`.
fn with_ending(folder: &Path, ending: &str) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_again_leaves_no_trace_of_what_was_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        manifest::begin(folder.path()).unwrap();
        let both = [file("Makefile", "one"), file("cases/f/a.json", "{}"), file("cases/g/b.json", "{}")];
        write(folder.path(), &both).unwrap();
        write(folder.path(), &[file("Makefile", "two"), file("cases/f/a.json", "{}")]).unwrap();
        manifest::finish(folder.path(), Vec::new()).unwrap();
        assert_eq!(manifest::inspect(folder.path()).unwrap(), Contents::Ours { missing: 0 });
        assert_eq!(fs::read_to_string(folder.path().join("Makefile")).unwrap(), "two");
        assert!(!folder.path().join("cases/g").exists());
    }
}
