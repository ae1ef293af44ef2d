//! `testwright bench optimal`: the 20 GSL functions of the paper on optimal concolic testing, by every technique.
//!
//! Each function is compiled together with the files that define what it may call. Every search is a process of its own; its log
//! of steps says what was covered when.

mod closure;
mod measure;
mod plot;
mod report;

use super::record;
use crate::args::BenchOptimal;
use crate::console::{line, part, remark};
use closure::Closures;
use measure::{Job, Row, measure};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, thread};
use testwright_engine::Failure;
use testwright_engine::outputs;
use testwright_engine::request::duration;

/// The functions, with their files.
const FUNCTIONS: [(&str, &str); 20] = [
    ("specfunc/coulomb.c", "coulomb_FG0_series"),
    ("specfunc/coulomb.c", "coulomb_FGmhalf_series"),
    ("specfunc/dilog.c", "dilog_xge0"),
    ("specfunc/shint.c", "gsl_sf_Chi_e"),
    ("specfunc/bessel.c", "gsl_sf_bessel_Inu_scaled_asymp_unif_e"),
    ("specfunc/bessel.c", "gsl_sf_bessel_JY_mu_restricted"),
    ("specfunc/bessel.c", "gsl_sf_bessel_Knu_scaled_asymp_unif_e"),
    ("specfunc/bessel.c", "gsl_sf_bessel_cos_pi4_e"),
    ("specfunc/bessel.c", "gsl_sf_bessel_sin_pi4_e"),
    ("specfunc/coupling.c", "gsl_sf_coupling_6j_e"),
    ("specfunc/elljac.c", "gsl_sf_elljac_e"),
    ("specfunc/exp.c", "gsl_sf_exprel_n_e"),
    ("specfunc/hyperg.c", "gsl_sf_hyperg_U_large_b_e"),
    ("specfunc/gamma.c", "gsl_sf_lngamma_e"),
    ("specfunc/poch.c", "gsl_sf_lnpoch_sgn_e"),
    ("specfunc/poch.c", "lnpoch_pos"),
    ("linalg/tridiag.c", "solve_tridiag"),
    ("linalg/tridiag.c", "solve_tridiag_nonsym"),
    ("linalg/tridiag.c", "solve_cyc_tridiag"),
    ("linalg/tridiag.c", "solve_cyc_tridiag_nonsym"),
];

/// A technique of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Technique {
    /// What tables call it.
    pub name: &'static str,
    /// How it is asked for.
    pub arguments: &'static [&'static str],
}

/// All of them: every bidder together, the paper's own, random runs alone, and each of the paper's frontiers.
pub const TECHNIQUES: [Technique; 12] = [
    Technique { name: "all", arguments: &["--technique", "all"] },
    Technique { name: "greedy", arguments: &["--technique", "greedy"] },
    Technique { name: "random", arguments: &["--technique", "random"] },
    Technique { name: "concolic", arguments: &["--technique", "concolic"] },
    Technique { name: "rcn", arguments: &["--technique", "concolic", "--strategy", "rcn"] },
    Technique { name: "rss", arguments: &["--technique", "concolic", "--strategy", "rss"] },
    Technique { name: "rps", arguments: &["--technique", "concolic", "--strategy", "rps"] },
    Technique { name: "dfs", arguments: &["--technique", "concolic", "--strategy", "depth-first"] },
    Technique { name: "dart", arguments: &["--technique", "concolic", "--strategy", "dart"] },
    Technique { name: "gs", arguments: &["--technique", "concolic", "--strategy", "generational"] },
    Technique { name: "cgs", arguments: &["--technique", "concolic", "--strategy", "cgs"] },
    Technique { name: "sgs", arguments: &["--technique", "concolic", "--strategy", "sgs"] },
];

/// Searches every function by every technique, and tells what was covered when.
pub fn perform(arguments: &BenchOptimal) -> Result<(), Failure> {
    let budget = duration("--budget", &arguments.budget)?;
    let marks = marks(arguments, budget)?;
    let techniques = techniques(&arguments.techniques)?;
    outputs::check(&arguments.plot, outputs::PLOT)?;
    let jobs = jobs(arguments, &techniques, budget)?;
    let rows = work(&jobs, arguments.jobs.max(1));
    let report = report::Report { rows: &rows, techniques: &techniques, marks: &marks, budget };
    if arguments.json {
        line!("{:#}", report.json());
    } else {
        part!("{}", report.text());
    }
    outputs::write(&arguments.plot, outputs::PLOT, &plot::svg(&rows, &techniques, budget))?;
    remark!("plot in {}", arguments.plot.display());
    if arguments.record {
        let path = record::write_value("optimal", &report.json())?;
        fs::write(path.with_extension("svg"), plot::svg(&rows, &techniques, budget))?;
        remark!("recorded in {}", path.display());
    }
    Ok(())
}

/// When coverage is told: at the times that were named and at the end.
fn marks(arguments: &BenchOptimal, budget: Duration) -> Result<Vec<Duration>, Failure> {
    let mut marks = vec![budget];
    for text in &arguments.marks {
        marks.push(duration("--at", text)?);
    }
    marks.retain(|mark| *mark <= budget);
    marks.sort();
    marks.dedup();
    Ok(marks)
}

fn techniques(names: &[String]) -> Result<Vec<Technique>, Failure> {
    let known = || TECHNIQUES.iter().map(|technique| technique.name).collect::<Vec<_>>().join(", ");
    if let Some(unknown) =
        names.iter().find(|name| TECHNIQUES.iter().all(|technique| technique.name != **name))
    {
        return Err(Failure::usage(format!("--technique takes {}; `{unknown}` is none of them", known())));
    }
    let is_meant =
        |technique: &&Technique| names.is_empty() || names.iter().any(|name| name == technique.name);
    Ok(TECHNIQUES.iter().filter(is_meant).copied().collect())
}

fn jobs(arguments: &BenchOptimal, techniques: &[Technique], budget: Duration) -> Result<Vec<Job>, Failure> {
    let names: Vec<&str> = FUNCTIONS.iter().map(|(_, name)| *name).collect();
    if let Some(unknown) = arguments.only.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(Failure::usage(format!(
            "--only takes {}; `{unknown}` is none of them",
            names.join(", ")
        )));
    }
    let closures = Closures::new().map_err(Failure::usage)?;
    let mut jobs = Vec::new();
    let is_meant = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    for (file, function) in FUNCTIONS.iter().filter(|(_, name)| is_meant(name)) {
        let files: Vec<PathBuf> = closures.files(file, function);
        for technique in techniques {
            let (files, flags) = (files.clone(), closures.flags.clone());
            jobs.push(Job { function, technique: *technique, files, flags, budget, seed: arguments.seed });
        }
    }
    Ok(jobs)
}

/// Does the jobs, as many at a time as wanted.
fn work(jobs: &[Job], at_a_time: usize) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Row)>> = Mutex::new(Vec::new());
    let lock = || done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    thread::scope(|scope| {
        for _ in 0..at_a_time {
            let (next, lock) = (&next, &lock);
            scope.spawn(move || {
                while let Some((index, job)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(index).map(|job| (index, job))
                } {
                    let row = measure(job);
                    remark!("{}", row.line(lock().len() + 1, jobs.len()));
                    lock().push((index, row));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, row)| row).collect()
}
