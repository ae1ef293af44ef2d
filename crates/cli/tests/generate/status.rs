//! The exit status tells whether all work was done, and the report names what was not.

use crate::support::Bench;
use serde_json::Value;

/// Generates; the status and what was printed.
fn status(bench: &Bench, arguments: &[&str]) -> (Option<i32>, String) {
    let output = bench.command(arguments).output().expect("testwright starts");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What was taken out of the tests of `f`: test or assertion, why, and whether that is a loss.
fn taken_out(bench: &Bench) -> Vec<(String, String, bool)> {
    let list = bench.function("f")["taken_out"].as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    list.iter()
        .map(|one| (text(&one["what"]), text(&one["why"]), one["lost"].as_bool().expect("yes or no")))
        .collect()
}

#[test]
fn a_suite_that_does_not_compile_is_not_verified_and_that_has_a_status_of_its_own() {
    let bench = Bench::new(
        "#ifndef __TESTWRIGHT__\n#error only for the search\n#endif\n\
         int f(int x) { return x > 3; }\n",
    );
    let (code, report) = status(&bench, &["--runs", "20"]);
    assert!(report.contains("NOT VERIFIED") && report.contains("only for the search"), "{report}");
    assert_eq!(code, Some(4), "{report}");
    let summary = bench.summary();
    assert_eq!(summary["verified"], false);
    assert!(summary["unverified"].as_str().expect("the reason").contains("only for the search"));
}

#[test]
fn an_assertion_that_is_dropped_because_its_value_differs_is_told_and_is_no_loss() {
    let bench = Bench::new(
        "#ifdef __TESTWRIGHT__\nenum { TOLD = 1 };\n#else\nenum { TOLD = 2 };\n#endif\n\
         int seen;\nint f(int x) { seen = x; if (x == 77) return TOLD; return 0; }\n",
    );
    let (code, report) = status(&bench, &["--runs", "20"]);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("dropped  assertion about result of "), "{report}");
    let dropped =
        ("assertion about result".to_owned(), "the value differs from process to process".to_owned());
    assert_eq!(taken_out(&bench), [(dropped.0, dropped.1, false)]);
    assert_eq!(bench.summary()["verified"], true);
}

const LOSES_A_TEST: &str = "#include <stdlib.h>\n\
    int f(int x) {\n\
    #ifndef __TESTWRIGHT__\n\
      if (x == 77) abort();\n\
    #endif\n\
      if (x == 77) return 1;\n\
      if (x == 5) abort();\n\
      return 0;\n\
    }\n";

#[test]
fn a_test_that_is_taken_out_without_a_known_reason_is_a_loss() {
    let bench = Bench::new(LOSES_A_TEST);
    let (code, report) = status(&bench, &["--runs", "40"]);
    assert_eq!(code, Some(4), "{report}");
    assert!(report.contains("lost     test "), "{report}");
    let taken_out = taken_out(&bench);
    assert!(taken_out.iter().any(|(what, _, lost)| what == "test" && *lost), "{taken_out:?}");
}

#[test]
fn findings_that_were_asked_for_come_before_what_was_lost() {
    let bench = Bench::new(LOSES_A_TEST);
    let (code, report) = status(&bench, &["--runs", "40", "--fail-on-findings"]);
    assert!(report.contains("finding") && report.contains("lost"), "{report}");
    assert_eq!(code, Some(2), "{report}");
}
