//! `stdio.h`, as far as it prints integers, characters and texts into memory, and streams that are inputs.
//!
//! `vsnprintf` and `vsprintf` are modelled; the variadic functions are made of them by the host, since
//! Rust cannot define one. A format that asks for anything else goes to the native function as a whole.

mod directive;
mod format;
mod print;
mod stream;
mod va_list;

pub use format::*;
pub use print::*;
pub use stream::*;
pub use va_list::VaList;
