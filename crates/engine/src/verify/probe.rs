//! What a compiler can do: found out by compiling a tiny program, and remembered.

use super::builds::base_name;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};
use testwright_code::cache::{Cache, KeyBuilder};
use testwright_exec::{end_with_us, run_within};

/// A compiler for C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// Where it is.
    pub path: PathBuf,
    /// Whose it is.
    pub family: Family,
    /// Whether programs with its sanitizers can be linked and started.
    pub sanitizes: bool,
    /// Whether it can fill local variables with a pattern.
    pub fills: bool,
}

/// Whose a compiler is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// GNU.
    Gcc,
    /// LLVM.
    Clang,
}

impl Compiler {
    /// Its name in words: `gcc`, `clang-19`.
    pub fn name(&self) -> String {
        base_name(&self.path)
    }
}

/// What the cache remembers of a compiler.
const CAN: &str = "compiler-can";
/// Nothing takes longer than this, unless something is wrong.
const LIMIT: Duration = Duration::from_secs(60);

/// The compiler at this path; none if it does not compile C at all.
pub fn compiler(path: &Path, cache: &Cache) -> Option<Compiler> {
    let key = KeyBuilder::new().text(CAN).text(env!("CARGO_PKG_VERSION")).file(path).finish();
    let known = cache.entry(&key).and_then(|entry| fs::read_to_string(entry.path(CAN)).ok());
    let words = known.or_else(|| {
        let words = probed(path)?;
        // Sanitizers may be installed later, so that they are missing is not remembered.
        if words.contains("sanitizes") {
            let _ = cache.store(&key, &[], &[(CAN, words.as_bytes())]);
        }
        Some(words)
    })?;
    Some(Compiler {
        path: path.to_owned(),
        family: if words.contains("clang") { Family::Clang } else { Family::Gcc },
        sanitizes: words.contains("sanitizes"),
        fills: words.contains("fills"),
    })
}

/// What it can do, in words of ours.
fn probed(path: &Path) -> Option<String> {
    let version = run_within(Command::new(path).arg("--version"), LIMIT).ok()??;
    let mut words = String::new();
    if String::from_utf8_lossy(&version.output).contains("clang") {
        words += "clang ";
    }
    let folder = testwright_scratch::folder().ok()?;
    let source = folder.path().join("tiny.c");
    fs::write(&source, "int main(void) { int a[2] = {0, 0}; return a[0]; }\n").ok()?;
    let compiles = |flags: &[&str]| {
        let program = folder.path().join("tiny");
        let mut command = Command::new(path);
        command.args(flags).arg(&source).arg("-o").arg(&program);
        // What it leaves behind when it is killed goes with our own folders.
        command.env("TMPDIR", folder.path());
        end_with_us(&mut command);
        let is_built =
            run_within(&mut command, LIMIT).is_ok_and(|it| it.is_some_and(|it| it.status.success()));
        // It is a program of ours: it needs no sandbox.
        is_built
            && run_within(Command::new(&program).env("ASAN_OPTIONS", "detect_leaks=0"), LIMIT)
                .is_ok_and(|it| it.is_some_and(|it| it.status.success()))
    };
    if !compiles(&[]) {
        return None;
    }
    if compiles(&["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]) {
        words += "sanitizes ";
    }
    if compiles(&["-ftrivial-auto-var-init=pattern"]) {
        words += "fills ";
    }
    Some(words)
}

/// Where a program is.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
