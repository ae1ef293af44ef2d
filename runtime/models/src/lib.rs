//! Models of libc functions: plain code that does what glibc does, written to be instrumented.
//!
//! A trace build that calls the real `strlen` loses what the result has to do with the text. So the
//! functions of [`NAMES`] are written here once more, as byte loops whose every decision is a branch on
//! data, compiled to bitcode and linked into the trace build of a subject, where they are instrumented
//! like the subject's own code. The model of `strlen` is called `tw_model_strlen`.
//!
//! Run build and trace build must agree, so a model returns exactly what glibc returns on x86-64 Linux
//! in the C locale, also where C leaves it open: `isalpha` gives 1024, `strcmp` the difference of two
//! bytes, `errno` and end pointers are set alike.
//!
//! Rules for the code: no panic, no allocation but through `malloc`, no formatting, no table where a comparison
//! of ranges does. `tests/bitcode.rs` holds the result against them.
//!
//! C's `char *` and `void *` are `*const u8` and `*mut u8` here: the same to the calling convention.
#![no_std]
#![no_builtins]
#![expect(clippy::missing_safety_doc, reason = "a model is called under the contract of its C function")]
#![expect(
    unsafe_op_in_unsafe_fn,
    reason = "a model does nothing but what the contract of its C function lets it do"
)]

pub mod ctype;
pub mod memory;
pub mod stdio;
pub mod stdlib;
pub mod string;

mod flags;
mod libc;
mod names;

pub use flags::COMPILER_FLAGS;
pub use names::NAMES;
