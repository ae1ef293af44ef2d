//! `testwright bench real`: tests for the functions of real projects, each function on its own within a budget.
//!
//! A line per function says how far it is. What is recorded grows with it, so that an interrupted run keeps what it has.

mod projects;
mod report;
mod row;
mod sample;

use super::record;
use crate::args::BenchReal;
use crate::console;
use crate::console::{line, part, remark};
use projects::{PROJECTS, Project, Unit};
use report::{Report, mean};
use row::Row;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use std::{env, fs, thread};
use testwright_base::build::Build;
use testwright_base::site::Site;
use testwright_base::subject::Subject;
use testwright_engine::Failure;
use testwright_engine::build;
use testwright_engine::request::Target;

/// A function to be tested.
pub struct Job {
    project: &'static str,
    unit: Unit,
    function: String,
    /// Outcomes of its branches.
    branches: u32,
}

impl Job {
    /// `zlib/inflate`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.project, self.function)
    }
}

/// The functions of a project.
pub fn functions(project: &str) -> Result<Vec<Job>, Failure> {
    let mut all = Vec::new();
    for project in chosen(&[project.to_owned()])? {
        let units = project.units().map_err(Failure::usage)?;
        all.extend(jobs(project, &units, &[]).0);
    }
    Ok(all)
}

/// So many functions of all projects, as `--sample` draws them.
pub fn sample(size: usize) -> Result<Vec<Job>, Failure> {
    let chosen = chosen(&[])?;
    drawn(&chosen, size, &[])
}

/// The share of the branches of a function that tests show, without a heuristic if one is named; 0 if there are none.
pub fn covered(job: &Job, budget: &str, seed: u64, without: Option<&str>) -> f64 {
    let seed = seed.to_string();
    let mut extra = vec!["--seed", seed.as_str(), "--builds", "first"];
    extra.extend(without.into_iter().flat_map(|name| ["--without", name]));
    let folder = testwright_scratch::folder().map_err(|error| error.to_string());
    let function = folder.and_then(|folder| generate_into(job, &folder.path().join("out"), budget, &extra));
    let count =
        |name: &str| function.as_ref().map_or(0.0, |told| told["branches"][name].as_f64().unwrap_or(0.0));
    count("covered") / count("total").max(1.0)
}

/// Generates tests for every function and tells what was reached.
pub fn perform(arguments: &BenchReal) -> Result<(), Failure> {
    let chosen = chosen(&arguments.only)?;
    if let Some(size) = arguments.sample {
        return sampled(&chosen, size, arguments);
    }
    let mut rows = Vec::new();
    for project in chosen {
        if is_interrupted() {
            break;
        }
        let units = match project.units() {
            Ok(units) => units,
            Err(why) => {
                remark!("{} is left out: {why}", project.name);
                continue;
            }
        };
        let (jobs, mut failed) = jobs(project, &units, &arguments.functions);
        rows.append(&mut failed);
        rows = work(&jobs, rows, arguments);
        if !arguments.json {
            print(project.name, &rows);
        }
    }
    tell(&rows, arguments)
}

/// The same for a sample of all functions, so that figures can be had in minutes.
fn sampled(chosen: &[&'static Project], size: usize, arguments: &BenchReal) -> Result<(), Failure> {
    let jobs = drawn(chosen, size, &arguments.functions)?;
    let rows = work(&jobs, Vec::new(), arguments);
    if !arguments.json {
        for project in chosen.iter().filter(|project| rows.iter().any(|row| row.project == project.name)) {
            print(project.name, &rows);
        }
    }
    tell(&rows, arguments)
}

/// A sample of the functions of these projects.
fn drawn(chosen: &[&'static Project], size: usize, names: &[String]) -> Result<Vec<Job>, Failure> {
    let mut all = Vec::new();
    for project in chosen.iter().filter(|project| project.functions.is_empty()) {
        match project.units() {
            Ok(units) => all.extend(jobs(project, &units, names).0),
            Err(why) => remark!("{} is left out: {why}", project.name),
        }
    }
    sample::drawn(all, size)
}

/// Prints what all rows come to, and records it if that was asked for.
fn tell(rows: &[Row], arguments: &BenchReal) -> Result<(), Failure> {
    let report = Report { rows, budget: &arguments.budget };
    if arguments.json {
        part!("{}", report.text());
    } else {
        let mean = report.mean_share();
        line!("  mean share of the branches that are not proved infeasible: {:.1} %", 100.0 * mean);
        let (tests, cover) = (report.sum("tests"), report.sum("greedy_cover"));
        line!("  {tests} tests; a greedy cover of all cases kept takes {cover}");
    }
    if arguments.record {
        remark!("recorded in {}", record::write_text("real", &report.text())?.display());
    }
    Ok(())
}

fn is_interrupted() -> bool {
    console::interrupted().load(Ordering::Relaxed)
}

fn chosen(only: &[String]) -> Result<Vec<&'static Project>, Failure> {
    let names: Vec<&str> = PROJECTS.iter().map(|project| project.name).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(Failure::usage(format!(
            "--only takes {}; `{unknown}` is none of them",
            names.join(", ")
        )));
    }
    let is_meant = |project: &&Project| only.is_empty() || only.iter().any(|name| name == project.name);
    Ok(PROJECTS.iter().filter(is_meant).collect())
}

