//! Functions without branches get one test each.

use crate::support::Bench;

#[test]
fn a_function_without_branches_gets_one_test_and_the_report_says_so() {
    let bench = Bench::new("int add(int x)\n{\n    return x + 3;\n}\n");
    let report = bench.generate(&[]);
    assert!(report.contains("no branches: one test of its result"), "{report}");
    assert_eq!(bench.function("add")["tests"], 1);
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("TEST(returns_3)") && text.contains("add(0)"), "{text}");
    assert!(text.contains("/* subject.c:1  add has no branches */"), "{text}");
    bench.check();
}

#[test]
fn a_test_is_found_even_if_the_first_run_ends_badly() {
    let bench = Bench::new("int share(int people)\n{\n    return 100 / people;\n}\n");
    let report = bench.generate(&[]);
    let share = bench.function("share");
    assert_eq!(share["tests"], 1, "{report}");
    assert_eq!(share["findings"][0]["line"], 3, "{report}");
    bench.check();
}

#[test]
fn a_function_that_never_returns_has_findings_and_no_test() {
    let bench = Bench::new("void stop(void)\n{\n    *(volatile int *)0 = 1;\n}\n");
    let report = bench.generate(&["--budget", "10m"]);
    assert!(report.contains("no branches, and no run returned"), "{report}");
    let stop = bench.function("stop");
    assert_eq!((&stop["tests"], stop["findings"].as_array().map(Vec::len)), (&0.into(), Some(1)));
    assert_eq!(bench.summary()["stop_reason"], "all paths explored", "it gives up early: {report}");
}

#[test]
fn a_function_that_only_aborts_has_a_test_of_that() {
    let bench = Bench::new("#include <stdlib.h>\nvoid stop(void)\n{\n    abort();\n}\n");
    let report = bench.generate(&["--budget", "10m"]);
    let stop = bench.function("stop");
    assert_eq!((&stop["tests"], stop["findings"].as_array().map(Vec::len)), (&1.into(), Some(1)), "{report}");
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("TEST_ABORTS(aborts)"), "{text}");
    bench.check();
}

#[test]
fn branches_that_only_bad_ends_show_are_told_apart() {
    let bench =
        Bench::new("int pick(int x)\n{\n    if (x == 7)\n        return 1 / (x - 7);\n    return 1;\n}\n");
    bench.generate(&[]);
    let expected = "met only by runs that end badly; see the findings".to_owned();
    assert_eq!(bench.uncovered("pick"), [(3, "true".to_owned(), expected)]);
    assert_eq!(bench.function("pick")["tests"], 1);
}

/// Returns where the data of the thread lies.
const THREAD: &str = "\
unsigned long where(void)
{
    unsigned long place;
    __asm__ (\"mov %%fs:0,%0\" : \"=r\" (place));
    return place;
}
";

#[test]
fn a_result_that_differs_from_process_to_process_is_explained_and_has_no_test_that_says_nothing() {
    let bench = Bench::new(THREAD);
    let report = bench.generate(&["--runs", "5"]);
    assert!(report.contains("no test can say what to expect"), "{report}");
    assert!(!report.contains("NOT VERIFIED"), "{report}");
    assert_eq!(bench.function("where")["tests"], 0, "{report}");
}
