//! The benchmark's own checks, small: random programs agree, crashing runs are recognised, nothing is left behind.

use std::process::Command;

fn figures(arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(["bench", "core", "--json"])
        .args(arguments)
        .output()
        .expect("testwright starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    report["figures"].as_array().expect("the report has figures").clone()
}

fn value(figures: &[serde_json::Value], name: &str) -> f64 {
    let figure =
        figures.iter().find(|figure| figure["name"] == name).unwrap_or_else(|| panic!("no figure `{name}`"));
    figure["value"].as_f64().unwrap_or_else(|| panic!("`{name}` was not measured: {}", figure["note"]))
}

#[test]
fn csmith_programs_give_the_same_checksum_natively_and_in_both_builds() {
    if Command::new("csmith").arg("--version").output().is_err() {
        eprintln!("SKIPPED: csmith is not installed");
        return;
    }
    let figures = figures(&["--only", "csmith", "--csmith", "4", "--seed", "7"]);
    assert_eq!(value(&figures, "csmith programs that disagree"), 0.0, "{figures:#?}");
}

#[test]
fn six_kinds_of_crashes_are_recognised_and_leave_nothing_behind() {
    let figures = figures(&["--only", "crash", "--crashes", "600"]);
    for name in
        ["crashing runs not recognised", "processes beside the one that waits", "processes left at the end"]
    {
        assert_eq!(value(&figures, name), 0.0, "{name}");
    }
    assert!(value(&figures, "growth of the fork server") < 1024.0);
    assert!(value(&figures, "crashing runs handled") > 0.0);
}

#[test]
fn an_unknown_part_is_refused_with_the_names_of_the_parts() {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(["bench", "core", "--only", "speed"])
        .output()
        .expect("testwright starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("run, trace, load, crash, csmith"));
}

#[test]
fn our_subjects_and_examples_are_explored_without_a_disagreement() {
    let figures = figures(&["--only", "explore"]);
    assert_eq!(value(&figures, "explored cases that disagree"), 0.0, "{figures:#?}");
    assert_eq!(value(&figures, "runs that diverge from the path they were made for"), 0.0, "{figures:#?}");
    let note = figures[0]["note"].as_str().expect("the figure has a note");
    let runs: u64 =
        note.split(' ').next().and_then(|runs| runs.parse().ok()).expect("the note begins with runs");
    assert!(runs >= 500, "{note}");
}

/// The report of a small experiment on symbolic fitness.
fn symbolic_fitness(function: &str) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .args(["bench", "symbolic-fitness", "--quick", "--seeds", "2", "--only", function, "--json"])
        .args(["--first-seed", "11"])
        .output()
        .expect("testwright starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

#[test]
fn the_symbolic_function_counts_the_rounds_that_a_loop_still_needs() {
    let report = symbolic_fitness("check_isbn");
    let success = &report["all"]["avm"]["success"];
    // Ten digits in a row have no gradient in the standard function: a round more is not nearer.
    assert_eq!(
        (success["standard"].as_f64() < Some(80.0), success["symbolic"].as_f64()),
        (true, Some(100.0))
    );
    assert_eq!(report["first_seed"], 11);
}

#[test]
fn the_symbolic_function_finds_in_triangle_what_the_standard_one_does_not() {
    let report = symbolic_fitness("triangle");
    let figures = report["figures"].as_array().expect("the report has figures");
    assert_eq!(value(figures, "avm, symbolic: least success"), 100.0);
    assert!(value(figures, "avm: evaluations, symbolic against standard") < -25.0);
    assert!(value(figures, "longest static analysis") > 0.0);
    assert_eq!(report["functions"][0]["function"], "triangle");
    assert_eq!(report["functions"][0]["branches"].as_array().map(Vec::len), Some(34));
}

#[test]
fn a_subject_that_is_none_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .args(["bench", "symbolic-fitness", "--quick", "--only", "nothing"])
        .output()
        .expect("testwright starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("names no subject"));
}

#[test]
fn unknown_functions_and_techniques_of_the_experiment_are_refused_with_those_that_exist() {
    let refused = |arguments: &[&str], expected: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testwright"));
        let output = command.args(["bench", "optimal"]).args(arguments).output().expect("testwright starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    };
    refused(&["--only", "sin"], "--only takes coulomb_FG0_series, ");
    refused(&["--technique", "luck"], "--technique takes all, greedy, random, ");
    refused(&["--budget", "soon"], "--budget takes a time such as 500ms, 10s or 2m; not `soon`");
    refused(&["--at", "never"], "--at takes a time such as");
}

#[test]
fn nothing_that_is_shown_to_be_feasible_is_called_infeasible() {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(["bench", "truth", "--json", "--runs", "30", "--random", "10"])
        .args(["--only", "stubs", "--only", "declared", "--only", "impossible", "--only", "random"])
        .arg("--subjects")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../subjects/truth"))
        .output()
        .expect("testwright starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let figures = report["figures"].as_array().expect("the report has figures");
    assert_eq!(value(figures, "false claims"), 0.0, "{errors}");
    assert!(value(figures, "infeasible goals proved") >= 15.0, "{figures:#?}");
}

#[test]
fn mutants_that_suites_notice_are_counted_by_criterion() {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .args(["bench", "augmentation", "WrapInc", "--json"])
        .output()
        .expect("testwright starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let rows = report["rows"].as_array().expect("the report has rows");
    let of = |criteria: &str| rows.iter().find(|row| row["criteria"] == criteria).expect("a row");
    let weak = |criteria: &str| of(criteria)["weak"]["score"].as_f64().expect("a score");
    // Two tests for two branches leave `n > 10` against `n >= 10` alone.
    assert!(weak("plain") < 100.0, "{report:#}");
    assert_eq!((weak("boundary"), weak("all")), (100.0, 100.0), "{report:#}");
    assert_eq!(of("all")["strong"]["score"], 100.0);
    let solver = &of("boundary")["solver"];
    let layers = solver["layers"].as_array().expect("layers");
    let answered = |what: &str| layers.iter().filter_map(|layer| layer[what].as_u64()).sum::<u64>();
    assert_eq!((answered("sat") + answered("unsat")), solver["queries"].as_u64().expect("queries"));
    assert!(solver["augmented"]["sat"].as_u64() >= Some(1), "{solver:#}");
    assert_eq!(report["paper"][0]["criteria"]["boundary"]["weak"], 87.5);
}

#[test]
fn a_row_of_the_experiment_that_there_is_not_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testwright"));
    let output = command.args(["bench", "augmentation", "Ackermann"]).output().expect("testwright starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("there is no row `Ackermann`; there are Factorial, ")
    );
}
