//! The verbs, one file each.

mod doctor;
mod explore;
mod fitness;
mod generate;
mod graph;
mod init;
mod outcomes;
mod replay;
mod report;
mod run;
mod show;
mod simulate;
mod sites;
mod trace;

use crate::args::{Bench, Verb};
use crate::bench;
use crate::exit::{Exit, Failure};
use std::io::{self, Write};

/// The header that users may include in their code.
const HEADER: &str = include_str!("testwright.h");

/// Does what was asked.
pub fn perform(verb: &Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Generate(generate) => generate::perform(generate),
        Verb::Explore(explore) => explore::perform(explore),
        Verb::Replay(replay) => replay::perform(replay),
        Verb::Run(run) => run::perform(run),
        Verb::Init(init) => init::perform(init),
        Verb::Doctor => doctor::perform(),
        Verb::Header => put(HEADER).map(|()| Exit::Done),
        Verb::Show(show) => show::perform(show),
        Verb::Simulate(simulate) => simulate::perform(simulate),
        Verb::Bench(Bench::Core(core)) => bench::core(core),
        Verb::Bench(Bench::Fitnex(fitnex)) => bench::fitnex(fitnex),
        Verb::Bench(Bench::Optimal(optimal)) => bench::optimal(optimal),
        Verb::Bench(Bench::Real(real)) => bench::real(real),
        Verb::Bench(Bench::Truth(truth)) => bench::truth(truth),
        Verb::Bench(Bench::SymbolicFitness(symbolic)) => bench::symbolic_fitness(symbolic),
    }
}

/// Writes to standard output.
fn put(text: &str) -> Result<(), Failure> {
    io::stdout()
        .write_all(text.as_bytes())
        .and_then(|()| io::stdout().flush())
        .map_err(|error| Failure::usage(format!("cannot write the output: {error}")))
}
