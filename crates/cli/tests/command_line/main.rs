//! The program as its users meet it: commands, what they print, how they exit.

mod bad_input;
mod cache;
mod cases;
mod ends;
mod examples;
mod isolation;
mod products;
mod setup;
mod simulate;
mod support;
mod targets;
mod toolchain;
