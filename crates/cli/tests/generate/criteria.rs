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

/// The same comparison at three places of each path.
const REPEATED: &str = "\
int count(int a, int b, int c)
{
    int sum = 0;
    int all[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (all[i] > 10)
            sum++;
    return sum;
}
";

#[test]
fn a_location_is_augmented_once_or_wherever_paths_come_to_it() {
    let tests = |more: &[&str]| {
        let bench = Bench::new(REPEATED);
        let report = bench.generate(&[&["--runs", "200", "--criteria", "branch,boundary"], more].concat());
        let tests = bench.read("out/subject_test.c");
        let calls = tests.lines().filter_map(|line| line.split("= count(").nth(1)?.strip_suffix(");"));
        let calls =
            calls.map(|call| call.split(", ").map(|number| number.parse().expect("a number")).collect());
        let calls: Vec<Vec<i32>> = calls.collect();
        let solver = &bench.summary()["solver"]["augmented"];
        (calls, solver["sat"].as_u64().expect("a number"), report)
    };
    let has = |calls: &[Vec<i32>], index: usize, number: i32| calls.iter().any(|call| call[index] == number);
    let (once, solved, report) = tests(&[]);
    assert!(has(&once, 0, 10) && !has(&once, 1, 10) && !has(&once, 2, 10), "{once:?} {report}");
    let (weakly, more, report) = tests(&["--augment-every-occurrence"]);
    for (index, number) in [(0, 10), (1, 10), (2, 10), (0, 11), (1, 11), (2, 11)] {
        assert!(has(&weakly, index, number), "{index} {number}: {weakly:?} {report}");
    }
    assert!(more > solved && weakly.len() as u64 <= more, "{more} {solved} {report}");
    // Strictly, each keeps to a path that the search had found: no two numbers are above 10 there.
    let (strictly, _, report) = tests(&["--augment-every-occurrence", "--augmentation", "strict"]);
    assert!((0..3).all(|index| has(&strictly, index, 10)), "{strictly:?} {report}");
    let high = |call: &Vec<i32>| call.iter().filter(|number| **number > 10).count();
    assert!(weakly.iter().any(|call| high(call) > 1), "{weakly:?}");
    assert!(strictly.iter().all(|call| high(call) <= 1), "{strictly:?} {report}");
}

#[test]
fn augmentation_that_no_criterion_asks_for_is_refused() {
    let bench = Bench::new(REPEATED);
    for arguments in [["--augment-every-occurrence"].as_slice(), &["--augmentation", "strict"]] {
        let message = bench.refused(arguments);
        assert!(message.contains("--criteria: boundary"), "{message}");
    }
}
