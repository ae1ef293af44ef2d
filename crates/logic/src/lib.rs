//! From the trace of a run to its path condition.
//!
//! A traced run leaves expression nodes and events behind. [`expr`] turns the nodes into [`expr::Exprs`], an
//! arena that can be trusted; [`path`] turns the events into a [`path::Path`], the outcomes of the run with
//! the constraint that each puts on the inputs. Both can be evaluated for other inputs, compared with what
//! the run recorded, and printed for any SMT solver.
//!
//! This crate is pure: no IO, no printing, no `unsafe`. What it is given crossed a process boundary where
//! code under test could have damaged it, so nothing here panics on what nodes or events say.
#![forbid(unsafe_code)]

pub mod expr;
pub mod path;
pub mod solve;

#[cfg(test)]
mod testing;
