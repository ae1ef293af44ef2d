//! Compiles the library models to bitcode with the same rustc, so that the bitcode's version always fits.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn main() {
    let folder =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../runtime/models");
    let source = folder.join("src");
    println!("cargo:rerun-if-changed={}", source.display());
    println!("cargo:rerun-if-changed={}", folder.display());
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("models.bc");
    let rustc = env::var("RUSTC").expect("set by cargo");
    let status = Command::new(rustc)
        .args(testwright_models::COMPILER_FLAGS)
        .arg("--emit=llvm-bc")
        .arg("-o")
        .arg(&out)
        .arg(source.join("lib.rs"))
        .status()
        .expect("rustc runs");
    assert!(status.success(), "the library models in {} do not compile", source.display());
    // Everything that decides what a build looks like: stale cache entries must not be used.
    let mut id = fs::read(&out).expect("rustc wrote the models");
    id.extend(env::var("CARGO_PKG_VERSION").expect("set by cargo").bytes());
    println!("cargo:rustc-env=TESTWRIGHT_MODELS_HASH={}", fingerprint(&id));
}

/// FNV-1a: enough to tell two builds of the models apart.
fn fingerprint(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}
