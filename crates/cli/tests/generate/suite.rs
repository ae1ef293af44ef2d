//! The suite as a whole: complete, repeatable, and careful with what was there.

use crate::support::Bench;

#[test]
fn every_branch_of_triangle_gets_a_test_that_compiles_and_passes() {
    let bench = Bench::example("triangle.c");
    let report = bench.generate(&["--runs", "100"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert!(report.contains("22/22 branches"), "{report}");
    let triangle = bench.function("triangle");
    let branches = &triangle["branches"];
    assert_eq!((&branches["total"], &branches["covered"]), (&22.into(), &22.into()), "{triangle:#}");
    assert_eq!(bench.summary()["divergences"], 0);
    bench.check();
}

#[test]
fn the_same_seed_and_number_of_runs_give_the_same_tests() {
    let text = || {
        let bench = Bench::example("strings.c");
        bench.generate(&["--runs", "40", "--function", "check_setting"]);
        let text = bench.read("out/strings_test.c");
        // The path of the subject differs with the folder.
        text.lines().filter(|line| !line.starts_with("#include")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(text(), text());
}

#[test]
fn functions_that_cannot_be_called_are_skipped_with_the_reason() {
    let bench = Bench::new(
        "int put(long double y, int x) { return x > 0 ? y > 1 : 0; }\n\
         int sign(int x) { if (x < 0) return -1; return 1; }\n",
    );
    let report = bench.generate(&["--runs", "10"]);
    assert!(report.contains("skipped: ") && report.contains("long double"), "{report}");
    assert_eq!(bench.function("sign")["branches"]["covered"], 2);
    assert!(bench.uncovered("put").iter().all(|(.., reason)| reason.contains("cannot be called")));
    let message = Bench::new("int put(long double y) { return y > 1; }\n").refused(&["--runs", "10"]);
    assert!(message.contains("nothing to test") && message.contains("put: "), "{message}");
}

#[test]
fn a_long_search_writes_a_plain_line_per_second_and_a_short_one_none() {
    // Compiling takes as long as it takes; what is told of the search has its own clock.
    let shown = |bench: &Bench, arguments: &[&str]| {
        let output = bench.command(arguments).output().expect("testwright starts");
        let seconds = bench.summary()["elapsed_s"].as_f64().expect("a number");
        let lines = String::from_utf8_lossy(&output.stderr).into_owned();
        let of_search = lines.lines().filter(|line| line.starts_with("  searching "));
        (of_search.map(str::to_owned).collect::<Vec<_>>(), seconds as usize)
    };
    let (lines, seconds) = shown(&Bench::new("int twice(int a) { return 2 * a; }"), &["--runs", "2"]);
    assert!(lines.len() <= seconds, "{lines:?}");
    let endless = Bench::new(
        "int odd(unsigned n) { unsigned i = 0; while (i < n && i * i != 7) i++; return i * i == 7; }",
    );
    let (lines, seconds) = shown(&endless, &["--budget", "3s"]);
    assert!((1..=seconds + 1).contains(&lines.len()), "{lines:?}");
    for line in &lines {
        assert!(line.starts_with("  searching odd  ") && line.ends_with(" of 3.0 s"), "{lines:?}");
    }
    assert!(!lines.concat().contains(['\r', '\x1b']), "{lines:?}");
}

#[test]
fn values_are_what_a_person_would_pick() {
    let bench = Bench::example("strings.c");
    bench.generate(&["--runs", "600"]);
    let tests = bench.read("out/strings_test.c");
    let is_text = |line: &&str| line.trim_start().starts_with("char ") || line.contains("const char ");
    let texts: Vec<&str> = tests.lines().filter(is_text).filter(|line| line.contains('[')).collect();
    assert!(texts.len() > 8, "{tests}");
    for text in texts {
        assert!(text.contains("= \"") && !text.contains('\\'), "a printable string: {text}");
    }
    let bench = Bench::example("triangle.c");
    bench.generate(&["--runs", "100"]);
    let tests = bench.read("out/triangle_test.c");
    let calls = tests.lines().filter(|line| line.contains(" = triangle("));
    for call in calls {
        let (_, arguments) = call.split_once("triangle(").expect("a call");
        let numbers = arguments.trim_end_matches(");").split(", ");
        assert!(numbers.into_iter().all(|number| number.len() == 1), "small numbers: {call}");
    }
}
