//! `testwright bench real`: tests for the functions of real projects, each function on its own within a budget.

mod projects;

use super::record;
use crate::args::{self, BenchReal};
use crate::exit::{Exit, Failure};
use crate::load;
use projects::{PROJECTS, Project, Unit};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use std::{env, fs, thread};
use testwright_base::build::Build;

/// A function to be tested.
struct Job {
    project: &'static str,
    unit: Unit,
    function: String,
}

/// What came of it.
struct Row {
    project: &'static str,
    file: String,
    function: String,
    seconds: f64,
    /// Its part of the summary, or why there is none.
    outcome: Result<Value, String>,
}

/// Generates tests for every function and tells what was reached.
pub fn perform(arguments: &BenchReal) -> Result<Exit, Failure> {
    let chosen = chosen(&arguments.only)?;
    let mut rows = Vec::new();
    for project in chosen {
        let units = match project.units() {
            Ok(units) => units,
            Err(why) => {
                eprintln!("{} is left out: {why}", project.name);
                continue;
            }
        };
        let (jobs, mut failed) = jobs(project, &units);
        rows.append(&mut failed);
        rows.extend(work(&jobs, arguments));
        if !arguments.json {
            print(project.name, &rows);
        }
    }
    let report = to_json(&rows, &arguments.budget);
    if arguments.json {
        println!("{report:#}");
    } else {
        let mean = report["mean_share"].as_f64().unwrap_or(0.0);
        println!("  mean share of the branches that are not proved infeasible: {:.1} %", 100.0 * mean);
        println!(
            "  {} tests; a greedy cover of all cases kept takes {}",
            report["tests"], report["greedy_cover"]
        );
    }
    if arguments.record {
        eprintln!("recorded in {}", record::write_value("real", &report)?.display());
    }
    Ok(Exit::Done)
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

/// A job for each function; files that cannot be built have a row right away.
fn jobs(project: &'static Project, units: &[Unit]) -> (Vec<Job>, Vec<Row>) {
    let (mut jobs, mut failed) = (Vec::new(), Vec::new());
    for unit in units {
        let target = args::Target { targets: vec![unit.file.clone()], flags: unit.flags.clone() };
        let session = match load::load(&target, &[Build::RunWithDistances, Build::Trace]) {
            Ok(session) => session,
            Err(failure) => {
                let why = failure.message.lines().next().unwrap_or_default().to_owned();
                failed.push(Row { outcome: Err(why), ..row(project.name, &unit.file, "(whole file)", 0.0) });
                continue;
            }
        };
        let own = session.subject().functions.iter().filter(|function| !function.model);
        let is_meant = |name: &str| project.functions.is_empty() || project.functions.contains(&name);
        jobs.extend(own.filter(|function| is_meant(&function.name)).map(|function| Job {
            project: project.name,
            unit: unit.clone(),
            function: function.name.clone(),
        }));
    }
    (jobs, failed)
}

fn row(project: &'static str, file: &Path, function: &str, seconds: f64) -> Row {
    let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Row { project, file, function: function.to_owned(), seconds, outcome: Err(String::new()) }
}

/// Does the jobs, as many at a time as wanted.
fn work(jobs: &[Job], arguments: &BenchReal) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Row)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for worker in 0..arguments.jobs.max(1) {
            let (next, done) = (&next, &done);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let row = generate(job, worker, &arguments.budget);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, row));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, row)| row).collect()
}

/// A process of its own: what goes wrong with one function does not touch the others.
fn generate(job: &Job, worker: usize, budget: &str) -> Row {
    let started = Instant::now();
    let out = env::temp_dir().join(format!("testwright-real-{}-{worker}", std::process::id()));
    let outcome = generate_into(job, &out, budget);
    let _ = fs::remove_dir_all(&out);
    let seconds = started.elapsed().as_secs_f64();
    Row { outcome, ..row(job.project, &job.unit.file, &job.function, seconds) }
}

fn generate_into(job: &Job, out: &Path, budget: &str) -> Result<Value, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .arg("generate")
        .arg(&job.unit.file)
        .args(["--function", &job.function, "--budget", budget, "--out"])
        .arg(out)
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

/// The share of the branches that are not proved infeasible that a test shows; none without branches.
fn share(function: &Value) -> Option<f64> {
    let count = |name: &str| function["branches"][name].as_f64().unwrap_or(0.0);
    let possible = count("total") - count("infeasible");
    (possible > 0.0).then(|| count("covered") / possible)
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

fn print(project: &str, rows: &[Row]) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.project == project).collect();
    println!("  {project}: {} functions", own.len());
    let mut shares = Vec::new();
    for row in &own {
        let text = match &row.outcome {
            Err(why) => why.clone(),
            Ok(function) => {
                shares.extend(share(function));
                let count = |name: &str| function["branches"][name].as_u64().unwrap_or(0);
                let verified = if function["verified"] == true { "" } else { "   NOT VERIFIED" };
                format!(
                    "{:>4}/{:<4} branches, {} infeasible, {} tests{verified}",
                    count("covered"),
                    count("total"),
                    count("infeasible"),
                    function["tests"]
                )
            }
        };
        println!("    {:<16} {:<40} {:>5.1} s  {text}", row.file, row.function, row.seconds);
    }
    println!("    mean share of the branches that are not proved infeasible: {:.1} %", 100.0 * mean(&shares));
}

fn to_json(rows: &[Row], budget: &str) -> Value {
    let shares: Vec<f64> = rows.iter().filter_map(|row| share(row.outcome.as_ref().ok()?)).collect();
    let functions: Vec<Value> = rows
        .iter()
        .map(|row| {
            let mut value = json!({
                "project": row.project, "file": row.file, "function": row.function, "seconds": row.seconds,
            });
            match &row.outcome {
                Err(why) => value["explained"] = json!(why),
                Ok(function) => {
                    value["share"] = json!(share(function));
                    for key in [
                        "branches",
                        "tests",
                        "greedy_cover",
                        "verified",
                        "divergences",
                        "skipped",
                        "uncovered",
                        "assumptions",
                    ] {
                        value[key] = function[key].clone();
                    }
                    value["findings"] = json!(function["findings"].as_array().map_or(0, Vec::len));
                }
            }
            value
        })
        .collect();
    let (tests, greedy_cover) = (sum(rows, "tests"), sum(rows, "greedy_cover"));
    json!({
        "budget": budget, "mean_share": mean(&shares), "tests": tests, "greedy_cover": greedy_cover,
        "functions": functions,
    })
}

/// The sum of a number of each function.
fn sum(rows: &[Row], name: &str) -> u64 {
    rows.iter().filter_map(|row| row.outcome.as_ref().ok()?[name].as_u64()).sum()
}
