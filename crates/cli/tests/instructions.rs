//! The guard of speed: what builds cost in instructions is what was recorded, give or take ten percent.

use std::collections::BTreeMap;
use std::process::Command;

/// Name, count and verdict of each figure; what the program remarks.
fn counted() -> (BTreeMap<String, (f64, Option<bool>)>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(["bench", "core", "--only", "instructions", "--json"])
        .output()
        .expect("testwright starts");
    let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{remarks}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let figures = report["figures"].as_array().expect("the report has figures");
    let counts = figures.iter().map(|figure| {
        let name = figure["name"].as_str().expect("a figure has a name").to_owned();
        (name, (figure["value"].as_f64().expect("it was counted"), figure["met"].as_bool()))
    });
    (counts.collect(), remarks)
}

#[test]
fn each_build_takes_as_many_instructions_as_recorded() {
    let (counts, compilers) = counted();
    assert_eq!(counts.len(), 25, "five subjects, five builds");
    if counts.values().all(|(_, met)| met.is_none()) {
        eprintln!("SKIPPED: nothing is recorded for these compilers: {compilers}");
        return;
    }
    let off: Vec<_> = counts.iter().filter(|(_, (_, met))| *met != Some(true)).collect();
    assert!(
        off.is_empty(),
        "not within 10 % of bench/instructions.json: {off:#?}\n{compilers}\nIf that is meant, or the code got faster: \
         testwright bench core --only instructions --record"
    );
}
