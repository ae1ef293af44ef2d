//! What runs inside a worker process: the fork server, the run loop, and what instrumented code calls.
//!
//! A worker is three nested things, one file each:
//!
//! * [`worker`]: the process that is started. It lays out its memory (`space`), enters the sandbox
//!   (`sandbox`, `filter`, `calls`), loads the libraries (`library`) and becomes the `server`;
//! * `server`: forks a child, and another one whenever the child has died. It alone talks to the host about
//!   processes; each child has a `channel` of its own for commands;
//! * `child`: reads commands and carries them out: `single` runs, the `batch` loop, a `target_search`. Before each
//!   run `reset` makes the process what it was before the first. `stepping` counts the instructions of one.
//!
//! Code under test runs inside a `protect`ed call on a stack of its own. It leaves it by returning,
//! by an escape (`replacements::ending`), or by a signal (`signals`), which the child does not survive.
//!
//! System calls that reach beyond the process are stopped by the filter; `effects` notes them. A finished program is
//! run by [`worker`] too: `confine`.
//!
//! Everything is single-threaded, and the code under test cannot make threads; statics rely on it.

mod batch;
mod calls;
mod channel;
mod child;
mod confine;
mod effects;
mod filter;
mod gate;
mod intact;
mod library;
mod mutants;
mod native;
mod observe;
mod own;
mod protect;
mod quota;
mod readable;
mod replacements;
mod request;
mod reset;
mod sandbox;
mod server;
mod shared;
mod signals;
mod single;
mod space;
mod stepping;
mod table;
mod target_search;
pub mod trace;
pub mod worker;
