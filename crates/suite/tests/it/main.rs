//! Suites of hand-made cases: what is written, and whether compilers accept it and the tests pass.

mod compile;
mod earlier;
mod findings;
mod literals;
mod shrink;
mod sketch;
mod testcomp;
mod triangle;
mod values;
