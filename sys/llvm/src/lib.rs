//! The fence around LLVM: one type per file, raw pointers never leave.
//!
//! [`Context`] owns everything; [`Module`], [`Value`], [`Block`] and [`Type`] borrow it. Values and blocks are
//! small copies of a reference into a module, as LLVM's own C API has them.
//!
//! What keeps this sound: the lifetime ties every reference to its context, contexts are neither `Send` nor
//! `Sync`, and a module lives as long as its context unless it is linked into another one. LLVM does not tell us
//! which references die when an instruction is deleted, so [`Value::erase`] only takes it out of its block; see `erased.rs`.
//! What LLVM's passes and [`Value::erase_global`] delete is gone: no value may be kept across those.

/// Calls LLVM with references that the types of this crate guard.
///
/// For the many one-line wrappers: a [`Value`], [`Type`], [`Block`] or [`Builder`] refers to something alive in a
/// live context; functions that LLVM defines only for some kinds of values are guarded, or documented to be called
/// on these; operand types are checked by LLVM's verifier before code is emitted.
macro_rules! llvm {
    ($($code:tt)*) => {
        // SAFETY: as the macro's documentation says.
        unsafe { $($code)* }
    };
}

mod attribute;
mod block;
mod builder;
mod constant;
mod context;
mod erased;
mod global;
mod location;
mod module;
mod target;
mod types;
mod value;

pub use block::Block;
pub use builder::Builder;
pub use context::Context;
pub use llvm_sys::LLVMIntPredicate as IntPredicate;
pub use llvm_sys::LLVMOpcode as Opcode;
pub use llvm_sys::LLVMRealPredicate as RealPredicate;
pub use location::Location;
pub use module::{Module, Tuning};
pub use target::Target;
pub use types::{Kind, Type};
pub use value::{Value, version};

/// What LLVM said went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("LLVM: {0}")]
pub struct Error(pub String);
