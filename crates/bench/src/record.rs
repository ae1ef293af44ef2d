//! Results on record: `bench/runs/<date>-<machine>/<experiment>.json`.

use super::figures::Figure;
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, thread};
use testwright_engine::Failure;

/// The figures with what they were measured on.
pub fn to_json(figures: &[Figure]) -> serde_json::Value {
    let figures: Vec<_> = figures
        .iter()
        .map(|figure| {
            let mut value = serde_json::to_value(figure).unwrap_or_default();
            value["met"] = json!(figure.is_met());
            value
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "machine": machine(),
        "figures": figures,
    })
}

/// What is measured on.
pub fn machine() -> serde_json::Value {
    json!({"processor": processor(), "cores": thread::available_parallelism().map_or(0, usize::from)})
}

/// Writes the figures below this folder and says where.
pub fn write(experiment: &str, figures: &[Figure]) -> Result<PathBuf, Failure> {
    write_value(experiment, &to_json(figures))
}

/// Writes the results of an experiment below this folder and says where.
pub fn write_value(experiment: &str, value: &serde_json::Value) -> Result<PathBuf, Failure> {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.entry("machine").or_insert_with(machine);
    }
    write_text(experiment, &format!("{value:#}\n"))
}

/// Writes the results of an experiment, JSON as it is to stand there, and says where.
pub fn write_text(experiment: &str, text: &str) -> Result<PathBuf, Failure> {
    let date = Command::new("date").arg("+%F").output()?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_owned();
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let folder =
        env::current_dir()?.join(format!("bench/runs/{date}-{}-{cores}", machine_word(&processor())));
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{experiment}.json"));
    // Whoever interrupts this finds the earlier record or this one, never half of it.
    let beside = folder.join(format!(".{experiment}.json"));
    fs::write(&beside, text)?;
    fs::rename(&beside, &path)?;
    Ok(path)
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    line.map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned())
}

/// A word for the processor: `xeon`, `epyc`, `core`.
fn machine_word(processor: &str) -> String {
    let known = ["xeon", "epyc", "ryzen", "core"];
    let lower = processor.to_lowercase();
    known.iter().find(|word| lower.contains(**word)).map_or("machine", |word| *word).to_owned()
}
