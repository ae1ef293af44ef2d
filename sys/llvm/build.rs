//! Links the LLVM that the Rust toolchain ships, and refuses toolchains whose LLVM we do not know.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// Major versions whose C API the bindings match.
const SUPPORTED: &[&str] = &["22"];

fn main() {
    println!("cargo:rerun-if-env-changed=RUSTC");
    let rustc = env::var("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(&rustc).args(["--print", "sysroot"]).output().expect("rustc runs");
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let folder = sysroot.join("lib");
    let version = llvm_version(&rustc);
    let major = version.split('.').next().unwrap_or_default();
    if !SUPPORTED.contains(&major) {
        fail(&format!(
            "this Rust toolchain contains LLVM {version}, which Testwright does not support. Supported: LLVM {} \
             (rustc 1.95). Choose such a toolchain, for example `rustup override set 1.95`.",
            SUPPORTED.join(", ")
        ));
    }
    let library = fs::read_dir(&folder)
        .ok()
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .find(|name| name.starts_with("libLLVM.so."));
    let Some(library) = library else {
        fail(&format!(
            "no libLLVM.so.* in {}: Testwright links the LLVM that rustup's toolchains ship. Install Rust with \
             rustup; distribution packages of rustc link LLVM differently.",
            folder.display()
        ));
    };
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib:+verbatim={library}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    // Final binaries in other packages need the same rpath: their build scripts read this.
    println!("cargo:libdir={}", folder.display());
}

fn llvm_version(rustc: &str) -> String {
    let output = Command::new(rustc).args(["--version", "--verbose"]).output().expect("rustc runs");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: ").map(str::to_owned))
        .unwrap_or_else(|| "of unknown version".to_owned())
}

fn fail(message: &str) -> ! {
    println!("cargo:warning={message}");
    eprintln!("{message}");
    std::process::exit(1);
}
