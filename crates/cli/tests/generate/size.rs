//! Suites are small and their tests short: a person has to read them.

use crate::support::Bench;

/// The examples, and what we measure the core on.
const SUBJECTS: &[&str] = &[
    "examples/base64.c",
    "examples/crc32.c",
    "examples/points.c",
    "examples/strings.c",
    "examples/triangle.c",
    "subjects/core/base64.c",
    "subjects/core/ends.c",
    "subjects/core/inventory.c",
];
/// What a screen shows.
const SCREEN: usize = 50;

/// The tests of a file: name and number of lines.
fn lengths(text: &str) -> Vec<(&str, usize)> {
    let mut tests: Vec<(&str, usize)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("TEST") {
            tests.push((line, 0));
            inside = true;
        }
        if let (true, Some((_, length))) = (inside, tests.last_mut()) {
            *length += 1;
        }
        inside &= line != "}";
    }
    tests
}

#[test]
fn no_suite_has_more_than_a_fifth_more_tests_than_a_greedy_cover_and_no_test_is_longer_than_a_screen() {
    for subject in SUBJECTS {
        let bench = Bench::file(subject);
        bench.generate(&["--runs", "60"]);
        let summary = bench.summary();
        let functions = summary["functions"].as_array().expect("a list of functions");
        let sum = |name: &str| functions.iter().filter_map(|function| function[name].as_u64()).sum::<u64>();
        let (tests, greedy) = (sum("tests"), sum("greedy_cover"));
        assert!(tests > 0 && 5 * tests <= 6 * greedy, "{subject}: {tests} tests, greedy cover {greedy}");
        let stem = bench.source().file_stem().expect("a file").to_string_lossy().into_owned();
        let text = bench.read(&format!("out/{stem}_test.c"));
        let lengths = lengths(&text);
        assert_eq!(lengths.len() as u64, tests, "{text}");
        for (name, length) in lengths {
            assert!(length <= SCREEN, "{subject}: {name} has {length} lines");
        }
    }
}
