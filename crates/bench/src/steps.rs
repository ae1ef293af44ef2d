//! The cost of a step: it should not grow with the number of steps before it.
//!
//! Each subject has a branch that no input reaches, so that searches for it go on for as long as they may.

use super::figures::{Aim, Figure};
use super::run_build::sources;
use std::time::Instant;
use testwright_base::build::Build;
use testwright_engine::build;
use testwright_engine::build::loaded::LoadedSubject;
use testwright_engine::{Failure, Solo};
use testwright_search::heuristics::Off;
use testwright_search::strategy::Strategy;
use testwright_search::tree::RunId;

/// A few runs, and many.
const RUNS: [u64; 2] = [1000, 20_000];

/// Names of functions, and the files that they are in.
const SUBJECTS: [(&str, &str); 3] = [
    ("count", include_str!("../../../subjects/steps/count.c")),
    ("machine", include_str!("../../../subjects/steps/machine.c")),
    ("words", include_str!("../../../subjects/steps/words.c")),
];

/// A search that went on until it had made so many runs.
struct Searched {
    seconds: f64,
    runs: u64,
    /// Decisions of all paths.
    decisions: u64,
}

/// What many runs cost in all, compared with a few, and how many there are in a second.
pub fn measure() -> Result<Vec<Figure>, Failure> {
    let folder = testwright_scratch::folder()?;
    let mut figures = Vec::new();
    for (name, text) in SUBJECTS {
        let sources = sources(folder.path(), &format!("{name}.c"), text)?;
        let session = build::load_sources(&sources, &[Build::RunWithDistances, Build::Trace])?;
        let mut code = LoadedSubject::new(session);
        let few = search(&mut code, name, RUNS[0])?;
        let many = search(&mut code, name, RUNS[1])?;
        let mean = |searched: &Searched| searched.decisions as f64 / searched.runs.max(1) as f64;
        let note = format!(
            "{} runs {:.2} s, {} runs {:.2} s; {:.0} and {:.0} decisions a path",
            few.runs,
            few.seconds,
            many.runs,
            many.seconds,
            mean(&few),
            mean(&many)
        );
        let most = Aim::AtMost(RUNS[1] as f64 / RUNS[0] as f64);
        figures.push(Figure::new(
            format!("{name}: time of 20 times as many runs"),
            many.seconds / few.seconds,
            "x",
            most,
            &note,
        ));
        figures.push(Figure::new(
            format!("{name}: traced runs"),
            many.runs as f64 / many.seconds,
            "/s",
            Aim::AtLeast(1000.0),
            "solving and searching included",
        ));
    }
    Ok(figures)
}

fn search(code: &mut LoadedSubject, name: &str, runs: u64) -> Result<Searched, Failure> {
    let subject = code.subject();
    let function = build::function(&subject, name)?;
    let solo = Solo {
        subject: &subject,
        function,
        start: None,
        only: None,
        strategy: Strategy::default(),
        off: Off::default(),
        seed: 1,
        runs,
        thorough: false,
        deadline: None,
        interrupted: crate::console::interrupted(),
        observe: None,
    };
    let mut solver = build::solver::chain(None)?;
    let started = Instant::now();
    solo.search(code, &mut solver, |_, search| {
        let seconds = started.elapsed().as_secs_f64();
        let runs = search.runs().len() as u64;
        let leaf = |run| search.runs().get(RunId(run)).leaf;
        let depth = |run| leaf(run).map_or(0, |leaf| u64::from(search.tree().node(leaf).depth) + 1);
        Searched { seconds, runs, decisions: (0..runs as u32).map(depth).sum() }
    })
}
