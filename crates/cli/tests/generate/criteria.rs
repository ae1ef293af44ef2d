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

#[test]
fn unknown_criteria_are_refused_with_those_there_are() {
    let bench = Bench::new(COMPUTED);
    let message = bench.refused(&["--criteria", "brunch"]);
    assert!(message.contains("brunch") && message.contains("comparison"), "{message}");
}
