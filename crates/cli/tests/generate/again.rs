//! Generating again into the same folder: tests that did not change keep their names.

use crate::support::{Bench, names_in};
use std::collections::BTreeMap;
use std::fs;

const SIGN: &str = "\
int sign(int x)
{
    if (x < 0)
        return -1;
    if (x > 0)
        return 1;
    return 0;
}
";
const RUNS: [&str; 4] = ["--runs", "30", "--builds", "first"];

/// The names of the tests, by what stands in them.
fn tests(bench: &Bench) -> BTreeMap<String, String> {
    let text = bench.read("out/subject_test.c");
    let test = |part: &str| {
        let (name, rest) = part.split_once(')')?;
        let (body, _) = rest.split_once("\n}\n")?;
        Some((body.to_owned(), name.to_owned()))
    };
    text.split("\nTEST(").skip(1).filter_map(test).collect()
}

/// Expects each of these tests under the same name.
#[track_caller]
fn kept(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    for (body, name) in before {
        assert_eq!(after.get(body), Some(name), "{body}");
    }
}

/// All files of the suite but those that say how long it took.
fn files(bench: &Bench) -> BTreeMap<String, String> {
    let cases = names_in(&bench.path("out/cases/sign")).into_iter().map(|name| format!("cases/sign/{name}"));
    let files = names_in(&bench.path("out")).into_iter().chain(cases).chain(["cases/index.json".to_owned()]);
    let files = files.filter(|name| !["summary.json", "testwright.manifest"].contains(&name.as_str()));
    files
        .filter_map(|name| Some((name.clone(), fs::read_to_string(bench.path("out").join(name)).ok()?)))
        .collect()
}

#[test]
fn tests_keep_their_names_when_the_code_gets_more_functions_and_branches() {
    let bench = Bench::new(SIGN);
    bench.generate(&RUNS);
    let first = tests(&bench);
    assert_eq!(first.len(), 3, "{first:?}");

    // Tests of several functions are called by them.
    bench.write("subject.c", &format!("/* Signs. */\n{SIGN}int twice(int x) {{ return 2 * x; }}\n"));
    bench.generate(&RUNS);
    let second = tests(&bench);
    assert!(
        second.len() > first.len() && second.values().any(|name| name.starts_with("twice_")),
        "{second:?}"
    );
    kept(&first, &second);

    bench.write(
        "subject.c",
        &SIGN.replace("    if (x > 0)", "    if (x == 1000)\n        return 2;\n    if (x > 0)"),
    );
    bench.generate(&["--runs", "100", "--builds", "first"]);
    let third = tests(&bench);
    assert!(third.len() > first.len(), "{third:?}");
    kept(&first, &third);
    bench.check();
}

#[test]
fn generating_again_changes_nothing() {
    let bench = Bench::new(SIGN);
    bench.generate(&RUNS);
    let first = files(&bench);
    assert!(first.len() > 6, "{:?}", first.keys());
    bench.generate(&RUNS);
    assert_eq!(files(&bench), first);
}

#[test]
fn a_budget_in_time_keeps_the_tests_of_code_that_did_not_change() {
    // Any of many inputs will do, and which of them a search finds depends on the time.
    let bench = Bench::new(
        "\
int grade(unsigned char *data, int size)
{
    int sum = 0;
    for (int i = 0; i < size; i++)
        sum += data[i];
    if (sum > 300 && sum % 7 == 3)
        return sum > 500 ? 2 : 1;
    return 0;
}
int quotient(int a, int b) { return a > 1000 ? a / b : 0; }
",
    );
    let time = ["--budget", "2s", "--builds", "first"];
    bench.generate(&time);
    let first = tests(&bench);
    let cases = |bench: &Bench| bench.read("out/cases/index.json");
    let saved = cases(&bench);
    assert!(first.len() > 3, "{first:?}");
    bench.generate(&[&time[..], &["--seed", "77"]].concat());
    assert_eq!(tests(&bench), first);
    assert_eq!(cases(&bench), saved, "findings stay as well");

    // What no longer fits is left aside.
    bench.write("subject.c", "int grade(int x) { return x > 5 ? 3 : 4; }\n");
    bench.generate(&time);
    assert_eq!(tests(&bench).len(), 2);
    bench.check();
}
