//! Saved cases run again, and the table of what a function does.

use crate::support::{Bench, check_success};
use std::process::Output;

const TEXT: &str = "\
void step(int x, int *out) { if (x > 10) *out = 1; else *out = 2; }
int sign(int x) { if (x < 0) return -1; return 1; }
";

fn replay(bench: &Bench) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        bench.verb("replay").arg("out").output().expect("testwright starts");
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[test]
fn nothing_changed_is_said_with_status_0() {
    let bench = Bench::new(TEXT);
    bench.generate(&["--runs", "20"]);
    let (status, text) = replay(&bench);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("4 cases: all as before"), "{text}");
}

#[test]
fn findings_are_replayed_too() {
    let bench = Bench::new("int part(int x) { return 100 / x; }\n");
    bench.generate(&["--runs", "20"]);
    assert_eq!(replay(&bench).0, Some(0));
    bench.write("subject.c", "int part(int x) { return x ? 100 / x : 0; }\n");
    let (status, text) = replay(&bench);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("part returned 0, before division by zero"), "{text}");
}

#[test]
fn changed_results_objects_and_functions_are_said_with_status_2() {
    let bench = Bench::new(TEXT);
    bench.generate(&["--runs", "20"]);
    bench.write("subject.c", &TEXT.replace("return -1", "return 0").replace("*out = 2", "*out = 3"));
    let (status, text) = replay(&bench);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("sign returns 0, before -1"), "{text}");
    assert!(text.contains("step leaves *out as 3, before 2"), "{text}");
    assert!(text.contains("4 cases: 2 changed"), "{text}");
    bench
        .write("subject.c", &TEXT.replace("sign", "signum").replace("int x, int *out", "int x, double *out"));
    let (status, text) = replay(&bench);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("sign the function is gone"), "{text}");
}

#[test]
fn a_folder_that_is_no_suite_is_refused() {
    let bench = Bench::new(TEXT);
    let (status, text) = replay(&bench);
    assert_eq!(status, Some(1));
    assert!(text.contains("cases/index.json") && text.contains("testwright generate"), "{text}");
}

#[test]
fn explore_shows_a_line_per_behaviour() {
    let bench = Bench::new(TEXT);
    let mut command = bench.verb("explore");
    command.args(["subject.c", "--function", "sign", "--runs", "20"]);
    let text = check_success(&command.output().expect("testwright starts"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["x", "result", "shows"], "{text}");
    assert!(
        lines[1..3].iter().any(|line| line.trim_start().starts_with('-') && line.contains(" -1 ")),
        "{text}"
    );
    assert!(text.contains("2/2 branches"), "{text}");
    assert!(!bench.path("testwright.out").exists(), "nothing is written");
}
