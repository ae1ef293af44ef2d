//! An object file made into a shared library that a worker can load.

use crate::ExecError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Links an object into a shared library `NAME.so` in `folder`.
///
/// # Errors
/// If there is no C compiler, or it cannot link.
pub fn link(object: &[u8], folder: &Path, name: &str) -> Result<PathBuf, ExecError> {
    let source = folder.join(format!("{name}.o"));
    let library = folder.join(format!("{name}.so"));
    fs::write(&source, object).map_err(|cause| ExecError::io("write", &source, cause))?;
    let compiler = env::var_os("CC").filter(|value| !value.is_empty()).unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        // What it leaves behind when it is killed goes with our own folders.
        .env("TMPDIR", folder)
        // No start files: nothing but the object's own code and constructors. Symbols bind inside the library, and addresses
        // of functions elsewhere cannot be overwritten.
        .args(["-shared", "-nostartfiles", "-Wl,-Bsymbolic,-z,relro,-z,now", "-Wl,--hash-style=gnu", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-lm")
        .output()
        .map_err(|cause| ExecError::NoLinker { program: compiler.to_string_lossy().into_owned(), cause })?;
    if !output.status.success() {
        return Err(ExecError::Link(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    fs::remove_file(&source).map_err(|cause| ExecError::io("remove", &source, cause))?;
    Ok(library)
}
