//! C source to bitcode: find clang, find the flags, compile every file.

mod clang;
mod command;
mod companion;
mod compile;
mod database;
mod declared;
mod definitions;
mod dependencies;
mod flags;
mod handle;
mod known;
mod macros;
mod parameters;
mod precondition;
mod response;
mod rival;
mod source;

pub use clang::Clang;
pub(crate) use companion::COMPANION;
pub use compile::{Bitcode, compile, compile_natively, link};
pub use handle::{Handle, handles};
pub use known::Used;
pub use parameters::Parameters;
pub use precondition::{Condition, compile_requiring};
pub use rival::{Fitting, LeftOutFile, fitting};
pub use source::{Sources, Unit, resolve};

#[cfg(test)]
mod tests;
