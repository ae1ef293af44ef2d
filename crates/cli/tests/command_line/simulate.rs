//! `testwright simulate`: the study through the program.

use crate::support::{Answer, answer, testwright};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

fn simulate(folder: &Path, arguments: &[&str]) -> Answer {
    answer(testwright(folder).arg("simulate").args(arguments))
}

const SMALL: [&str; 6] = ["--states", "5,8", "--models", "4", "--repetitions", "20"];

#[test]
fn the_figures_come_as_json_in_the_order_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let first = simulate(folder.path(), &[&SMALL[..], &["--json"]].concat());
    assert_eq!((first.status, first.err.as_str()), (0, ""));
    let json = first.json();
    assert_eq!(json["states"], serde_json::json!([5, 8]));
    assert!(first.out.starts_with("{\"states\":[5,8],\"relative_cost\":{\"RT\":["), "{}", first.out);
    let costs = json["relative_cost"].as_object().unwrap();
    let mut names = ["RT", "RCN", "RSS", "RPS", "DFS", "DART", "GS", "CGS", "SGS", "greedy", "ours"];
    names.sort_unstable();
    assert!(costs.keys().eq(names), "{costs:?}");
    for (name, costs) in costs {
        let costs: Vec<f64> = costs.as_array().unwrap().iter().map(|cost| cost.as_f64().unwrap()).collect();
        // Few repetitions leave noise.
        assert!(costs.len() == 2 && costs.iter().all(|cost| *cost > 0.8), "{name}: {costs:?}");
    }
    assert_eq!(first, simulate(folder.path(), &[&SMALL[..], &["--json"]].concat()));
    assert_ne!(first.out, simulate(folder.path(), &[&SMALL[..], &["--json", "--seed", "2"]].concat()).out);
}

#[test]
fn the_plot_has_a_line_for_every_strategy() {
    let folder = tempfile::tempdir().unwrap();
    let answer = simulate(folder.path(), &[&SMALL[..], &["--plot", "costs.svg"]].concat());
    assert_eq!(answer.status, 0, "{}", answer.err);
    let plot = std::fs::read_to_string(folder.path().join("costs.svg")).unwrap();
    assert_eq!(plot.matches("<polyline").count(), 11);
    for name in ["optimal", "RT", "greedy", "ours"] {
        assert!(answer.out.lines().any(|line| line.trim_start().starts_with(name)), "{}", answer.out);
    }
}

#[test]
fn numbers_that_make_no_sense_are_refused_with_the_range() {
    let check = |arguments: &[&str], expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        let answer = simulate(folder.path(), arguments);
        assert_eq!((answer.status, answer.out.as_str()), (1, ""));
        assert!(answer.err.contains(expected), "{}", answer.err);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing is written");
    };
    check(&["--states", "0"], "--states takes numbers from 2 to 24; not 0");
    check(&["--states", "5,25"], "--states takes numbers from 2 to 24; not 25");
    check(&["--states", "x"], "invalid value 'x'");
    check(&["--models", "0"], "--models takes numbers from 1 to 1000000; not 0");
    check(&["--repetitions", "0"], "--repetitions takes numbers from 1 to 1000000; not 0");
}

/// Whether a process handles SIGINT itself by now.
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("the line of signals");
    u64::from_str_radix(caught.trim(), 16).unwrap() & 1 << 1 != 0
}

#[test]
fn an_interrupted_study_ends_soon_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let child = testwright(folder.path())
        .args(["simulate", "--repetitions", "100000"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !catches_interrupts(child.id()) {
        thread::sleep(Duration::from_millis(5));
    }
    // A command of every shell, though not a program of every system.
    let kill = Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted; nothing was written"));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
