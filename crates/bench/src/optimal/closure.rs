//! Closures: which files of GSL define what a function may call, found in the code that clang makes of them.

use super::super::debian;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testwright_code::frontend;

/// The folders whose files may define something. That of the error handler is not among them, so that reporting an error is a
/// stub, as if a program had turned the handler off: the one that GSL comes with aborts.
const FOLDERS: [&str; 4] = ["specfunc", "sys", "complex", "linalg"];

/// What the functions of GSL refer to.
pub struct Closures {
    folder: PathBuf,
    /// The flags to compile with.
    pub flags: Vec<String>,
    /// Per file, its functions and what each refers to.
    files: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Closures {
    /// Looks through the source, which is fetched if need be; or says why that is impossible.
    pub fn new() -> Result<Closures, String> {
        let (files, flags) = debian::gsl(&["gsl_math.h"])?;
        let folder = files[0].parent().map(Path::to_owned).ok_or("gsl has no folder")?;
        let clang = frontend().compiler().map_err(|error| error.to_string())?;
        let mut found = BTreeMap::new();
        for name in FOLDERS {
            let entries = fs::read_dir(folder.join(name)).map_err(|error| error.to_string())?;
            for path in entries.flatten().map(|entry| entry.path()) {
                let is_code = path.extension().is_some_and(|extension| extension == "c");
                let file = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
                if is_code && !file.contains("/test") {
                    found.insert(file, references(&folder, &path, &clang.path, &flags)?);
                }
            }
        }
        Ok(Closures { folder, flags, files: found })
    }

    /// The file of a function, and those that define what it may call.
    pub fn files(&self, file: &str, function: &str) -> Vec<PathBuf> {
        let mut needed = vec![file.to_owned()];
        let mut seen = BTreeSet::new();
        let mut waiting = vec![(file.to_owned(), function.to_owned())];
        while let Some((file, function)) = waiting.pop() {
            if !seen.insert((file.clone(), function.clone())) {
                continue;
            }
            let Some(references) = self.files.get(&file).and_then(|functions| functions.get(&function))
            else {
                continue;
            };
            for name in references {
                if let Some(definer) = self.definer(&file, name) {
                    if !needed.contains(&definer) {
                        needed.push(definer.clone());
                    }
                    waiting.push((definer, name.clone()));
                }
            }
        }
        needed.into_iter().map(|file| self.folder.join(file)).collect()
    }

    /// The file that defines a name; the one that uses it if it does.
    fn definer(&self, user: &str, name: &str) -> Option<String> {
        let defines = |file: &str| self.files.get(file).is_some_and(|functions| functions.contains_key(name));
        if defines(user) {
            return Some(user.to_owned());
        }
        self.files.keys().find(|file| defines(file)).cloned()
    }
}

/// The functions and variables that a file defines, with the names that each refers to. What clang says is kept beside the source.
fn references(
    folder: &Path,
    file: &Path,
    clang: &Path,
    flags: &[String],
) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let kept = folder.join("testwright-include").join(format!(
        "{}.ll",
        file.strip_prefix(folder).unwrap_or(file).display().to_string().replace('/', "-")
    ));
    if !kept.exists() {
        let mut command = Command::new(clang);
        command.args(["-S", "-emit-llvm", "-O0", "-w", "-o"]).arg(&kept).args(flags).arg(file);
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            // A file that is made to be included by others does not compile, and is not needed.
            fs::write(&kept, "").map_err(|error| error.to_string())?;
        }
    }
    let text = fs::read_to_string(&kept).map_err(|error| error.to_string())?;
    Ok(parse(&text))
}

/// The definitions in the text of a module, with the names that each refers to.
fn parse(module: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut inside: Option<String> = None;
    for line in module.lines() {
        let mut names = names(line);
        if line.starts_with("define ") {
            inside = names.next();
            found.extend(inside.clone().map(|name| (name, BTreeSet::new())));
        } else if line.starts_with('}') {
            inside = None;
        } else if let Some(uses) = inside.as_ref().and_then(|name| found.get_mut(name)) {
            uses.extend(names);
        }
    }
    found
}

/// The names in a line that begin with `@`.
fn names(line: &str) -> impl Iterator<Item = String> + '_ {
    line.split('@').skip(1).map(|rest| {
        rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_' || *c == '.').collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_refer_to_what_their_bodies_name() {
        let module = "@table = internal global i32 1\n\
                      define dso_local i32 @one(i32 %0) #0 {\n  %2 = call i32 @two(ptr @table)\n}\n\n\
                      declare i32 @two(ptr)\n\ndefine internal void @three() {\n}\n";
        let found = parse(module);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["one", "three"]);
        assert_eq!(found["one"], BTreeSet::from(["two".to_owned(), "table".to_owned()]));
        assert!(found["three"].is_empty());
    }

    #[test]
    fn a_closure_follows_calls_through_files_but_not_other_functions_of_these() {
        let calls = |pairs: &[(&str, &[&str])]| {
            let names = |names: &&[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            pairs.iter().map(|(name, uses)| ((*name).to_owned(), names(uses))).collect()
        };
        let files = BTreeMap::from([
            ("a.c".to_owned(), calls(&[("f", &["g", "own"]), ("own", &["missing"])])),
            ("b.c".to_owned(), calls(&[("g", &[]), ("other", &["h"]), ("own", &["h"])])),
            ("c.c".to_owned(), calls(&[("h", &[])])),
        ]);
        let closures = Closures { folder: PathBuf::from("/"), flags: Vec::new(), files };
        assert_eq!(closures.files("a.c", "f"), [PathBuf::from("/a.c"), PathBuf::from("/b.c")]);
    }
}
