//! The Fitnex experiment: how many runs each strategy needs to reach the target of each subject.

use super::self_check::disagreements;
use super::{record, wilcoxon};
use crate::args::BenchFitnex;
use crate::console;
use crate::console::{line, part, remark};
use serde_json::json;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::json::parse_case;
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_code::frontend;
use testwright_engine::Failure;
use testwright_engine::Solo;
use testwright_engine::build;
use testwright_engine::build::loaded::LoadedSubject;
use testwright_search::concolic::StepRecord;
use testwright_search::heuristics::Off;
use testwright_search::strategy::{DEFAULT, WITHOUT_FITNEX};

/// Strategies by the names of the table.
const STRATEGIES: [(&str, &str); 4] = [
    ("default", DEFAULT),
    ("without-fitnex", WITHOUT_FITNEX),
    ("random", "random"),
    ("iterative-deepening", "breadth-first"),
];

/// A search that takes longer is given up. Far more than any needs, because runs are counted, not time.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Runs needed, one column per strategy; the cap where the target was not reached.
struct Row {
    name: String,
    blocks: usize,
    runs: Vec<f64>,
    divergences: u64,
    /// Expressions and runs that the self-check found wrong.
    disagreements: u64,
    solver: Flips,
}

/// How flips of the default strategy were answered.
#[derive(Debug, Default)]
struct Flips {
    /// With a model, and of these by Z3.
    sat: u64,
    sat_by_z3: u64,
    /// Microseconds of each query.
    times: Vec<f64>,
}

/// `testwright bench fitnex`
pub fn perform(arguments: &BenchFitnex) -> Result<(), Failure> {
    let files = files(&arguments.subjects)?;
    if !arguments.json {
        part!("  {:<20} {:>6}", "subject", "blocks");
        STRATEGIES.iter().for_each(|(name, _)| part!(" {name:>20}"));
        line!();
    }
    let mut rows = Vec::new();
    for file in files {
        let row = measure(&file, arguments)?;
        if !arguments.json {
            part!("  {:<20} {:>6}", row.name, row.blocks);
            for runs in &row.runs {
                let text = if *runs >= arguments.cap as f64 {
                    format!(">{}", arguments.cap)
                } else {
                    format!("{runs:.0}")
                };
                part!(" {text:>20}");
            }
            line!();
        }
        rows.push(row);
    }
    let report = to_json(&rows);
    if arguments.json {
        line!("{report:#}");
    } else {
        summarise(&rows, arguments.cap);
    }
    if arguments.record {
        remark!("recorded in {}", record::write_value("fitnex", &report)?.display());
    }
    Ok(())
}

/// The C files of a folder.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", folder.display())))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect();
    files.sort();
    Ok(files)
}

fn summarise(rows: &[Row], cap: u64) {
    let line = |title: &str, texts: Vec<String>| {
        part!("  {title:<27}");
        texts.iter().for_each(|text| part!(" {text:>20}"));
        line!();
    };
    line("improvement over random", improvement(rows).iter().map(|x| format!("{x:.1}x")).collect());
    let p_values = significance(rows);
    line("p of the difference", p_values.iter().map(|p| format!("{p:.1e}")).collect());
    let reached = |index: usize| rows.iter().filter(|row| row.runs[index] < cap as f64).count();
    line("targets reached", (0..STRATEGIES.len()).map(|index| reached(index).to_string()).collect());
    let worst = |index: usize| rows.iter().map(|row| row.runs[index]).fold(0.0, f64::max);
    line("most runs", (0..STRATEGIES.len()).map(|index| format!("{:.0}", worst(index))).collect());
    let (share, median) = solved_without_z3(rows);
    line!(
        "  flips of the default strategy: {:.1} % of those satisfiable without Z3, median {median:.0} us",
        share * 100.0
    );
    line!(
        "  {} divergences, {} disagreements of the self-check",
        rows.iter().map(|row| row.divergences).sum::<u64>(),
        rows.iter().map(|row| row.disagreements).sum::<u64>()
    );
}

/// The share of satisfiable flips that were answered without Z3, and the median time of a query in microseconds.
fn solved_without_z3(rows: &[Row]) -> (f64, f64) {
    let sum = |count: fn(&Flips) -> u64| rows.iter().map(|row| count(&row.solver)).sum::<u64>() as f64;
    let mut times: Vec<f64> = rows.iter().flat_map(|row| row.solver.times.iter().copied()).collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    (1.0 - sum(|flips| flips.sat_by_z3) / sum(|flips| flips.sat).max(1.0), median)
}

/// For each strategy, how likely differences from random choice like these would be by chance.
fn significance(rows: &[Row]) -> Vec<f64> {
    let random = STRATEGIES.iter().position(|(name, _)| *name == "random").unwrap_or(0);
    // Ratios matter, not differences: 10 runs instead of 20 are as good as 100 instead of 200.
    let pairs = |index: usize| -> Vec<(f64, f64)> {
        rows.iter().map(|row| (row.runs[index].ln(), row.runs[random].ln())).collect()
    };
    (0..STRATEGIES.len()).map(|index| wilcoxon::p_value(&pairs(index))).collect()
}

