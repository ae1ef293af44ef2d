//! What the command line names, loaded: targets with a note about files that are left out, cases, limits.

use crate::args;
use crate::exit::Failure;
use std::fs;
use std::time::Duration;
use testwright_base::build::Build;
use testwright_engine::build::{self, rivals};
pub use testwright_engine::build::{case, first_of, function, locate, until_prepared, worker_program};
use testwright_engine::request::Target;
use testwright_exec::{Limits, Session};

/// A worker that has loaded builds of the target. Tells of files that are left out.
pub fn load(target: &Target, builds: &[Build]) -> Result<Session, Failure> {
    let session = build::load(target, builds)?;
    for file in rivals(target, &session)? {
        eprintln!("testwright: note: {file} is left out: it defines what another file defines too");
    }
    Ok(session)
}

/// Limits as the user gave them.
pub fn limits(given: args::Limits) -> Result<Limits, Failure> {
    let wall = Duration::try_from_secs_f64(given.wall)
        .ok()
        .filter(|wall| !wall.is_zero())
        .ok_or_else(|| Failure::usage("--wall takes a number of seconds above 0"))?;
    if given.steps == 0 || given.memory == 0 {
        return Err(Failure::usage("--steps and --memory take numbers above 0"));
    }
    let heap = given.memory.saturating_mul(1 << 20).min(testwright_exec::HEAP_MAX);
    Ok(Limits { steps: given.steps, wall, heap })
}

/// The text of a case: as given, or from a file named after `@`.
pub fn case_text(given: &str) -> Result<String, Failure> {
    let Some(path) = given.strip_prefix('@') else { return Ok(given.to_owned()) };
    fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read the case from {path}: {error}")))
}
