//! The manifest: what a suite consists of, so that changes to it are seen.
//!
//! Every suite holds one, with the hash of each of its files and the names of the programs that its Makefile builds.
//! A folder is ours if it holds nothing else. Files that are missing do not matter: there is nothing to lose.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Where it lies in the folder of a suite.
pub const NAME: &str = "testwright.manifest";
/// Where the Makefile of a suite puts what it builds.
pub const PRODUCTS: &str = "build";
/// The folder in there of `make check-sanitized`.
const SANITIZED: &str = "sanitized";
/// How names of what a compiler makes of a file end, those for measuring coverage among them.
const COMPILED: [&str; 3] = [".o", ".gcno", ".gcda"];
/// What it puts there besides programs and their objects.
const FLAGS: &str = "flags";
/// The version of this format.
const FORMAT: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    about: String,
    format: u32,
    /// Whether the suite is complete.
    finished: bool,
    /// Names of what its Makefile builds; names of objects begin with them.
    programs: Vec<String>,
    /// Hashes of the files, by their path in the folder.
    files: BTreeMap<String, String>,
}

/// What is at a place.
#[derive(Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing, or an empty folder.
    Nothing,
    /// A suite as we wrote it, and how many of its files are missing.
    Ours {
        /// How many.
        missing: usize,
    },
    /// A suite that we were about to write.
    Unfinished,
    /// A suite of ours, and what is not as we wrote it.
    Changed {
        /// Files of the suite that are different now.
        changed: Vec<String>,
        /// Other things.
        foreign: Vec<String>,
    },
    /// A folder that is no suite, and what it holds.
    Foreign(Vec<String>),
    /// Something else.
    NoFolder,
}

/// Marks a folder as one that a suite is written to.
pub fn begin(folder: &Path) -> io::Result<()> {
    write(folder, false, Vec::new(), BTreeMap::new())
}

/// Removes what the Makefile built: it was built elsewhere, and says so to debuggers. Then lists all files.
pub fn finish(folder: &Path, programs: Vec<String>) -> io::Result<()> {
    testwright_scratch::remove_tree(&folder.join(PRODUCTS))?;
    let mut files = BTreeMap::new();
    for path in Walk::through(folder)?.files {
        if path != NAME {
            let hash = hash(&folder.join(&path))?;
            files.insert(path, hash);
        }
    }
    write(folder, true, programs, files)
}

fn write(
    folder: &Path,
    finished: bool,
    programs: Vec<String>,
    files: BTreeMap<String, String>,
) -> io::Result<()> {
    let about =
        "Written by Testwright. It replaces this folder only while all files are as listed here.".to_owned();
    let manifest = Manifest { about, format: FORMAT, finished, programs, files };
    // Half a manifest would make the suite look like somebody else's.
    let fresh = folder.join(format!("{NAME}.tmp"));
    fs::write(&fresh, serde_json::to_string_pretty(&manifest)? + "\n")?;
    fs::rename(&fresh, folder.join(NAME))
}

/// What is at a place.
pub fn inspect(place: &Path) -> io::Result<Contents> {
    match fs::symlink_metadata(place) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Contents::Nothing),
        Err(error) => return Err(error),
        Ok(data) if !data.is_dir() => return Ok(Contents::NoFolder),
        Ok(_) => {}
    }
    let manifest = fs::read(place.join(NAME)).ok();
    let manifest = manifest.and_then(|bytes| serde_json::from_slice::<Manifest>(&bytes).ok());
    let Some(manifest) = manifest.filter(|manifest| manifest.format == FORMAT) else {
        let mut names = Vec::new();
        for entry in fs::read_dir(place)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        return Ok(match &names[..] {
            [] => Contents::Nothing,
            // It was about to get its first manifest.
            [only] if *only == format!("{NAME}.tmp") => Contents::Unfinished,
            _ => Contents::Foreign(names),
        });
    };
    if manifest.finished { manifest.compare(place) } else { Ok(Contents::Unfinished) }
}

impl Manifest {
    fn compare(&self, folder: &Path) -> io::Result<Contents> {
        let walk = Walk::through(folder)?;
        let (mut changed, mut foreign) = (Vec::new(), walk.others);
        let mut present = 0;
        for path in walk.files {
            match self.files.get(&path) {
                Some(expected) => {
                    present += 1;
                    if hash(&folder.join(&path))? != *expected {
                        changed.push(path);
                    }
                }
                None if path == NAME || self.is_product(&path) => {}
                None => foreign.push(path),
            }
        }
        let is_expected = |path: &String| {
            let below = format!("{path}/");
            let is_built = path == PRODUCTS || *path == format!("{PRODUCTS}/{SANITIZED}");
            is_built || self.files.keys().any(|file| file.starts_with(&below))
        };
        foreign.extend(walk.folders.into_iter().filter(|path| !is_expected(path)));
        foreign.sort();
        if changed.is_empty() && foreign.is_empty() {
            return Ok(Contents::Ours { missing: self.files.len() - present });
        }
        Ok(Contents::Changed { changed, foreign })
    }

