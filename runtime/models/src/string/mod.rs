//! `string.h` and `strings.h`: texts that end with a zero byte.

mod compare;
mod copy;
mod search;
mod token;

pub(crate) use compare::fold;
pub use compare::*;
pub use copy::*;
pub use search::*;
pub use token::*;
