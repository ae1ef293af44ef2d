//! `testwright generate` end to end: explored, written, compiled, run.

mod branchless;
mod budget;
mod config;
mod contracts;
mod coverage;
mod damage;
mod findings;
mod flags;
mod formats;
mod globals;
mod handles;
mod heap;
mod inputs;
mod interrupt;
mod limits;
mod manual;
mod predicted;
mod reasons;
mod registers;
mod replay;
mod size;
mod status;
mod stubs;
mod suite;
mod support;
mod techniques;
