//! Programs that run natively, to show what code can do.

use std::path::{Path, PathBuf};
use std::process::Command;
use testwright_engine::Failure;

/// Compiles files as they are, with arithmetic that wraps, and gives what the program prints.
///
/// # Errors
/// If it does not compile or does not end well.
pub fn output(files: &[PathBuf], flags: &[&str], folder: &Path) -> Result<String, Failure> {
    let program = folder.join("program");
    let compiled = Command::new("cc")
        .args(["-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off"])
        .args(flags)
        .args(files)
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .output()?;
    let fail = |what: &str, output: &std::process::Output| {
        let message = String::from_utf8_lossy(&output.stderr);
        Failure::bug(format!(
            "{}: {what}: {}",
            files[0].display(),
            message.lines().next().unwrap_or_default()
        ))
    };
    if !compiled.status.success() {
        return Err(fail("it does not compile", &compiled));
    }
    let ran = Command::new(&program).output()?;
    if !ran.status.success() {
        return Err(fail("it does not end well", &ran));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}
