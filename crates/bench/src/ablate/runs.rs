//! Runs to the target of each subject of the Fitnex experiment.

use super::{Row, in_parallel};
use crate::args::BenchAblate;
use crate::fitnex::{PATIENCE, files, marked, target};
use std::fs;
use std::path::Path;
use std::time::Instant;
use testwright_base::build::Build;
use testwright_base::json::parse_case;
use testwright_code::frontend;
use testwright_engine::build;
use testwright_engine::build::loaded::LoadedSubject;
use testwright_engine::{Failure, Solo};
use testwright_search::heuristics::Off;
use testwright_search::strategy::Strategy;

/// A row for each subject, with a column for each variant.
pub fn measure(variants: &[Off], arguments: &BenchAblate) -> Result<Vec<Row>, Failure> {
    let files = files(&arguments.folder)?;
    in_parallel(files.len(), arguments.jobs, |index| row(&files[index], variants, arguments))
}

fn row(file: &Path, variants: &[Off], arguments: &BenchAblate) -> Result<Row, Failure> {
    let text = fs::read_to_string(file)?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut values = Vec::new();
    for off in variants {
        let mut logarithms = 0.0;
        for seed in 1..=arguments.seeds.max(1) {
            logarithms += runs(file, &text, &name, (*off, seed), arguments.cap)?.ln();
        }
        values.push((logarithms / arguments.seeds.max(1) as f64).exp());
    }
    Ok(Row { name, values })
}

/// Runs until the target is hit; the cap if it is not.
fn runs(file: &Path, text: &str, name: &str, (off, seed): (Off, u64), cap: u64) -> Result<f64, Failure> {
    // LoadedSubject remembers what it offered, so each search has its own.
    let sources = frontend().resolve(&[file.to_owned()], &[])?;
    let session = build::load_sources(&sources, &[Build::RunWithDistances, Build::Trace])?;
    let subject = session.subject().clone();
    let function = build::function(&subject, name)?;
    let target = target(&subject, text, function)
        .ok_or_else(|| Failure::usage(format!("{} marks no target inside a branch", file.display())))?;
    let start = parse_case(&subject, function, &marked(text, "start:").unwrap_or_default())?;
    let mut code = LoadedSubject::new(session).without(off);
    let solo = Solo {
        subject: &subject,
        function,
        start: Some(start),
        only: Some(vec![target]),
        strategy: Strategy::default(),
        off,
        seed,
        runs: cap,
        thorough: false,
        deadline: Some(Instant::now() + PATIENCE),
        interrupted: crate::console::interrupted(),
        observe: None,
    };
    solo.search(&mut code, &mut build::solver::chain(None)?, |_, search| {
        search.coverage().first_hit(target).map_or(cap as f64, |run| f64::from(run.0) + 1.0)
    })
}
