//! Lets the binary find the LLVM of the Rust toolchain also when cargo does not start it.

fn main() {
    if let Ok(folder) = std::env::var("DEP_TESTWRIGHT_LLVM_LIBDIR") {
        println!("cargo:rustc-link-arg-bin=testwright=-Wl,-rpath,{folder}");
    }
}
