//! Our own subjects and examples, checked with the self-check: on every case that a search comes to, both builds have to do the
//! same, and an independent evaluator has to compute every expression to the value that was recorded.

use super::figures::{Aim, Figure};
use super::run_build::sources;
use super::self_check::disagreements;
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::ids::FunctionId;
use testwright_base::start::plainest_case;
use testwright_code::frontend::Sources;
use testwright_engine::Failure;
use testwright_engine::Solo;
use testwright_engine::build;
use testwright_engine::build::loaded::LoadedSubject;
use testwright_search::heuristics::Off;
use testwright_search::strategy::Strategy;

/// Each function is explored for so many runs, and no longer than this.
const RUNS: u64 = 100;
const TIME: Duration = Duration::from_secs(10);

/// A file of `subjects` or `examples`.
macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../", $path)))
    };
}

const FILES: [(&str, &str); 8] = [
    file!("subjects/core/base64.c"),
    file!("subjects/core/ends.c"),
    file!("subjects/core/inventory.c"),
    file!("examples/base64.c"),
    file!("examples/crc32.c"),
    file!("examples/points.c"),
    file!("examples/strings.c"),
    file!("examples/triangle.c"),
];

/// What exploring came to.
#[derive(Debug, Default)]
struct Checked {
    functions: u64,
    runs: u64,
    divergences: u64,
    disagreements: u64,
}

/// Runs on which the builds or the evaluator disagree, and runs that did not follow their path.
pub fn measure() -> Result<Vec<Figure>, Failure> {
    let folder = testwright_scratch::folder()?;
    let mut checked = Checked::default();
    for (path, text) in FILES {
        let name = path.replace('/', "_");
        check(&sources(folder.path(), &name, text)?, &mut checked)?;
    }
    let Checked { functions, runs, divergences, disagreements } = checked;
    let note = format!("{runs} runs of {functions} functions, {RUNS} at most of each");
    let none = |name: &str, count: u64| Figure::new(name, count as f64, "", Aim::AtMost(0.0), &note);
    Ok(vec![
        none("explored cases that disagree", disagreements),
        none("runs that diverge from the path they were made for", divergences),
    ])
}

fn check(sources: &Sources, checked: &mut Checked) -> Result<(), Failure> {
    let session = build::load_sources(sources, &[Build::RunWithDistances, Build::Trace])?;
    let subject = session.subject().clone();
    let mut code = LoadedSubject::new(session);
    for (index, function) in subject.functions.iter().enumerate() {
        let id = FunctionId(index as u32);
        if function.internal || function.model || function.blocks.is_empty() {
            continue;
        }
        // Some parameters no value can be built of.
        if plainest_case(&subject, id).is_err() {
            continue;
        }
        let solo = Solo {
            subject: &subject,
            function: id,
            start: None,
            only: None,
            strategy: Strategy::default(),
            off: Off::default(),
            seed: 0,
            runs: RUNS,
            thorough: true,
            deadline: Some(Instant::now() + TIME),
            interrupted: crate::console::interrupted(),
            observe: None,
        };
        let mut solver = build::solver::chain(None)?;
        solo.search(&mut code, &mut solver, |code, search| {
            checked.functions += 1;
            checked.runs += search.runs().len() as u64;
            checked.divergences += search.counts().divergences;
            disagreements(code, search).map(|count| checked.disagreements += count)
        })??;
    }
    Ok(())
}