/// The mean over the subjects of how many times fewer runs than random each strategy needs.
fn improvement(rows: &[Row]) -> Vec<f64> {
    let random = STRATEGIES.iter().position(|(name, _)| *name == "random").unwrap_or(0);
    let mean = |index: usize| {
        rows.iter().map(|row| row.runs[random] / row.runs[index]).sum::<f64>() / rows.len().max(1) as f64
    };
    (0..STRATEGIES.len()).map(mean).collect()
}

fn measure(file: &Path, arguments: &BenchFitnex) -> Result<Row, Failure> {
    let text = fs::read_to_string(file)?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let sources = frontend().resolve(&[file.to_owned()], &[])?;
    let session = build::load_sources(&sources, &[Build::RunWithDistances, Build::Trace])?;
    let subject = session.subject().clone();
    let function = build::function(&subject, &name)?;
    let target = target(&subject, &text, function)
        .ok_or_else(|| Failure::usage(format!("{} marks no target inside a branch", file.display())))?;
    let start = parse_case(&subject, function, &marked(&text, "start:").unwrap_or_default())?;
    let mut code = LoadedSubject::new(session);
    let mut row = Row {
        name,
        blocks: subject.function(function).blocks.len(),
        runs: Vec::new(),
        divergences: 0,
        disagreements: 0,
        solver: Flips::default(),
    };
    for (strategy_name, strategy) in STRATEGIES {
        let mut runs: Vec<f64> = Vec::new();
        for seed in 1..=arguments.repeat.max(1) {
            let strategy =
                strategy.parse().map_err(|_| Failure::bug("a strategy of the table does not parse"))?;
            let is_default = strategy_name == "default";
            let times = RefCell::new(Vec::new());
            let observe = |step: &StepRecord| {
                if let Some(flip) = &step.flip {
                    times.borrow_mut().push(flip.solver_time.as_secs_f64() * 1e6);
                }
            };
            let solo = Solo {
                subject: &subject,
                function,
                start: Some(start.clone()),
                only: Some(vec![target]),
                strategy,
                off: Off::default(),
                seed,
                runs: arguments.cap,
                thorough: false,
                deadline: Some(Instant::now() + PATIENCE),
                interrupted: console::interrupted(),
                observe: Some(&observe),
            };
            let mut solver = build::solver::chain(None)?;
            let is_checked = is_default && arguments.self_check;
            let (reached, divergences, wrong) = solo.search(&mut code, &mut solver, |code, search| {
                let reached = search.coverage().first_hit(target).map(|run| f64::from(run.0) + 1.0);
                let wrong = if is_checked { disagreements(code, search) } else { Ok(0) };
                (reached, search.counts().divergences, wrong)
            })?;
            row.disagreements += wrong?;
            row.divergences += divergences;
            runs.push(reached.unwrap_or(arguments.cap as f64));
            if is_default {
                let statistics = solver.statistics();
                row.solver.times.extend(times.into_inner());
                row.solver.sat += statistics.sat;
                row.solver.sat_by_z3 += statistics.layers.last().map_or(0, |layer| layer.sat);
            }
        }
        runs.sort_by(f64::total_cmp);
        row.runs.push(runs[runs.len() / 2]);
    }
    Ok(row)
}

/// What stands in the comment `/* KEY .. */`.
pub fn marked(text: &str, key: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("/* {key}"))?;
    Some(rest.split_once("*/")?.0.trim().to_owned())
}

/// The true outcome of the last branch before the line that is marked.
pub fn target(subject: &Subject, text: &str, function: FunctionId) -> Option<OutcomeId> {
    let line = text.lines().position(|line| line.contains("/* target */"))? as u32 + 1;
    let before =
        subject.sites.iter().filter(|site| site.function == function && site.kind == SiteKind::Branch);
    let placed = before.filter_map(|site| Some((site.place.as_ref()?, site)));
    let (_, site) = placed
        .filter(|(place, site)| place.line < line && site.outcome_count > 0)
        .max_by_key(|(place, _)| (place.line, place.column))?;
    Some(site.first_outcome)
}

fn to_json(rows: &[Row]) -> serde_json::Value {
    let named = |values: &[f64]| {
        let pairs =
            STRATEGIES.iter().zip(values).map(|((name, _), value)| ((*name).to_owned(), json!(value)));
        serde_json::Value::Object(pairs.collect())
    };
    let subjects: Vec<_> = rows
        .iter()
        .map(|row| json!({"name": row.name, "blocks": row.blocks, "runs": named(&row.runs)}))
        .collect();
    let (without_z3, median) = solved_without_z3(rows);
    json!({"subjects": subjects, "improvement_over_random": named(&improvement(rows)),
           "p_values": named(&significance(rows)),
           "satisfiable_flips_without_z3": without_z3, "median_flip_us": median,
           "divergences": rows.iter().map(|row| row.divergences).sum::<u64>(),
           "disagreements": rows.iter().map(|row| row.disagreements).sum::<u64>()})
}
