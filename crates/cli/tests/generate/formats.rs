//! Formats for test libraries: written, built against the library if it is installed, and passed.

use crate::support::{Bench, check_success};
use std::process::{Command, Stdio};

/// Static functions, state, floats, text, arrays, exit.
const MIXED: &str = "\
#include <stdlib.h>
#include <string.h>
static int calls;
static int half(int x) { if (x % 2) return -1; return x / 2; }
int count(int by) { calls += by; if (calls > 3) return 1; return calls; }
double ratio(double a, double b) { if (b == 0) return a; return a / 3 * b; }
void fill(char *text, unsigned char *out, int n) { if (n > 0) { text[0] = 'a'; out[0] = 7; } else out[0] = 9; }
void leave(int code) { if (code > 2) exit(3); }
unsigned long size(const char *text) { return text ? strlen(text) : 0; }
";

pub fn has(header: &str, language: &str) -> bool {
    let mut compiler = Command::new("cc");
    let found = compiler
        .args(["-fsyntax-only", "-include", "stdarg.h", "-include", "stddef.h", "-include", "stdint.h"])
        .args(["-include", "setjmp.h", "-include", header, "-x", language, "/dev/null"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        eprintln!("SKIPPED: {header} is not installed");
    }
    found
}

#[track_caller]
fn passes(bench: &Bench, format: &str, sign: &str) {
    let report = bench.generate(&["--runs", "60", "--format", format]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    let flags = "-Wall -Wextra -Werror -O1";
    let printed = check_success(&bench.make(&[
        "check",
        "CC=gcc",
        "CXX=g++",
        &format!("CFLAGS={flags}"),
        &format!("CXXFLAGS={flags}"),
    ]));
    assert!(printed.contains(sign), "{printed}");
    assert!(!printed.contains("skipped"), "{printed}");
}

#[test]
fn cmocka_tests_compile_without_warnings_and_pass() {
    if !has("cmocka.h", "c") {
        return;
    }
    for bench in [Bench::new(MIXED), Bench::example("triangle.c"), Bench::example("points.c")] {
        passes(&bench, "cmocka", "cmocka");
        assert!(!bench.path("out/subject_test.c").exists(), "only what was asked for is kept");
    }
}

#[test]
fn gtest_tests_compile_without_warnings_and_pass() {
    if !has("gtest/gtest.h", "c++") {
        return;
    }
    for bench in [Bench::new(MIXED), Bench::example("triangle.c"), Bench::example("crc32.c")] {
        passes(&bench, "gtest", "[  PASSED  ]");
    }
}

#[test]
fn a_test_of_a_library_format_fails_when_the_code_changes() {
    if !has("cmocka.h", "c") || !has("gtest/gtest.h", "c++") {
        return;
    }
    let text = "int sign(int x) { if (x < 0) return -1; return 1; }\n";
    let bench = Bench::new(text);
    bench.generate(&["--runs", "20", "--format", "cmocka,gtest"]);
    bench.write("subject.c", &text.replace("return -1", "return -2"));
    for format in ["check-cmocka", "check-gtest"] {
        assert!(!bench.make(&[format]).status.success(), "{format}");
    }
}

#[test]
fn a_missing_library_is_said_and_skipped() {
    let bench = Bench::example("triangle.c");
    bench.generate(&["--runs", "20", "--format", "cmocka,gtest"]);
    // A compiler without the standard places for headers finds neither.
    let printed = check_success(&bench.make(&["check", "CC=cc -nostdinc", "CXX=cc -nostdinc"]));
    assert!(printed.contains("skipped: the cmocka tests") && printed.contains("libgtest-dev"), "{printed}");
}

#[test]
fn a_test_comp_suite_has_metadata() {
    let bench = Bench::new("int main(void) { return 0; }\n");
    let mut command = bench.command(&["--runs", "5", "--format", "testcomp"]);
    check_success(&command.env("SOURCE_DATE_EPOCH", "0").output().expect("testwright starts"));
    let metadata = bench.read("out/test-suite/metadata.xml");
    for part in ["<entryfunction>main<", "<creationtime>1970-01-01T00:00:00Z<", "<programfile>subject.c<"] {
        assert!(metadata.contains(part), "{part}: {metadata}");
    }
    assert!(bench.read("out/test-suite/test-1.xml").contains("<testcase>"));
}

/// A program whose goals only runs show that abort, crash, or never end; its text has a macro for a common name.
const ENDING_BADLY: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
#define size 100
static int parity(int x)
{
    if (x % 2)
        abort();
    return x;
}
int main(void)
{
    int table[size], x = __VERIFIER_nondet_int();
    table[0] = parity(x);
    if (x == 1000)
        for (;;)
            table[1] = 0;
    if (x == 2000)
        return 1 / (x - 2000);
    return table[0] > size;
}
";

#[test]
fn a_test_comp_suite_has_every_run_that_shows_something() {
    let bench = Bench::new(ENDING_BADLY);
    let report = bench.generate(&["--function", "main", "--runs", "80", "--format", "testcomp"]);
    let suite = bench.path("out/test-suite");
    let cases = std::fs::read_dir(suite).expect("a folder").map(|entry| entry.expect("an entry").path());
    let answers: Vec<String> = cases
        .map(|case| std::fs::read_to_string(case).expect("a text"))
        .filter_map(|text| Some(text.split_once("type=\"int\">")?.1.split_once('<')?.0.to_owned()))
        .collect();
    for needed in ["1000", "2000"] {
        assert!(answers.iter().any(|answer| answer == needed), "{needed} is not in {answers:?}");
    }
    let is_odd = |answer: &String| answer.parse::<i64>().is_ok_and(|number| number % 2 != 0);
    assert!(answers.iter().any(is_odd), "{answers:?}");
    assert!(report.contains(&format!("{} test cases; nothing to compile", answers.len())), "{report}");
    assert!(bench.uncovered("main").is_empty(), "{report}");
    assert!(!bench.path("out/Makefile").exists(), "there is nothing to build");
}

/// Code that ends on purpose, with macros for names that headers like to have.
const ENDING: &str = "\
#include <assert.h>
#include <stdlib.h>
#define size 3
#define status 4
#define name 5
int third(int x) { assert(x >= 0); if (x > 300) abort(); if (x == 9) exit(2); return x / size; }
";

#[test]
fn calls_that_abort_or_exit_are_tests() {
    let mut formats = vec![("plain", "out/subject_test.c", "TEST_ABORTS(")];
    if has("cmocka.h", "c") {
        formats.push(("cmocka", "out/subject_cmocka.c", "assert_aborts("));
    }
    if has("gtest/gtest.h", "c++") {
        formats.push(("gtest", "out/subject_gtest.cc", "EXPECT_ABORTS("));
    }
    for (format, file, part) in formats {
        let bench = Bench::new(ENDING);
        let report = bench.generate(&["--runs", "60", "--format", format]);
        assert!(report.contains("compiled, passed twice"), "{report}");
        assert!(bench.uncovered("third").is_empty(), "{report}");
        let text = bench.read(file);
        assert_eq!(text.matches(part).count(), 2, "{text}");
        let output = bench.make(&["check", "CFLAGS=-Wall -Wextra -Werror"]);
        check_success(&output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(format != "plain" || !said.contains("Assertion"), "nobody needs to hear it: {said}");
        for (ending, another) in
            [("abort();", "return 1;"), ("exit(2);", "exit(3);"), ("exit(2);", "return 2;")]
        {
            bench.write("subject.c", &ENDING.replace(ending, another));
            assert!(!bench.make(&["check"]).status.success(), "{format}: no longer {ending}");
        }
    }
}

#[test]
fn numbers_may_be_off_by_a_stated_tolerance_only() {
    let text = "double third(double x) { if (x > 1) return x / 3; return 1; }\n";
    let bench = Bench::new(text);
    bench.generate(&["--runs", "20", "--float-tolerance", "1e-6"]);
    assert!(bench.read("out/subject_test.c").contains("CHECK_NEAR(result, "));
    bench.write("subject.c", &text.replace("return 1;", "return 1.0000001;"));
    bench.check();
    bench.write("subject.c", &text.replace("return 1;", "return 1.001;"));
    assert!(!bench.make(&["check"]).status.success());
    let message = Bench::new(text).refused(&["--float-tolerance", "7"]);
    assert!(message.contains("--float-tolerance takes"), "{message}");
}

#[test]
fn the_same_seed_and_number_of_runs_give_the_same_files() {
    let bench = Bench::example("points.c");
    let files = || {
        let mut command = bench.command(&["--runs", "40", "--format", "plain,cmocka,gtest,testcomp"]);
        check_success(&command.env("SOURCE_DATE_EPOCH", "0").output().expect("testwright starts"));
        let mut files = Vec::new();
        collect(&bench.path("out"), &mut files);
        files.sort();
        files
    };
    let (first, second) = (files(), files());
    assert!(first.len() > 20, "{}", first.len());
    for (one, other) in first.iter().zip(&second) {
        assert_eq!(one, other);
    }
    assert_eq!(first.len(), second.len());
}

/// The files below a folder, but for what make built; of the summary not the times.
fn collect(folder: &std::path::Path, files: &mut Vec<(std::path::PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.ends_with("build") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        // The manifest has a hash of the summary, which has times.
        let is_time = |line: &&str| line.contains("_s\": ") || line.contains("\"summary.json\": ");
        let text = text.lines().filter(|line| !is_time(line)).collect::<Vec<_>>().join("\n");
        files.push((path, text));
    }
}
