//! Clang: found by name, asked for its version.

use crate::cache::{Cache, KeyBuilder};
use crate::error::CodeError;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The oldest version whose bitcode and options are known to fit.
const OLDEST: u32 = 14;
/// The newest version that is looked for by name; a plain `clang` may be newer.
const NEWEST: u32 = 22;
/// What the cache remembers of a program.
const VERSION: &str = "clang-version";

/// A clang that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clang {
    /// Where it is.
    pub path: PathBuf,
    /// The first line of what it says about itself.
    pub version: String,
    /// Its major version.
    pub major: u32,
}

impl Clang {
    /// The one named by `TESTWRIGHT_CLANG`, else `clang` on the path, else the newest `clang-22` .. `clang-14`.
    ///
    /// # Errors
    /// If there is none, or the one that was named cannot be used.
    pub fn find() -> Result<Clang, CodeError> {
        let search_path = env::var_os("PATH").unwrap_or_default();
        Clang::find_among(env::var_os("TESTWRIGHT_CLANG"), &search_path, &Clang::at)
    }

    /// As [`Clang::find`], but a program that answered before is not started again to learn its version, which
    /// would take longer than everything else when the result is cached.
    ///
    /// # Errors
    /// As [`Clang::find`].
    pub fn find_known(cache: &Cache) -> Result<Clang, CodeError> {
        let search_path = env::var_os("PATH").unwrap_or_default();
        Clang::find_among(env::var_os("TESTWRIGHT_CLANG"), &search_path, &|path| Clang::known_at(path, cache))
    }

    /// As [`Clang::find_known`], if there is a cache.
    ///
    /// # Errors
    /// As [`Clang::find`].
    pub fn find_anyhow() -> Result<Clang, CodeError> {
        Cache::open().map_or_else(|_| Clang::find(), |cache| Clang::find_known(&cache))
    }