/// A job for each function that is meant; files that cannot be built have a row right away.
fn jobs(project: &'static Project, units: &[Unit], names: &[String]) -> (Vec<Job>, Vec<Row>) {
    let (mut jobs, mut failed) = (Vec::new(), Vec::new());
    let is_meant = |name: &str| {
        (project.functions.is_empty() || project.functions.contains(&name))
            && (names.is_empty() || names.iter().any(|meant| meant == name))
    };
    for unit in units {
        let target = Target {
            targets: vec![unit.file.clone()],
            flags: unit.flags.clone(),
            allow_read: Vec::new(),
            alone: false,
        };
        let session = match build::load(&target, &[Build::RunWithDistances, Build::Trace]) {
            Ok(session) => session,
            Err(failure) => {
                let why = failure.message.lines().next().unwrap_or_default().to_owned();
                failed.push(Row::new(project.name, &unit.file, "(whole file)", 0.0, Err(why)));
                continue;
            }
        };
        let own = session.subject().functions.iter().filter(|function| !function.model);
        jobs.extend(own.filter(|function| is_meant(&function.name)).map(|function| Job {
            project: project.name,
            unit: unit.clone(),
            function: function.name.clone(),
            branches: branches(session.subject(), &function.name),
        }));
    }
    (jobs, failed)
}

/// How many outcomes the branches of a function have.
fn branches(subject: &Subject, name: &str) -> u32 {
    let is_own = |site: &&Site| site.kind.is_branch() && subject.function(site.function).name == name;
    subject.sites.iter().filter(is_own).map(|site| site.outcome_count).sum()
}

/// Does the jobs, as many at a time as wanted, and returns the rows before with theirs, in the order of the jobs.
fn work(jobs: &[Job], before: Vec<Row>, arguments: &BenchReal) -> Vec<Row> {
    let (next, kept) = (AtomicUsize::new(0), before.len());
    // Rows of earlier projects come first.
    let numbered = before.into_iter().map(|row| (None, row)).collect();
    let done: Mutex<Vec<(Option<usize>, Row)>> = Mutex::new(numbered);
    thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            let (next, done) = (&next, &done);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let row = generate(job, arguments);
                    // What was cut short says nothing about the function.
                    if is_interrupted() {
                        break;
                    }
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    remark!("  [{}/{}] {}", done.len() - kept + 1, jobs.len(), row.line());
                    done.push((Some(index), row));
                    done.sort_by_key(|(index, _)| *index);
                    if arguments.record {
                        keep(&done, &arguments.budget);
                    }
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_iter().map(|(_, row)| row).collect()
}

/// Records what there is so far. If that fails, the record at the end says why.
fn keep(done: &[(Option<usize>, Row)], budget: &str) {
    let rows: Vec<Row> = done.iter().map(|(_, row)| row.clone()).collect();
    let _ = record::write_text("real", &Report { rows: &rows, budget }.text());
}

/// A process of its own: what goes wrong with one function does not touch the others.
fn generate(job: &Job, arguments: &BenchReal) -> Row {
    let started = Instant::now();
    let outcome = match &arguments.keep {
        Some(folder) => {
            generate_into(job, &folder.join(job.project).join(&job.function), &arguments.budget, &[])
        }
        None => {
            let folder = testwright_scratch::folder().map_err(|error| error.to_string());
            folder.and_then(|folder| generate_into(job, &folder.path().join("out"), &arguments.budget, &[]))
        }
    };
    Row::new(job.project, &job.unit.file, &job.function, started.elapsed().as_secs_f64(), outcome)
}

fn generate_into(job: &Job, out: &Path, budget: &str, extra: &[&str]) -> Result<Value, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    if let Some(above) = out.parent() {
        fs::create_dir_all(above).map_err(|error| error.to_string())?;
    }
    let output = Command::new(program)
        .arg("generate")
        .arg(&job.unit.file)
        .args(["--function", &job.function, "--budget", budget, "--out"])
        .arg(out)
        .args(extra)
        .arg("--")
        .args(&job.unit.flags)
        .output()
        .map_err(|error| error.to_string())?;
    let Ok(summary) = fs::read_to_string(out.join("summary.json")) else {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(message.lines().next().unwrap_or("no summary was written").to_owned());
    };
    let summary: Value = serde_json::from_str(&summary).map_err(|error| error.to_string())?;
    let mut function = summary["functions"][0].clone();
    function["divergences"] = summary["divergences"].clone();
    function["verified"] = json!(!String::from_utf8_lossy(&output.stdout).contains("NOT VERIFIED"));
    Ok(function)
}

fn print(project: &str, rows: &[Row]) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.project == project).collect();
    line!("  {project}: {} functions", own.len());
    for row in &own {
        line!("    {:<16} {:<40} {:>5.1} s  {}", row.file, row.function, row.seconds, row.told());
    }
    let mean = 100.0 * mean(own);
    line!("    mean share of the branches that are not proved infeasible: {mean:.1} %");
}
