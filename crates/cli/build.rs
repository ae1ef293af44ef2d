//! Lets the binary find the LLVM of the Rust toolchain and Z3 also when cargo does not start it.

fn main() {
    for library in ["LLVM", "SMT"] {
        if let Ok(folder) = std::env::var(format!("DEP_TESTWRIGHT_{library}_LIBDIR")) {
            println!("cargo:rustc-link-arg-bin=testwright=-Wl,-rpath,{folder}");
            println!("cargo:rustc-link-arg-tests=-Wl,-rpath,{folder}");
        }
    }
}
