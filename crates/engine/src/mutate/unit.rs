//! The compiler of ours that `make` is given: files of the code under test become objects with mutants, everything else is left to the
//! usual compiler.

use super::{Noted, Plan};
use crate::failure::Failure;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testwright_code::{frontend, mutated};

/// The variable of the environment with the folder of what is shared by all files.
pub const FOLDER: &str = "TESTWRIGHT_MUTATING";
/// What is to be done, in that folder.
pub(super) const PLAN: &str = "plan.json";
/// What decides which mutant there is, in that folder.
pub(super) const CHOOSER: &str = "chooser.c";
/// The mutants of all files so far, in that folder, a line each.
const NOTED: &str = "mutants.jsonl";

/// Does what a compiler does with these arguments; its exit status.
pub fn compile(arguments: &[OsString]) -> Result<i32, Failure> {
    let folder = env::var_os(FOLDER).map(PathBuf::from);
    let folder =
        folder.ok_or_else(|| Failure::usage("mutate-unit is started by `testwright mutate` only"))?;
    let compiles = arguments.iter().any(|argument| argument == "-c");
    // What clang does not take, or has nothing of the code under test, is a case for the usual compiler.
    if compiles && with_mutants(arguments, &folder).unwrap_or(false) {
        return Ok(0);
    }
    let compiler = env::var_os("CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into());
    let mut command = Command::new(if is_ours(&compiler, &folder) { OsString::from("cc") } else { compiler });
    command.args(arguments);
    if !compiles && arguments.iter().any(|argument| argument == "-o") {
        command.arg(folder.join(CHOOSER));
    }
    let status = command.status()?;
    Ok(status.code().unwrap_or(1))
}

/// `make` exports what it was told, and then `CC` is the name of this compiler.
fn is_ours(compiler: &OsStr, folder: &Path) -> bool {
    Path::new(compiler).starts_with(folder)
}

/// Writes the object with mutants; false if the file has none.
fn with_mutants(arguments: &[OsString], folder: &Path) -> Result<bool, Failure> {
    let plan: Plan = serde_json::from_slice(&fs::read(folder.join(PLAN))?)
        .map_err(|error| Failure::bug(error.to_string()))?;
    let Some(Compiling { file, object, flags }) = Compiling::read(arguments) else { return Ok(false) };
    let mut sources = frontend().resolve(&[std::path::absolute(file)?], &flags)?;
    sources.alone = true;
    let bitcode = frontend().compile_natively(&sources)?;
    let first = noted(folder)?.len();
    let Some(made) = mutated(&bitcode, &plan.files, first as u32)? else { return Ok(false) };
    fs::write(object, made.object)?;
    let mut text = fs::read_to_string(folder.join(NOTED)).unwrap_or_default();
    for (mutant, function) in made.mutants {
        text += &serde_json::to_string(&Noted { mutant, function })
            .map_err(|error| Failure::bug(error.to_string()))?;
        text.push('\n');
    }
    fs::write(folder.join(NOTED), text)?;
    Ok(true)
}

/// The mutants of all files so far.
pub(super) fn noted(folder: &Path) -> Result<Vec<Noted>, Failure> {
    let text = fs::read_to_string(folder.join(NOTED)).unwrap_or_default();
    let read = |line: &str| serde_json::from_str(line).map_err(|error| Failure::bug(error.to_string()));
    text.lines().map(read).collect()
}

/// What a compiler is asked for: one file becomes one object.
struct Compiling {
    file: PathBuf,
    object: PathBuf,
    flags: Vec<String>,
}

impl Compiling {
    fn read(arguments: &[OsString]) -> Option<Compiling> {
        let (mut file, mut object, mut flags) = (None, None, Vec::new());
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.to_str()?;
            if text == "-o" {
                object = Some(PathBuf::from(rest.next()?));
            } else if text.ends_with(".c") && !text.starts_with('-') {
                if file.replace(PathBuf::from(text)).is_some() {
                    return None;
                }
            } else if text != "-c" {
                flags.push(text.to_owned());
            }
        }
        Some(Compiling { file: file?, object: object?, flags })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, String, Vec<String>)> {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let Compiling { file, object, flags } = Compiling::read(&arguments)?;
        Some((file.display().to_string(), object.display().to_string(), flags))
    }

    #[test]
    fn a_file_and_its_object_are_told_from_flags() {
        let flags = vec!["-I.".to_owned(), "-O0".to_owned(), "-w".to_owned()];
        assert_eq!(read("-I. -O0 -w -c a.c -o b/a.o"), Some(("a.c".to_owned(), "b/a.o".to_owned(), flags)));
        assert_eq!(read("-c a.c b.c -o x"), None);
        assert_eq!(read("-c a.c"), None);
        assert_eq!(read("a.o b.o -o program"), None);
    }
}
