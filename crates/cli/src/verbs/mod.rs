//! The verbs, one file each.

mod graph;
mod run;
mod show;

use crate::args::{Bench, Verb};
use crate::bench;
use crate::exit::{Exit, Failure};

/// Does what was asked.
pub fn perform(verb: &Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Run(run) => run::perform(run),
        Verb::Show(show) => show::perform(show),
        Verb::Bench(Bench::Core(core)) => bench::core(core),
    }
}
