//! The contract between instrumented code, the worker process and the host.
//!
//! Three parties share memory and call each other: the *instrumenter* emits code that uses fixed
//! addresses and a table of functions, the *worker* maps those addresses and fills the table, and
//! the *host* reads what a run left behind. Everything they must agree on is written here, once:
//!
//! * [`memory`]: where things are mapped, and the shape of the shared segment;
//! * [`control`]: the control block at the start of the shared segment;
//! * [`expr`]: expression nodes and their operations;
//! * [`event`]: what a traced run records besides expressions;
//! * [`table`]: the functions that instrumented code may call;
//! * [`command`]: what host and worker tell each other through pipes;
//! * [`draw`]: random values, computed alike by worker and host;
//! * [`mutant`]: small changes of the code, all in one build;
//! * [`fitness`], [`climb`], [`target_search`]: searches for one target that go on inside the worker.
//!
//! This crate has no `unsafe`, no dependency, and does no IO.
#![no_std]
#![forbid(unsafe_code)]

pub mod climb;
pub mod command;
pub mod confine;
pub mod control;
pub mod draw;
pub mod effect;
pub mod event;
pub mod expr;
pub mod fitness;
pub mod libm;
pub mod memory;
pub mod mutant;
pub mod table;
pub mod target_search;
