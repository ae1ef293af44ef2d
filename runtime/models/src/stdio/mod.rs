//! `stdio.h`, as far as it prints integers, characters and texts into memory.
//!
//! `vsnprintf` and `vsprintf` are modelled; the variadic functions are made of them by the host, since
//! Rust cannot define one. A format that asks for anything else goes to the native function as a whole.

mod directive;
mod print;
mod va_list;

pub use print::*;
pub use va_list::VaList;
