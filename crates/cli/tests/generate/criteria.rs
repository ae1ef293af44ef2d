//! What the time goes to.

use crate::support::Bench;

/// The comparison is computed with: nothing branches on it.
const COMPUTED: &str = "\
int count(int a, int b)
{
    int found = a == 77123;
    found += b == 4711;
    return found;
}
";

#[test]
fn comparisons_are_goals_if_they_are_asked_for() {
    let bench = Bench::new(COMPUTED);
    let report = bench.generate(&["--runs", "300", "--technique", "concolic"]);
    let found = &bench.function("count")["goals"]["comparison"];
    assert_eq!((&found["total"], &found["covered"]), (&4.into(), &2.into()), "{report}");
    let report = bench.generate(&["--runs", "5000", "--criteria", "branch,comparison"]);
    let found = &bench.function("count")["goals"]["comparison"];
    assert_eq!((&found["total"], &found["covered"]), (&4.into(), &4.into()), "{report}");
    assert!(bench.read("out/subject_test.c").contains("77123"), "{report}");
}

#[test]
fn what_is_asked_for_and_not_met_is_told_with_its_reason() {
    let bench = Bench::new("int never(unsigned a) { int found = a * 0 == 1; return found; }\n");
    bench.generate(&["--runs", "50", "--criteria", "comparison"]);
    let uncovered = bench.uncovered("never");
    assert!(uncovered.iter().any(|(line, outcome, _)| *line == 1 && outcome == "true"), "{uncovered:?}");
}

/// Two orders, one of them between two inputs, an equality, and floats.
const BORDERS: &str = "\
int grade(int points, int least, double share)
{
    if (points < 40)
        return 1;
    if (points >= least)
        return 2;
    if (points == 77)
        return 3;
    return share > 0.5 ? 4 : 5;
}
";

#[test]
fn borders_are_met_on_both_sides() {
    let bench = Bench::new(BORDERS);
    let report = bench.generate(&["--runs", "2000", "--criteria", "branch,boundary"]);
    let found = &bench.function("grade")["goals"]["boundary"];
    // Two for each outcome of an order, two where the numbers are unequal.
    assert_eq!((&found["total"], &found["covered"]), (&14.into(), &14.into()), "{report}");
    bench.check();
    let tests = bench.read("out/subject_test.c");
    for call in ["grade(39,", "grade(40,", "grade(76,", "grade(78,"] {
        assert!(tests.contains(call), "{call}: {tests}");
    }
    assert!(tests.contains("0x1.0000000000001p-1"), "the next double: {tests}");
}

#[test]
fn a_border_that_no_path_allows_is_told_so() {
    let bench = Bench::new("int half(unsigned a) { return a % 2 * 10 > 8 ? 1 : 0; }\n");
    bench.generate(&["--runs", "300", "--criteria", "branch,boundary"]);
    let uncovered = bench.uncovered("half");
    let at = uncovered.iter().find(|(_, outcome, _)| outcome == "true at the border");
    assert!(at.is_some_and(|(.., reason)| reason.contains("impossible")), "{uncovered:?}");
}

#[test]
fn unknown_criteria_are_refused_with_those_there_are() {
    let bench = Bench::new(COMPUTED);
    let message = bench.refused(&["--criteria", "brunch"]);
    assert!(message.contains("brunch") && message.contains("comparison"), "{message}");
}
