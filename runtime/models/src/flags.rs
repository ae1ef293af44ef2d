//! How the models are compiled for a trace build.

/// Flags for `rustc`; what remains to be said is the source, the kind of output and its place.
///
/// Just enough optimisation to inline what `core` wraps around plain operations. A loop that is
/// vectorised or unrolled would split one decision about a byte into several about their number.
pub const COMPILER_FLAGS: &[&str] = &[
    "--edition=2024",
    "--crate-type=lib",
    "--crate-name=testwright_models",
    "--target=x86_64-unknown-linux-gnu",
    "--cap-lints=allow",
    "-Copt-level=1",
    "-Cpanic=abort",
    "-Cdebuginfo=0",
    "-Coverflow-checks=off",
    "-Cdebug-assertions=off",
    "-Ccodegen-units=1",
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
    "-Cllvm-args=-unroll-runtime=false",
];
