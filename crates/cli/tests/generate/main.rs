//! `testwright generate` end to end: explored, written, compiled, run.

mod branchless;
mod config;
mod coverage;
mod findings;
mod formats;
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
