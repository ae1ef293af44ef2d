//! What the code under test hands to others and prints is asserted: it may be all that there is to see.

use crate::formats::has;
use crate::support::{Bench, check_success};
use std::process::Command;

const OBSERVED: &str = include_str!("../../../../testdata/stubs/observed.c");

/// Changes the code of a suite, and expects that its tests fail.
#[track_caller]
fn is_noticed(bench: &Bench, format: &str, from: &str, to: &str) {
    bench.write("subject.c", &OBSERVED.replace(from, to));
    assert!(!bench.make(&[format]).status.success(), "{format}: {from} -> {to}");
    bench.write("subject.c", OBSERVED);
    check_success(&bench.make(&[format]));
}

#[test]
fn what_stubs_and_callbacks_are_given_is_asserted() {
    let bench = Bench::new(OBSERVED);
    bench.generate_everything(&["--runs", "200", "--function", "visit"]);
    let tests = bench.read("out/subject_test.c");
    for line in [
        "CHECK_EQ(log_write_calls, 1);",
        "CHECK_EQ(log_write_given_level[0], 3);",
        "CHECK_FLOAT(log_write_given_share[0], 0.5f);",
    ] {
        assert!(tests.contains(line), "{line} is not in {tests}");
    }
    assert!(!tests.contains("given_line"), "where the code stands is no part of what it does: {tests}");
    is_noticed(&bench, "check", "log_write(3", "log_write(4");
    is_noticed(&bench, "check", "0.5f", "0.25f");
    is_noticed(&bench, "check", "i == n - 1)", "i == n)");
    is_noticed(&bench, "check", "i < 3", "i < 2");
}

#[test]
fn what_is_printed_is_asserted_in_every_format() {
    let bench = Bench::new(OBSERVED);
    let libraries = [("cmocka", "cmocka.h", "c"), ("gtest", "gtest/gtest.h", "c++")];
    let there = libraries.into_iter().filter(|(_, header, language)| has(header, language));
    let formats: Vec<&str> = ["plain"].into_iter().chain(there.map(|(name, ..)| name)).collect();
    bench.generate_everything(&["--runs", "50", "--function", "report", "--format", &formats.join(",")]);
    let tests = bench.read("out/subject_test.c");
    for line in ["CAPTURE();", "CHECK_PRINTED(\"1 more\\n\");", "CHECK_PRINTED(\"none\\n\");"] {
        assert!(tests.contains(line), "{line} is not in {tests}");
    }
    for format in formats {
        let target = if format == "plain" { "check".to_owned() } else { format!("check-{format}") };
        is_noticed(&bench, &target, "more", "less");
        is_noticed(&bench, &target, "none", "no");
    }
}

#[test]
fn builds_agree_about_callbacks_that_take_narrow_values() {
    let bench = Bench::new(OBSERVED);
    let mut command: Command = bench.verb("run");
    command.args(["subject.c", "-f", "visit", "--case", r#"[[-5, 20], 2, "stub", null]"#, "--self-check"]);
    let printed = check_success(&command.output().expect("testwright starts"));
    assert!(printed.contains("run build, trace build and evaluator agree"), "{printed}");
}

const RETURNED: &str = include_str!("../../../../testdata/stubs/returned.c");

#[test]
fn what_a_returned_pointer_leads_to_is_asserted() {
    let bench = Bench::new(RETURNED);
    bench.generate(&["--runs", "60", "--criteria", "branch,mutation"]);
    bench.check();
    let tests = bench.read("out/subject_test.c");
    for line in ["CHECK_STR(result, \"two\");", "CHECK_EQ(result->x, ", "CHECK_DOUBLE(result->scale, 0.5);"] {
        assert!(tests.contains(line), "{line} is not in {tests}");
    }
    assert!(!tests.contains("result->spare"), "it was never written: {tests}");
    for (from, to) in [
        ("\"two\"", "\"to\""),
        ("y + 1", "y + 2"),
        ("%s-%s", "%s+%s"),
        ("2 * n", "3 * n"),
        ("+= add", "-= add"),
    ] {
        bench.write("subject.c", &RETURNED.replace(from, to));
        assert!(!bench.make(&["check"]).status.success(), "{from} -> {to}");
    }
}