    fn find_among(
        named: Option<OsString>,
        search_path: &OsStr,
        at: &dyn Fn(&Path) -> Result<Clang, CodeError>,
    ) -> Result<Clang, CodeError> {
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            return match on_path(&name, search_path) {
                Some(path) => at(&path),
                None => Err(unusable(Path::new(&name), "there is no such program")),
            };
        }
        let numbered = (OLDEST..=NEWEST).rev().map(|version| format!("clang-{version}"));
        let names: Vec<String> = std::iter::once("clang".to_owned()).chain(numbered).collect();
        let mut refused = None;
        for path in names.iter().filter_map(|name| on_path(OsStr::new(name), search_path)) {
            match at(&path) {
                Ok(clang) => return Ok(clang),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let tried = format!("clang, clang-{NEWEST} .. clang-{OLDEST}");
        Err(refused.unwrap_or(CodeError::ClangMissing { tried }))
    }

    /// The clang at this path.
    ///
    /// # Errors
    /// If it does not run, is something else, or is too old.
    pub fn at(path: &Path) -> Result<Clang, CodeError> {
        let output = Command::new(path)
            .arg("--version")
            .output()
            .map_err(|error| unusable(path, &format!("it does not run ({error})")))?;
        Clang::of_version(path, &String::from_utf8_lossy(&output.stdout))
    }

    /// As [`Clang::at`], from the cache if the program has not changed.
    fn known_at(path: &Path, cache: &Cache) -> Result<Clang, CodeError> {
        let key = KeyBuilder::new().text(VERSION).file(path).finish();
        if let Some(entry) = cache.entry(&key)
            && let Ok(text) = fs::read_to_string(entry.path(VERSION))
        {
            return Clang::of_version(path, &text);
        }
        let clang = Clang::at(path)?;
        // A cache that cannot be written costs time only.
        let _ = cache.store(&key, &[], &[(VERSION, clang.version.as_bytes())]);
        Ok(clang)
    }

    fn of_version(path: &Path, text: &str) -> Result<Clang, CodeError> {
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        let Some(major) = major_version(&version) else {
            return Err(unusable(path, "its --version is not that of a clang"));
        };
        if major < OLDEST {
            return Err(unusable(
                path,
                &format!("it is version {major}, and {OLDEST} is the oldest that fits"),
            ));
        }
        Ok(Clang { path: path.to_owned(), version, major })
    }
}

fn unusable(path: &Path, reason: &str) -> CodeError {
    CodeError::ClangUnusable { path: path.to_owned(), reason: reason.to_owned() }
}

/// The number after `clang version`, as in `Debian clang version 14.0.6` or `Apple clang version 15.0.0`.
fn major_version(line: &str) -> Option<u32> {
    let (_, after) = line.split_once("clang version ")?;
    let digits = after.split(|character: char| !character.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Where a program is: a name is looked up on the search path, anything with a slash is a path.
fn on_path(name: &OsStr, search_path: &OsStr) -> Option<PathBuf> {
    let executable = |path: &PathBuf| {
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name)).filter(executable);
    }
    env::split_paths(search_path).map(|folder| folder.join(name)).find(executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with programs that print a version, as search path.
    fn programs(versions: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, version) in versions {
            write_program(&folder.path().join(name), &format!("#!/bin/sh\necho '{version}'\n"));
        }
        folder
    }

    /// Writes a script that can be run at once. Another process does it: what a thread of ours has open for writing, a child
    /// of another thread may still have open for a moment, and such a file cannot be run.
    fn write_program(path: &Path, text: &str) {
        let write = "printf %s \"$2\" >\"$1\" && chmod 755 \"$1\"";
        let status = Command::new("sh").args(["-c", write, "sh"]).arg(path).arg(text).status().unwrap();
        assert!(status.success());
    }

    #[track_caller]
    fn check(versions: &[(&str, &str)], named: Option<&str>, expected: &str) {
        let folder = programs(versions);
        let found = match Clang::find_among(named.map(OsString::from), folder.path().as_os_str(), &Clang::at)
        {
            Ok(clang) => format!("{} {}", clang.path.display(), clang.major),
            Err(error) => error.to_string(),
        };
        assert_eq!(found.replace(&format!("{}/", folder.path().display()), ""), expected);
    }

    #[test]
    fn plain_clang_comes_before_numbered_ones() {
        check(
            &[
                ("clang", "Debian clang version 15.0.7"),
                ("clang-19", "Debian clang version 19.1.7 (3~deb12u1)"),
            ],
            None,
            "clang 15",
        );
    }

    #[test]
    fn the_newest_numbered_clang_is_taken() {
        check(
            &[("clang-14", "Debian clang version 14.0.6"), ("clang-19", "Ubuntu clang version 19.1.1")],
            None,
            "clang-19 19",
        );
    }

    #[test]
    fn a_clang_that_is_too_old_is_passed_over() {
        check(
            &[("clang", "clang version 11.0.1-2"), ("clang-16", "clang version 16.0.6")],
            None,
            "clang-16 16",
        );
        check(
            &[("clang", "clang version 11.0.1-2")],
            None,
            "clang cannot be used as clang: it is version 11, and 14 is the oldest that fits. Name another with \
             the environment variable TESTWRIGHT_CLANG",
        );
    }

    #[test]
    fn a_missing_clang_is_explained() {
        check(
            &[],
            None,
            "no clang found (looked for clang, clang-22 .. clang-14). Install one, for example with `apt-get \
             install clang`, or name one with the environment variable TESTWRIGHT_CLANG",
        );
    }

    #[test]
    fn the_one_that_is_named_is_used_or_refused() {
        let programs =
            [("clang", "clang version 18.1.0"), ("mine", "clang version 17.0.0"), ("cc", "gcc 12")];
        check(&programs, Some("mine"), "mine 17");
        check(&programs, Some(""), "clang 18");
        check(
            &programs,
            Some("cc"),
            "cc cannot be used as clang: its --version is not that of a clang. Name another with the \
             environment variable TESTWRIGHT_CLANG",
        );
        check(
            &programs,
            Some("/nowhere/clang"),
            "/nowhere/clang cannot be used as clang: there is no such program. Name another with the \
             environment variable TESTWRIGHT_CLANG",
        );
    }

    #[test]
    fn a_version_is_remembered_until_the_program_changes() {
        let folder = programs(&[("clang", "clang version 18.1.0")]);
        let (path, count) = (folder.path().join("clang"), folder.path().join("count"));
        let cache = Cache::at(&folder.path().join("cache")).unwrap();
        let install = |version: &str| {
            let script =
                format!("#!/bin/sh\necho x >> {}\necho 'clang version {version}'\n", count.display());
            write_program(&path, &script);
        };
        install("18.1.0");
        let ask =
            || (Clang::known_at(&path, &cache).unwrap().major, fs::read_to_string(&count).unwrap().len() / 2);
        assert_eq!([ask(), ask()], [(18, 1), (18, 1)]);
        install("19.1.12");
        assert_eq!([ask(), ask()], [(19, 2), (19, 2)]);
    }
}
