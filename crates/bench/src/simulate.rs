//! `testwright simulate`: how far strategies are from the optimum, on random models.

mod plot;

use crate::args::{EstimateName, Simulate};
use crate::console;
use crate::console::put;
use serde::{Serialize, Serializer};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testwright_engine::Failure;
use testwright_engine::outputs;
use testwright_search::plan::markov::Estimate;
use testwright_search::simulate::model::SIZES;
use testwright_search::simulate::study::{Config, Progress, STRATEGIES, Study, study};

/// The most models of a size, and the most repetitions.
const MOST: usize = 1_000_000;

/// `testwright simulate`
pub fn perform(arguments: &Simulate) -> Result<(), Failure> {
    let config = config(arguments)?;
    outputs::check(&arguments.plot, outputs::PLOT)?;
    let start = Instant::now();
    let mut shown = Shown::new();
    let study = study(&config, &mut |progress| shown.show(progress))
        .map_err(|error| Failure::usage(error.to_string()));
    shown.clear();
    let Some(study) = study? else {
        return Err(Failure::usage("interrupted; nothing was written"));
    };
    outputs::write(&arguments.plot, outputs::PLOT, &plot::svg(&study))?;
    if arguments.json {
        let report = Report { states: &study.sizes, relative_cost: &study.relative_cost };
        let json = serde_json::to_string(&report).map_err(|error| Failure::bug(error.to_string()))?;
        put(&format!("{json}\n"));
    } else {
        put(&table(&study, arguments, start.elapsed()));
    }
    Ok(())
}

fn config(arguments: &Simulate) -> Result<Config, Failure> {
    let refuse = |flag: &str, value: usize, least: usize, most: usize| {
        Failure::usage(format!("{flag} takes numbers from {least} to {most}; not {value}"))
    };
    if let Some(states) = arguments.states.iter().find(|states| !SIZES.contains(states)) {
        return Err(refuse("--states", *states, *SIZES.start(), *SIZES.end()));
    }
    for (flag, value) in [("--models", arguments.models), ("--repetitions", arguments.repetitions)] {
        if !(1..=MOST).contains(&value) {
            return Err(refuse(flag, value, 1, MOST));
        }
    }
    Ok(Config {
        sizes: arguments.states.clone(),
        models: arguments.models,
        repetitions: arguments.repetitions,
        estimate: match arguments.estimate {
            EstimateName::Laplace => Estimate::Laplace,
            EstimateName::GoodTuring => Estimate::GoodTuring,
        },
        seed: arguments.seed,
    })
}

/// What standard error says about progress: a line that changes on a terminal, else a line every few seconds.
struct Shown {
    interrupted: &'static AtomicBool,
    is_terminal: bool,
    last: Instant,
}

impl Shown {
    fn new() -> Shown {
        let is_terminal = console::is_terminal();
        Shown { interrupted: console::interrupted(), is_terminal, last: Instant::now() }
    }

    fn show(&mut self, progress: Progress) -> ControlFlow<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let pause = Duration::from_millis(if self.is_terminal { 200 } else { 10_000 });
        if self.last.elapsed() >= pause {
            let Progress { states, done, total } = progress;
            let (begin, end) = if self.is_terminal { ("\r", " ") } else { ("", "\n") };
            console::show(&format!("{begin}{done} of {total} models, now {states} states{end}"));
            self.last = Instant::now();
        }
        ControlFlow::Continue(())
    }

    fn clear(&self) {
        if self.is_terminal {
            console::show(&format!("\r{:60}\r", ""));
        }
    }
}

/// The study for programs, strategies in the order of the table.
#[derive(Serialize)]
struct Report<'a> {
    states: &'a [usize],
    #[serde(serialize_with = "by_name")]
    relative_cost: &'a [Vec<f64>],
}

fn by_name<S: Serializer>(costs: &&[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(STRATEGIES.iter().map(|strategy| strategy.name).zip(*costs))
}

fn table(study: &Study, arguments: &Simulate, elapsed: Duration) -> String {
    let mut text = String::from("cost relative to the optimum\n\n");
    let _ = write!(text, "  {:<8}", "states");
    study.sizes.iter().for_each(|states| _ = write!(text, " {states:>8}"));
    let _ = write!(text, "\n  {:<8}", "optimal");
    study.sizes.iter().for_each(|_| _ = write!(text, " {:>8.2}", 1.0));
    for (strategy, costs) in STRATEGIES.iter().zip(&study.relative_cost) {
        let _ = write!(text, "\n  {:<8}", strategy.name);
        costs.iter().for_each(|cost| _ = write!(text, " {cost:>8.2}"));
        let _ = write!(text, "   {}", strategy.about);
    }
    let Simulate { models, repetitions, seed, plot, .. } = arguments;
    let _ = write!(text, "\n\n{models} models per size, {repetitions} repetitions, seed {seed}");
    let _ = writeln!(text, ", {:.1} s; plot in {}", elapsed.as_secs_f64(), plot.display());
    text
}
