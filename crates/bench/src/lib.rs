//! `testwright bench`: Testwright measured against alternatives in the same run.
#![forbid(unsafe_code)]

mod ablate;
pub mod args;
mod augmentation;
mod console;
mod crashes;
mod csmith;
mod debian;
mod figures;
mod fitnex;
mod instructions;
mod loading;
mod measure;
mod mutants;
mod optimal;
mod real;
mod record;
mod run_build;
mod searched;
mod self_check;
mod simulate;
mod steps;
mod symbolic;
mod trace_build;
mod truth;
mod wilcoxon;

pub use ablate::perform as ablate;
use args::BenchCore;
pub use augmentation::perform as augmentation;
pub use console::{Console, show_on};
use console::{line, remark};
use figures::Figure;
pub use fitnex::perform as fitnex;
pub use optimal::perform as optimal;
pub use real::perform as real;
pub use simulate::perform as simulate;
pub use symbolic::perform as symbolic_fitness;
use testwright_engine::Failure;
pub use truth::perform as truth;

/// The parts of `bench core`, by name.
const PARTS: [&str; 9] =
    ["run", "trace", "load", "crash", "csmith", "explore", "steps", "mutants", INSTRUCTIONS];

/// The part that has a record of its own.
const INSTRUCTIONS: &str = "instructions";

/// `testwright bench core`: every figure of the execution core.
pub fn core(arguments: &BenchCore) -> Result<(), Failure> {
    if let Some(unknown) = arguments.only.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(Failure::usage(format!(
            "--only takes {}; `{unknown}` is none of them",
            PARTS.join(", ")
        )));
    }
    let mut figures = Vec::new();
    for part in PARTS {
        if arguments.only.is_empty() || arguments.only.iter().any(|only| only == part) {
            let measured = measure_part(part, arguments)?;
            if !arguments.json {
                measured.iter().for_each(Figure::print);
            }
            if part == INSTRUCTIONS {
                remark!("{}", instructions::compilers()?);
                if arguments.record {
                    remark!("recorded in {}", instructions::record(&measured)?.display());
                }
            }
            figures.extend(measured);
        }
    }
    if arguments.json {
        line!("{:#}", record::to_json(&figures));
    }
    let has_others = arguments.only.is_empty() || arguments.only.iter().any(|only| only != INSTRUCTIONS);
    if arguments.record && has_others {
        remark!("recorded in {}", record::write("core", &figures)?.display());
    }
    Ok(())
}

fn measure_part(part: &str, arguments: &BenchCore) -> Result<Vec<Figure>, Failure> {
    match part {
        "run" => run_build::measure(),
        "trace" => trace_build::measure(),
        "load" => loading::measure(),
        "crash" => crashes::measure(arguments.crashes),
        "explore" => searched::measure(),
        "steps" => steps::measure(),
        INSTRUCTIONS => instructions::measure(),
        "mutants" => mutants::measure(),
        _ => csmith::measure(arguments.seed, arguments.csmith),
    }
}
