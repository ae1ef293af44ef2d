//! `testwright bench ablate`: what each heuristic is worth. Each is switched off in turn and compared with everything on.
//!
//! On the subjects of Fitnex, the runs to the target count: the geometric mean over the seeds for each subject. On real code it is the
//! share of branches that tests show after a fixed time. Pairs of one subject, with a heuristic and without, go into Wilcoxon's test.

mod effect;
mod real;
mod runs;

use super::record;
use crate::args::{AblateSubjects, BenchAblate};
use crate::console;
use crate::console::{line, remark};
use effect::Effect;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use testwright_engine::Failure;
use testwright_search::heuristics::{self, About, Heuristic, Off, Part};

/// A subject with what was measured: first with everything on, then without each heuristic.
pub struct Row {
    /// Its name.
    pub name: String,
    /// A value for each.
    pub values: Vec<f64>,
}

/// Measures, prints and records.
pub fn perform(arguments: &BenchAblate) -> Result<(), Failure> {
    let refused = |problem: String| Failure::usage(format!("--only: {problem}"));
    let named: Result<Vec<Heuristic>, String> =
        arguments.only.iter().map(|name| Heuristic::named(name)).collect();
    let named = named.map_err(refused)?;
    let is_meant = |about: &&About| named.is_empty() || named.contains(&about.heuristic);
    let mut report = Vec::new();
    for kind in &arguments.subjects {
        // Searches of the Fitnex experiment have one technique and one function.
        let acts = |about: &&About| *kind != AblateSubjects::Fitnex || about.part != Part::Engine;
        let meant: Vec<&About> = heuristics::ALL.iter().filter(is_meant).filter(acts).collect();
        let mut variants = vec![Off::default()];
        variants.extend(meant.iter().map(|about| Off::default().with(about.heuristic)));
        let rows = match kind {
            AblateSubjects::Fitnex => runs::measure(&variants, arguments)?,
            AblateSubjects::Real | AblateSubjects::Gsl => real::measure(*kind, &meant, arguments)?,
        };
        if console::interrupted().load(Ordering::Relaxed) {
            return Ok(());
        }
        let effects = (1..).zip(&meant).map(|(column, about)| Effect::new(about.name, *kind, &rows, column));
        let effects: Vec<Effect> = effects.collect();
        if !arguments.json {
            print(*kind, &rows, &effects);
        }
        report.push(to_json(*kind, &rows, &effects));
    }
    let report = json!({
        "cap": arguments.cap, "seeds": arguments.seeds, "budget": arguments.budget, "measured": report,
    });
    if arguments.json {
        line!("{report:#}");
    }
    if arguments.record {
        remark!("recorded in {}", record::write_value("ablate", &report)?.display());
    }
    Ok(())
}

fn print(kind: AblateSubjects, rows: &[Row], effects: &[Effect]) {
    let what = if kind == AblateSubjects::Fitnex { "runs without / with" } else { "branches with - without" };
    line!(
        "  {} {}s; {what}",
        rows.len(),
        if kind == AblateSubjects::Fitnex { "subject" } else { "function" }
    );
    line!("  {:<22} {:>8} {:>8} {:>7} {:>6}  verdict", "heuristic", "mean", "p", "better", "worse");
    effects.iter().for_each(|effect| line!("  {}", effect.line()));
}

fn to_json(kind: AblateSubjects, rows: &[Row], effects: &[Effect]) -> Value {
    let effects: Vec<Value> = effects.iter().map(Effect::to_json).collect();
    let on: serde_json::Map<String, Value> =
        rows.iter().map(|row| (row.name.clone(), json!(round(row.values[0])))).collect();
    json!({"subjects": kind.name(), "everything_on": on, "heuristics": effects})
}

/// Four digits behind the point.
fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Does `count` jobs, some at a time, and returns what they brought in their order. The first failure ends it.
fn in_parallel<T: Send>(
    count: usize,
    threads: Option<u32>,
    work: impl Fn(usize) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let threads =
        threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |n| n as usize);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, count.max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || console::interrupted().load(Ordering::Relaxed) {
                        break;
                    }
                    let result = work(index);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((index, result));
                    remark!("  [{}/{count}]", done.len());
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
