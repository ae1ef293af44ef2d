//! `testwright generate` end to end: explored, written, compiled, run.

mod branchless;
mod config;
mod contracts;
mod coverage;
mod findings;
mod formats;
mod globals;
mod inputs;
mod interrupt;
mod limits;
mod manual;
mod reasons;
mod replay;
mod stubs;
mod suite;
mod support;
mod techniques;
