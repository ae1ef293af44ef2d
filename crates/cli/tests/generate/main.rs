//! `testwright generate` end to end: explored, written, compiled, run.

mod branchless;
mod config;
mod findings;
mod inputs;
mod interrupt;
mod limits;
mod manual;
mod reasons;
mod suite;
mod support;
