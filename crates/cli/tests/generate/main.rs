//! `testwright generate` end to end: explored, written, compiled, run.

mod branchless;
mod config;
mod findings;
mod interrupt;
mod limits;
mod manual;
mod reasons;
mod stubs;
mod suite;
mod support;
