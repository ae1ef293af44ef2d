//! C as text: what the front end and the emitters of C both write.
//!
//! Only these two know C, so nothing else may need this crate.
#![forbid(unsafe_code)]

mod builtin;
mod declare;

pub use builtin::is_builtin;
pub use declare::{declare, declare_qualified};