    /// Whether the Makefile may have made this file: a program, its objects, and what compilers put beside these.
    fn is_product(&self, path: &str) -> bool {
        let Some(name) = path.strip_prefix(PRODUCTS).and_then(|rest| rest.strip_prefix('/')) else {
            return false;
        };
        let name = name.strip_prefix(SANITIZED).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
        let is_of = |program: &String| name.starts_with(program.as_str());
        let is_compiled = COMPILED.iter().any(|ending| name.ends_with(ending));
        !name.contains('/') && (name == FLAGS || is_compiled || self.programs.iter().any(is_of))
    }
}

/// Everything in a folder, by path.
#[derive(Debug, Default)]
struct Walk {
    files: Vec<String>,
    folders: Vec<String>,
    /// Links, devices, and names that are no text.
    others: Vec<String>,
}

impl Walk {
    fn through(folder: &Path) -> io::Result<Walk> {
        let mut walk = Walk::default();
        let mut left = vec![PathBuf::new()];
        while let Some(path) = left.pop() {
            for entry in fs::read_dir(folder.join(&path))? {
                walk.note(&entry?, &path, &mut left)?;
            }
        }
        walk.files.sort();
        Ok(walk)
    }

    fn note(&mut self, entry: &DirEntry, above: &Path, left: &mut Vec<PathBuf>) -> io::Result<()> {
        let path = above.join(entry.file_name());
        let kind = entry.file_type()?;
        let Some(text) = path.to_str().map(str::to_owned) else {
            self.others.push(path.display().to_string());
            return Ok(());
        };
        if kind.is_dir() {
            self.folders.push(text);
            left.push(path);
        } else if kind.is_file() {
            self.files.push(text);
        } else {
            self.others.push(text);
        }
        Ok(())
    }
}

/// Removes a suite; until nothing else is left, its manifest says whose it was.
pub fn remove_suite(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        testwright_scratch::remove_but(folder, NAME)?;
    }
    testwright_scratch::remove_tree(folder)
}

fn hash(path: &Path) -> io::Result<String> {
    Ok(blake3::hash(&fs::read(path)?).to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        begin(folder.path()).unwrap();
        assert_eq!(inspect(folder.path()).unwrap(), Contents::Unfinished);
        for (path, text) in [("Makefile", "check:"), ("cases/f/one.json", "{}"), ("build/a_test", "built")] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        finish(folder.path(), vec!["a_test".to_owned()]).unwrap();
        assert_eq!(inspect(folder.path()).unwrap(), Contents::Ours { missing: 0 });
        folder
    }

    fn check(change: impl Fn(&Path), expected: &Contents) {
        let folder = suite();
        change(folder.path());
        assert_eq!(inspect(folder.path()).unwrap(), *expected);
    }

    fn changed(changed: &[&str], foreign: &[&str]) -> Contents {
        let owned = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        Contents::Changed { changed: owned(changed), foreign: owned(foreign) }
    }

    #[test]
    fn what_the_makefile_builds_is_ours() {
        let build = |folder: &Path| {
            fs::create_dir(folder.join("build")).unwrap();
            for name in ["flags", "a_test", "a_test_0.o", "a_test_0.gcno", "a_test_0.gcda"] {
                fs::write(folder.join("build").join(name), "built").unwrap();
            }
        };
        check(build, &Contents::Ours { missing: 0 });
        let add = |folder: &Path| {
            build(folder);
            fs::write(folder.join("build/notes"), "mine").unwrap();
        };
        check(add, &changed(&[], &["build/notes"]));
    }

    #[test]
    fn what_is_missing_is_no_loss() {
        check(|folder| fs::remove_file(folder.join("Makefile")).unwrap(), &Contents::Ours { missing: 1 });
        check(|folder| fs::remove_dir_all(folder.join("cases")).unwrap(), &Contents::Ours { missing: 1 });
    }

    #[test]
    fn changes_are_seen() {
        check(|folder| fs::write(folder.join("Makefile"), "mine").unwrap(), &changed(&["Makefile"], &[]));
        check(|folder| fs::write(folder.join("cases/f/two"), "").unwrap(), &changed(&[], &["cases/f/two"]));
        check(|folder| fs::create_dir(folder.join("mine")).unwrap(), &changed(&[], &["mine"]));
        let link = |folder: &Path| {
            fs::remove_file(folder.join("Makefile")).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", folder.join("Makefile")).unwrap();
        };
        check(link, &changed(&[], &["Makefile"]));
    }

    #[test]
    fn a_folder_without_manifest_is_not_ours() {
        let names = ["Makefile", "cases"].map(str::to_owned).to_vec();
        check(|folder| fs::remove_file(folder.join(NAME)).unwrap(), &Contents::Foreign(names));
        let damage = |folder: &Path| fs::write(folder.join(NAME), "{").unwrap();
        check(damage, &Contents::Foreign(["Makefile", "cases", NAME].map(str::to_owned).to_vec()));
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(inspect(folder.path()).unwrap(), Contents::Nothing);
        assert_eq!(inspect(&folder.path().join("none")).unwrap(), Contents::Nothing);
        assert_eq!(inspect(Path::new("/dev/null")).unwrap(), Contents::NoFolder);
    }
}
