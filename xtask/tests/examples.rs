//! The examples compile without warnings and compute what they say.
//!
//! Each `examples/NAME.c` has a program `xtask/tests/examples/NAME.c` that includes and checks it.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask has a parent")
}

/// The C files of a folder of the repository, sorted.
fn c_files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    files.sort();
    files
}

/// `cc` and every clang that can be run.
fn compilers() -> Vec<String> {
    let runs = |name: &String| Command::new(name).arg("--version").output().is_ok();
    let clangs = (14..=22).map(|version| format!("clang-{version}"));
    ["cc".to_owned(), "clang".to_owned()].into_iter().chain(clangs).filter(runs).collect()
}

fn compile(compiler: &str, source: &Path, target: &Path) {
    let output = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .args([target, source])
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_example_compiles_without_warnings_and_passes_its_checks() {
    let checks = c_files("xtask/tests/examples");
    let compilers = compilers();
    assert!(!checks.is_empty() && !compilers.is_empty());
    for source in &checks {
        let name = source.file_stem().expect("a C file has a name").to_string_lossy();
        for compiler in &compilers {
            let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{compiler}"));
            compile(compiler, source, &program);
            let output = Command::new(&program).output().expect("the program runs");
            assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn every_example_has_checks() {
    let names = |folder| -> Vec<_> {
        c_files(folder).iter().map(|path| path.file_name().map(ToOwned::to_owned)).collect()
    };
    assert_eq!(names("examples"), names("xtask/tests/examples"));
}
