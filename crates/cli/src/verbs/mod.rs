//! The verbs, one file each.

mod graph;
mod outcomes;
mod report;
mod run;
mod show;
mod sites;
mod trace;

use crate::args::{Bench, Verb};
use crate::bench;
use crate::exit::{Exit, Failure};
use std::io::{self, ErrorKind, Write};

/// Does what was asked.
pub fn perform(verb: &Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Run(run) => run::perform(run),
        Verb::Show(show) => show::perform(show),
        Verb::Bench(Bench::Core(core)) => bench::core(core),
    }
}

/// Writes to standard output. A reader that has seen enough, such as `head`, is no error.
fn put(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}
