//! `ctype.h` in the C locale: the functions, and the tables behind glibc's macros.
//!
//! Arguments that C allows are -1 and 0 to 255; glibc's tables start at -128, and so do the models.

mod class;
mod table;

pub use class::*;
pub use table::*;
