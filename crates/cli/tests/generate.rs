//! `testwright generate` end to end: explored, written, compiled, run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn generate(source: &str, out: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testwright"))
        .arg("generate")
        .arg(source)
        .arg("--out")
        .arg(out)
        .args(arguments)
        .output()
        .expect("testwright starts")
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn summary(out: &Path) -> serde_json::Value {
    let text = fs::read_to_string(out.join("summary.json")).expect("there is a summary");
    serde_json::from_str(&text).expect("the summary is JSON")
}

#[test]
fn every_branch_of_triangle_gets_a_test_that_compiles_and_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let output = generate(&example("triangle.c"), &out, &["--runs", "100"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("compiled, passed twice"));
    let summary = summary(&out);
    let branches = &summary["functions"][0]["branches"];
    assert_eq!(
        (branches["total"].as_u64(), branches["covered"].as_u64()),
        (Some(22), Some(22)),
        "{summary:#}"
    );
    assert_eq!(summary["divergences"], 0);
    let check =
        Command::new("make").arg("-C").arg(&out).args(["check", "CC=gcc"]).output().expect("make starts");
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

#[test]
fn the_same_seed_and_number_of_runs_give_the_same_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |name: &str| {
        let out = folder.path().join(name);
        let output = generate(&example("strings.c"), &out, &["--runs", "40", "--function", "check_setting"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(out.join("strings_test.c")).expect("there are tests")
    };
    assert_eq!(text("first"), text("second"));
}

#[test]
fn what_was_there_before_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    fs::create_dir(&out).expect("a folder is made");
    fs::write(out.join("mine.txt"), "precious").expect("a file is written");
    assert!(generate(&example("triangle.c"), &out, &["--runs", "5"]).status.success());
    assert_eq!(fs::read_to_string(folder.path().join("out.old/mine.txt")).expect("it was kept"), "precious");
}

#[test]
fn a_malformed_strategy_points_at_the_character_and_lists_what_exists() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let output = generate(&example("triangle.c"), &out, &["--strategy", "round-robin(fitnex, zigzag)"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains('^') && message.contains("zigzag") && message.contains("generational"),
        "{message}"
    );
    assert!(!out.exists(), "nothing is written");
}

#[test]
fn a_budget_that_is_no_time_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let output = generate(&example("triangle.c"), &out, &["--budget", "soon"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("500ms, 10s or 2m"));
}
