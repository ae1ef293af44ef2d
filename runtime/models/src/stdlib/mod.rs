//! `stdlib.h` and `inttypes.h`: numbers from texts, arithmetic, sorting and searching.

mod arithmetic;
mod float;
mod integer;
mod scan;
mod sort;

pub use arithmetic::*;
pub use float::*;
pub use integer::*;
pub use sort::*;
