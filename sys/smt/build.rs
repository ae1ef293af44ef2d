//! Makes sure that there is a Z3 to link, and tells the final binaries where it lies.
//!
//! The build script of `z3-sys` links `libz3.so` from the same folder.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let folder = env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from).unwrap_or_default();
    let library = folder.join("libz3.so");
    println!("cargo:rerun-if-changed={}", library.display());
    if !library.exists() {
        fail(&library);
    }
    // The folder can be a link into the user's cache; the binary should not need the link.
    let folder = folder.canonicalize().unwrap_or(folder);
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    // Final binaries in other packages need the same rpath: their build scripts read this.
    println!("cargo:libdir={}", folder.display());
}

fn fail(library: &Path) -> ! {
    let message = format!(
        "Z3 is missing: there is no {}. Run `make setup` once, or set Z3_LIBRARY_PATH_OVERRIDE to the folder of \
         a libz3.so of version 4.13.3 or newer.",
        library.display()
    );
    println!("cargo:warning={message}");
    eprintln!("{message}");
    std::process::exit(1);
}
