//! The build script refuses Rust toolchains whose LLVM does not fit, and names those that do.

use crate::support::ROOT;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Compiles the build script and runs it with a compiler that says it has this LLVM.
fn build_script(folder: &Path, llvm: &str) -> Output {
    let script = folder.join("build-script");
    let status = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "--crate-name", "build_script", "-o"])
        .arg(&script)
        .arg(Path::new(ROOT).join("sys/llvm/build.rs"))
        .status()
        .expect("rustc starts");
    assert!(status.success());
    let rustc = folder.join("rustc");
    let says = format!(
        "#!/bin/sh\nif [ \"$1\" = --print ]; then echo {}; else echo 'LLVM version: {llvm}'; fi\n",
        folder.display()
    );
    // Another process writes it: a child of another thread may hold what we have open, and then it cannot be run.
    let write = "printf %s \"$2\" >\"$1\" && chmod 755 \"$1\"";
    let status = Command::new("sh").args(["-c", write, "sh"]).arg(&rustc).arg(says).status();
    assert!(status.expect("sh starts").success());
    Command::new(script).env("RUSTC", rustc).current_dir(folder).output().expect("the build script starts")
}

#[track_caller]
fn check(llvm: &str, libraries: &[&str], expected: Result<&str, &str>) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("lib")).unwrap();
    for library in libraries {
        fs::write(folder.path().join("lib").join(library), "").unwrap();
    }
    let output = build_script(folder.path(), llvm);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match expected {
        Ok(linked) => assert!(output.status.success() && out.contains(linked), "{out}{err}"),
        Err(message) => {
            assert_eq!(output.status.code(), Some(1));
            assert!(err.contains(message), "{err}");
        }
    }
}

#[test]
fn the_llvm_of_rustc_1_95_is_linked() {
    check("22.1.2", &["libLLVM.so.22.1-rust-1.95.0"], Ok("dylib:+verbatim=libLLVM.so.22.1-rust-1.95.0"));
}

#[test]
fn another_llvm_is_refused_with_those_that_are_supported() {
    let message = "this Rust toolchain contains LLVM 20.1.8, which Testwright does not support. Supported: LLVM 22 \
                   (rustc 1.95). Choose such a toolchain, for example `rustup override set 1.95`.";
    check("20.1.8", &["libLLVM.so.20.1-rust-1.90.0"], Err(message));
}

#[test]
fn a_toolchain_without_the_library_is_refused() {
    check("22.1.2", &["librustc_driver.so"], Err("Install Rust with rustup"));
}
