//! The Fitnex experiment: how many runs each strategy needs to reach the target of each subject.

use crate::args::BenchFitnex;
use crate::code::Code;
use crate::exit::{Exit, Failure};
use crate::load;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::json::parse_case;
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_code::c;
use testwright_search::explore::{Config, Limits, Search};
use testwright_search::strategy::{DEFAULT, WITHOUT_FITNEX};

/// Strategies by the names of the table.
const STRATEGIES: [(&str, &str); 4] = [
    ("default", DEFAULT),
    ("without-fitnex", WITHOUT_FITNEX),
    ("random", "random"),
    ("iterative-deepening", "breadth-first"),
];

/// Runs needed, one column per strategy; the cap where the target was not reached.
struct Row {
    name: String,
    blocks: usize,
    runs: Vec<f64>,
    divergences: u64,
}

/// `testwright bench fitnex`
pub fn perform(arguments: &BenchFitnex) -> Result<Exit, Failure> {
    let mut files: Vec<_> = fs::read_dir(&arguments.subjects)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", arguments.subjects.display())))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    if !arguments.json {
        print!("  {:<20} {:>6}", "subject", "blocks");
        STRATEGIES.iter().for_each(|(name, _)| print!(" {name:>20}"));
        println!();
    }
    let mut rows = Vec::new();
    for file in files {
        let row = measure(&file, arguments)?;
        if !arguments.json {
            print!("  {:<20} {:>6}", row.name, row.blocks);
            for runs in &row.runs {
                let text = if *runs >= arguments.cap as f64 {
                    format!(">{}", arguments.cap)
                } else {
                    format!("{runs:.0}")
                };
                print!(" {text:>20}");
            }
            println!();
        }
        rows.push(row);
    }
    let improvement = improvement(&rows);
    if arguments.json {
        println!("{:#}", to_json(&rows, &improvement));
    } else {
        print!("  {:<27}", "mean improvement over random");
        improvement.iter().for_each(|factor| print!(" {:>20}", format!("{factor:.1}x")));
        println!("\n  divergences {}", rows.iter().map(|row| row.divergences).sum::<u64>());
    }
    Ok(Exit::Done)
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
    let sources = c::resolve(&[file.to_owned()], &[])?;
    let session = load::load_sources(&sources, &[Build::RunWithDistances, Build::Trace])?;
    let subject = session.subject().clone();
    let function = load::function(&subject, &name)?;
    let target = target(&subject, &text, function)
        .ok_or_else(|| Failure::usage(format!("{} marks no target inside a branch", file.display())))?;
    let start = parse_case(&subject, function, &marked(&text, "start:").unwrap_or_default())?;
    let mut code = Code { session };
    let mut row =
        Row { name, blocks: subject.function(function).blocks.len(), runs: Vec::new(), divergences: 0 };
    for (_, strategy) in STRATEGIES {
        let mut runs: Vec<f64> = Vec::new();
        for seed in 1..=arguments.repeat.max(1) {
            let strategy =
                strategy.parse().map_err(|_| Failure::bug("a strategy of the table does not parse"))?;
            let config = Config { strategy, seed, goals: Some(vec![target]), ..Config::default() };
            let mut search = Search::new(config, &subject, function, start.clone());
            let limits = Limits {
                runs: Some(arguments.cap),
                deadline: Some(Instant::now() + Duration::from_secs(60)),
                until_covered: true,
                interrupted: Some(crate::interrupt::flag()),
            };
            let mut solver = crate::solver::chain(None)?;
            search.run(&mut code, &mut solver, &limits, &mut |_| {});
            let reached = search.coverage().first_hit(target).map(|run| f64::from(run.0) + 1.0);
            runs.push(reached.unwrap_or(arguments.cap as f64));
            row.divergences += search.counts().divergences;
        }
        runs.sort_by(f64::total_cmp);
        row.runs.push(runs[runs.len() / 2]);
    }
    Ok(row)
}

/// What stands in the comment `/* KEY .. */`.
fn marked(text: &str, key: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("/* {key}"))?;
    Some(rest.split_once("*/")?.0.trim().to_owned())
}

/// The true outcome of the last branch before the line that is marked.
fn target(subject: &Subject, text: &str, function: FunctionId) -> Option<OutcomeId> {
    let line = text.lines().position(|line| line.contains("/* target */"))? as u32 + 1;
    let before =
        subject.sites.iter().filter(|site| site.function == function && site.kind == SiteKind::Branch);
    let placed = before.filter_map(|site| Some((site.place.as_ref()?, site)));
    let (_, site) = placed
        .filter(|(place, site)| place.line < line && site.outcome_count > 0)
        .max_by_key(|(place, _)| (place.line, place.column))?;
    Some(site.first_outcome)
}

fn to_json(rows: &[Row], improvement: &[f64]) -> serde_json::Value {
    let named = |values: &[f64]| {
        let pairs =
            STRATEGIES.iter().zip(values).map(|((name, _), value)| ((*name).to_owned(), json!(value)));
        serde_json::Value::Object(pairs.collect())
    };
    let subjects: Vec<_> = rows
        .iter()
        .map(|row| json!({"name": row.name, "blocks": row.blocks, "runs": named(&row.runs)}))
        .collect();
    json!({"subjects": subjects, "improvement_over_random": named(improvement),
           "divergences": rows.iter().map(|row| row.divergences).sum::<u64>()})
}
