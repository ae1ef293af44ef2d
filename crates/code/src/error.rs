//! What can go wrong between source and subject, in words for the user.

use std::io;
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The compiler does not accept what a function is said to require.
    #[error("{file}:{line}: `{function}` requires `{text}`, which does not compile: {complaint}")]
    Condition {
        /// The file that states it.
        file: String,
        /// The line.
        line: u32,
        /// The function.
        function: String,
        /// The expression.
        text: String,
        /// What the compiler says.
        complaint: String,
    },
    /// There is no clang.
    #[error(
        "no clang found (looked for {tried}). Install one, for example with `apt-get install clang`, or name \
         one with the environment variable TESTWRIGHT_CLANG"
    )]
    ClangMissing {
        /// The names that were looked for.
        tried: String,
    },
    /// The clang that was named or found cannot be used.
    #[error("{} cannot be used as clang: {reason}. Name another with the environment variable TESTWRIGHT_CLANG", path.display())]
    ClangUnusable {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The compiler refused the source.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A file that is not C.
    #[error("{} is not a C file: Testwright reads files that end in .c or .i", .0.display())]
    NotC(PathBuf),
    /// A file or folder that does not exist.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// A folder without a compilation database.
    #[error(
        "{} is a folder without compile_commands.json. Name a C file, or let the build system write one (CMake: \
         -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: `bear -- make`)",
        .0.display()
    )]
    NoDatabase(PathBuf),
    /// A compilation database that cannot be read.
    #[error("{}: {message}", path.display())]
    Database {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A flag that asks for code this machine cannot run.
    #[error(
        "the compiler flag {flag} asks for other code than x86-64, which Testwright could not run. Add {instead} after -- \
         to test it as code for x86-64, where sizes of types may differ"
    )]
    OtherTarget {
        /// The flag.
        flag: String,
        /// The flag that asks for code that can be run.
        instead: &'static str,
    },
    /// The files do not fit together.
    #[error("the files do not link: {0}")]
    Link(String),
    /// The code has more outcomes than the maps that record them.
    #[error("the code has {count} outcomes; Testwright can record {limit}. Name fewer files")]
    TooLarge {
        /// How many it has.
        count: u64,
        /// How many are possible.
        limit: u64,
    },
    /// LLVM reports an error.
    #[error(transparent)]
    Llvm(#[from] testwright_llvm::Error),
    /// The operating system refused something.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The reason.
        source: io::Error,
    },
}

/// The compiler's own message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// As the compiler wrote it.
    pub message: String,
}

impl CodeError {
    /// An error of the operating system about a file.
    pub(crate) fn io(verb: &str, path: &Path, source: io::Error) -> CodeError {
        CodeError::Io { what: format!("cannot {verb} {}", path.display()), source }
    }
}
