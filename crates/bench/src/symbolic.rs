//! The experiment on symbolic fitness: evaluations that searches need with the standard and with the symbolic function.
//!
//! One search per branch, no credit for accidental coverage, the same seeds for both functions (METHODS.md 3). Searches
//! start anywhere in the domain of the types, and every scalar is varied, as in the paper.

mod measure;
mod report;
mod subjects;

use super::{figures::Figure, record};
use crate::args::BenchSymbolic;
use crate::console::{line, remark};
use measure::{Measured, measure};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use subjects::Subject;
use testwright_engine::Failure;
use testwright_search::sbst::Settings;

/// How much is done.
pub struct Protocol {
    /// How many seeds.
    pub seeds: u64,
    /// The first of them; the others follow.
    pub first_seed: u64,
    /// Evaluations per search.
    pub evaluations: u64,
    /// How searches go.
    pub settings: Settings,
}

/// `testwright bench symbolic-fitness`
pub fn perform(arguments: &BenchSymbolic) -> Result<(), Failure> {
    let mut settings = Settings::default();
    for text in &arguments.settings {
        settings.set(text).map_err(Failure::usage)?;
    }
    settings.check().map_err(Failure::usage)?;
    let (seeds, evaluations) = if arguments.quick { (5, 20_000) } else { (30, settings.evaluations) };
    let seeds = arguments.seeds.unwrap_or(seeds).max(1);
    let protocol = Protocol { seeds, first_seed: arguments.first_seed, evaluations, settings };
    let (mut subjects, mut missing) = (subjects::ours(&arguments.subjects)?, Vec::new());
    if !arguments.quick {
        for real in subjects::real() {
            match real {
                Ok(subject) => subjects.push(subject),
                Err(why) => missing.push(why),
            }
        }
    }
    subjects.retain(|subject| arguments.only.is_empty() || arguments.only.contains(&subject.function));
    if subjects.is_empty() {
        return Err(Failure::usage("--only names no subject of the experiment"));
    }
    if !arguments.json {
        report::print_head();
    }
    let measured = measure_all(&subjects, &protocol, arguments, &mut missing)?;
    let figures = report::figures(&measured);
    let json = report::to_json(&measured, &figures, &protocol, &missing);
    if arguments.json {
        line!("{json:#}");
    } else {
        report::print_all(&measured);
        for why in &missing {
            line!("  left out: {why}");
        }
        figures.iter().for_each(Figure::print);
    }
    if arguments.record {
        remark!("recorded in {}", record::write_value("symbolic-fitness", &json)?.display());
    }
    Ok(())
}

/// All subjects, several at a time; the last ones first, because real functions take longest.
fn measure_all(
    subjects: &[Subject],
    protocol: &Protocol,
    arguments: &BenchSymbolic,
    missing: &mut Vec<String>,
) -> Result<Vec<Measured>, Failure> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<Measured, Failure>)>> = Mutex::new(Vec::new());
    let jobs = arguments
        .jobs
        .map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |jobs| jobs as usize);
    thread::scope(|scope| {
        for _ in 0..jobs.min(subjects.len()) {
            scope.spawn(|| {
                while let Some(index) = subjects.len().checked_sub(next.fetch_add(1, Ordering::Relaxed) + 1) {
                    let measured = measure(&subjects[index], protocol);
                    if let (Ok(measured), false) = (&measured, arguments.json) {
                        report::print_row(measured, arguments.branches);
                    }
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, measured));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    let mut all = Vec::new();
    for (index, measured) in results {
        match measured {
            Ok(measured) => all.push(measured),
            Err(failure) if subjects[index].is_real => {
                let reason = failure.message.lines().next().unwrap_or_default();
                missing.push(format!("{}: {reason}", subjects[index].function));
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(all)
}
