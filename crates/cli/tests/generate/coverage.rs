//! Written tests please compilers and sanitizers, and gcov measures the coverage that the summary claims.
//!
//! Compilers do not agree on what a branch is: gcc counts those of `a && b` where it is a value, and merges cases of a
//! switch that go to one place. They do agree on which lines have a branch that is not taken.

use crate::support::{Bench, check_success, compilers, sanitizers};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// The examples, and subjects with loops, switches, strings, structs and globals.
const SUBJECTS: &[&str] = &[
    "examples/base64.c",
    "examples/crc32.c",
    "examples/points.c",
    "examples/strings.c",
    "examples/triangle.c",
    "subjects/fitnex/account.c",
    "subjects/fitnex/brackets.c",
    "subjects/fitnex/connection.c",
    "subjects/fitnex/count_letters.c",
    "subjects/fitnex/date.c",
    "subjects/fitnex/escapes.c",
];

fn each_suite(check: impl Fn(&Bench, &str)) {
    for subject in SUBJECTS {
        let bench = Bench::file(subject);
        let report = bench.generate(&["--runs", "100"]);
        assert!(report.contains("compiled, passed twice"), "{subject}: {report}");
        check(&bench, subject);
    }
}

#[test]
fn gcov_measures_the_coverage_that_the_summary_claims() {
    each_suite(|bench, subject| {
        check_success(&bench.make(&["check", "CC=gcc", "CFLAGS=--coverage"]));
        let (measured, claimed) = (measured(bench), claimed(bench));
        assert_eq!(measured, claimed, "{subject}: lines with a branch that no test takes");
    });
}

/// The lines of the subject with a branch that was never taken, as gcov has them.
fn measured(bench: &Bench) -> BTreeSet<u64> {
    let name = bench.source().file_name().expect("a file").to_string_lossy().into_owned();
    let mut lines = BTreeSet::new();
    let mut files = 0;
    for entry in fs::read_dir(bench.path("out/build")).expect("the tests were built") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "gcda") {
            continue;
        }
        let gcov =
            Command::new("gcov").args(["-b", "-t", "-j"]).arg(&path).current_dir(bench.path("out")).output();
        let report: Value =
            serde_json::from_str(&check_success(&gcov.expect("gcov starts"))).expect("gcov writes JSON");
        for file in report["files"].as_array().expect("a list of files") {
            if file["file"].as_str().is_none_or(|file| !file.ends_with(&name)) {
                continue;
            }
            files += 1;
            for line in file["lines"].as_array().expect("a list of lines") {
                let branches = line["branches"].as_array().expect("a list of branches");
                if branches.iter().any(|branch| branch["count"] == 0) {
                    lines.insert(line["line_number"].as_u64().expect("a number"));
                }
            }
        }
    }
    assert_eq!(files, 1, "the subject is compiled into one object");
    lines
}

/// The lines with a branch that the summary lists as uncovered.
fn claimed(bench: &Bench) -> BTreeSet<u64> {
    let summary = bench.summary();
    let functions = summary["functions"].as_array().expect("a list of functions");
    let uncovered = functions.iter().flat_map(|function| function["uncovered"].as_array().expect("a list"));
    uncovered.map(|left| left["line"].as_u64().expect("a line")).collect()
}

#[test]
fn compilers_have_nothing_to_warn_about_and_sanitizers_nothing_to_stop() {
    let flags = |compiler: &String| {
        let flags = ["-Wall -Wextra -Werror -O2"].into_iter().chain(sanitizers(compiler));
        flags.map(|flags| [format!("CC={compiler}"), format!("CFLAGS={flags}")]).collect::<Vec<_>>()
    };
    let builds: Vec<[String; 2]> = compilers().iter().flat_map(flags).collect();
    each_suite(|bench, subject| {
        for [compiler, flags] in &builds {
            let output = bench.make(&["check", compiler, flags]);
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{subject}, {compiler} {flags}: {text}\n{output:?}");
        }
    });
}
