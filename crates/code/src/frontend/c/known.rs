//! Flags that clang does not know: those that only another compiler knows are left out, mistakes are not.

use super::clang::Clang;
use super::flags;
use crate::error::CodeError;
use crate::frontend::{Unit, Used};
use std::env;
use std::path::Path;
use std::process::Command;

/// The flags that its code was compiled with, as far as tests need them too.
///
/// # Errors
/// If clang cannot be started.
pub(super) fn used_flags(unit: &Unit, clang: &Clang) -> Result<Used, CodeError> {
    let mut all = [unit.build_flags.clone(), unit.flags.clone()].concat();
    let mut notes = unit.notes.clone();
    let unknown = unknown_to(clang, &unit.directory, &all)?;
    if !unknown.is_empty() {
        notes.push(format!("clang does not know {}, so search and tests do without", unknown.join(", ")));
    }
    all.retain(|flag| !unknown.contains(flag));
    Ok(Used { flags: flags::for_tests(&all), notes })
}

/// The flags that clang refuses to know.
fn unknown_to(clang: &Clang, directory: &Path, flags: &[String]) -> Result<Vec<String>, CodeError> {
    let mut unknown = Vec::new();
    if flags.is_empty() {
        return Ok(unknown);
    }
    let mut command = Command::new(&clang.path);
    command.current_dir(directory).args(flags).args(["-w", "-fsyntax-only", "-x", "c", "/dev/null"]);
    let output = command.output().map_err(|error| CodeError::io("start", &clang.path, error))?;
    for flag in complaints(&String::from_utf8_lossy(&output.stderr)) {
        if flags.iter().any(|other| other == flag) && !unknown.iter().any(|other| other == flag) {
            unknown.push(flag.to_owned());
        }
    }
    Ok(unknown)
}

/// The flags that clang complains about: `error: unknown argument: '-fconserve-stack'`.
pub(super) fn complaints(message: &str) -> Vec<&str> {
    let complaints = message.lines().filter_map(|line| {
        let (_, after) =
            line.split_once("error: unknown argument").or(line.split_once("error: unsupported option"))?;
        after.split('\'').nth(1)
    });
    complaints.collect()
}

/// Whether the compiler that builds the tests takes a flag that clang does not know.
pub(super) fn is_known_elsewhere(flag: &str) -> bool {
    let compiler = env::var_os("CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into());
    let output = Command::new(compiler).args([flag, "-w", "-fsyntax-only", "-x", "c", "/dev/null"]).output();
    output.is_ok_and(|output| output.status.success())
}
