//! The verbs, one file each.

mod doctor;
mod explore;
mod fitness;
mod generate;
mod graph;
mod init;
mod mutate;
mod outcomes;
mod replay;
mod report;
mod run;
mod show;
mod sites;
mod terminal;
mod trace;

use crate::args::Verb;
use crate::console::Terminal;
use crate::exit::{Exit, Failure};
use std::io::{self, Write};
use testwright_bench::args::Bench;

/// The header that users may include in their code.
const HEADER: &str = include_str!("testwright.h");

/// Does what was asked.
pub fn perform(verb: &Verb) -> Result<Exit, Failure> {
    match verb {
        Verb::Generate(generate) => generate::perform(generate),
        Verb::Explore(explore) => explore::perform(explore),
        Verb::Replay(replay) => replay::perform(replay),
        Verb::Mutate(mutate) => mutate::perform(mutate),
        Verb::MutateUnit(unit) => mutate::unit(&unit.arguments),
        Verb::Run(run) => run::perform(run),
        Verb::Init(init) => init::perform(init),
        Verb::Doctor => doctor::perform(),
        Verb::Header => put(HEADER).map(|()| Exit::Done),
        Verb::Show(show) => show::perform(show),
        Verb::Simulate(simulate) => experiment(|| testwright_bench::simulate(simulate)),
        Verb::Bench(Bench::Ablate(ablate)) => experiment(|| testwright_bench::ablate(ablate)),
        Verb::Bench(Bench::Augmentation(augmentation)) => {
            experiment(|| testwright_bench::augmentation(augmentation))
        }
        Verb::Bench(Bench::Core(core)) => experiment(|| testwright_bench::core(core)),
        Verb::Bench(Bench::Fitnex(fitnex)) => experiment(|| testwright_bench::fitnex(fitnex)),
        Verb::Bench(Bench::Optimal(optimal)) => experiment(|| testwright_bench::optimal(optimal)),
        Verb::Bench(Bench::Real(real)) => experiment(|| testwright_bench::real(real)),
        Verb::Bench(Bench::Truth(truth)) => {
            testwright_bench::show_on(&Terminal);
            let is_true = testwright_bench::truth(truth)?;
            Ok(if is_true { Exit::Done } else { Exit::Found })
        }
        Verb::Bench(Bench::SymbolicFitness(symbolic)) => {
            experiment(|| testwright_bench::symbolic_fitness(symbolic))
        }
    }
}

/// Performs an experiment, which shows what it finds on the terminal.
fn experiment(perform: impl FnOnce() -> Result<(), Failure>) -> Result<Exit, Failure> {
    testwright_bench::show_on(&Terminal);
    perform().map(|()| Exit::Done)
}

/// Writes to standard output.
fn put(text: &str) -> Result<(), Failure> {
    io::stdout()
        .write_all(text.as_bytes())
        .and_then(|()| io::stdout().flush())
        .map_err(|error| Failure::usage(format!("cannot write the output: {error}")))
}
