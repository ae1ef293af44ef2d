//! Suites that notice changes of the code.

use crate::support::Bench;
use serde_json::Value;

/// Zeros tell none of the operators apart, and no branch needs anything else.
const SUMS: &str = "\
int rate(int hours, int fee)
{
    if (hours < 24)
        return hours * fee + 7;
    return (hours - 24) * fee;
}
";

/// The mutants of a function: all that are not equivalent, those that are killed, and the lines of the survivors.
fn mutants(bench: &Bench, function: &str) -> (u64, u64, Vec<u64>) {
    let function = bench.function(function);
    let number = |name: &str| function["goals"]["mutation"][name].as_u64().expect("a number");
    let survivors = function["survivors"].as_array().cloned().unwrap_or_default();
    let lines = survivors.iter().filter_map(|one: &Value| one["line"].as_u64()).collect();
    (number("total") - number("infeasible"), number("covered"), lines)
}

/// Whether `make check` fails when this becomes that.
fn notices(bench: &Bench, this: &str, that: &str) -> bool {
    let original = bench.read("subject.c");
    assert!(original.contains(this));
    bench.write("subject.c", &original.replacen(this, that, 1));
    let failed = !bench.make(&["-B", "check"]).status.success();
    bench.write("subject.c", &original);
    failed
}

#[test]
fn without_being_asked_a_suite_kills_mutants_and_says_how_many() {
    let bench = Bench::new(SUMS);
    let report = bench.generate(&["--runs", "500", "--criteria", "branch,mutation"]);
    let (all, killed, survivors) = mutants(&bench, "rate");
    assert_eq!((all - killed) as usize, survivors.len());
    assert!(report.contains(&format!("kills {killed} of {all} mutants")), "{report}");
    assert!(killed * 100 >= all * 95, "{killed} of {all}: {survivors:?}");
    bench.check();
    let changes = [
        ("hours < 24", "hours <= 24"),
        ("* fee + 7", "+ fee + 7"),
        ("+ 7", "- 7"),
        ("- 24)", "- 23)"),
        ("< 24", "< 23"),
    ];
    for (this, that) in changes {
        assert!(notices(&bench, this, that), "{this} becomes {that}: {}", bench.read("out/subject_test.c"));
    }
}

#[test]
fn branches_alone_are_shown_by_zeros() {
    let bench = Bench::new(SUMS);
    let report = bench.generate(&["--runs", "500", "--criteria", "branch"]);
    assert!(!report.contains("mutants"), "{report}");
    assert!(!notices(&bench, "* fee + 7", "+ fee + 7"), "{}", bench.read("out/subject_test.c"));
}

#[test]
fn there_are_at_most_three_times_as_many_tests_as_branches_need() {
    let bench = Bench::new(
        "int mix(int a, int b, int c, int d) { return a * b + c * d - (a ^ c) + (b & d) + a / (d | 1); }\n",
    );
    bench.generate(&["--runs", "500", "--criteria", "branch,mutation"]);
    let tests = bench.function("mix")["tests"].as_u64().expect("a number");
    assert!((1..=3).contains(&tests), "{tests}");
    let report = bench.generate(&["--runs", "500", "--criteria", "branch,mutation", "--max-tests", "1"]);
    assert_eq!(bench.function("mix")["tests"], 1, "{report}");
}

#[test]
fn a_call_that_is_left_out_and_an_assignment_are_noticed() {
    let bench = Bench::new(
        "struct s { int a, b; };\nstatic void clear(struct s *s) { s->a = 0; s->b = 0; }\n\
         void reset(struct s *s, int b)\n{\n    clear(s);\n    s->b = b;\n}\n",
    );
    bench.generate(&["--runs", "500", "--criteria", "branch,mutation"]);
    assert!(notices(&bench, "    clear(s);", ""), "{}", bench.read("out/subject_test.c"));
    assert!(notices(&bench, "s->b = b;", ";"), "{}", bench.read("out/subject_test.c"));
    assert!(notices(&bench, "s->a = 0;", ";"), "{}", bench.read("out/subject_test.c"));
}

#[test]
fn the_same_seed_gives_the_same_suite_with_mutants_too() {
    let tests = || {
        let bench = Bench::new(SUMS);
        bench.generate(&["--runs", "300", "--criteria", "branch,mutation", "--seed", "5"]);
        bench.read("out/subject_test.c")
    };
    assert_eq!(tests(), tests());
}

#[test]
fn borders_of_comparisons_are_solved_for() {
    let bench = Bench::new(
        "int level(unsigned long key)\n{\n    if (key * 3 >= 1234567890123ul)\n        return 2;\n    return 1;\n}\n",
    );
    bench.generate(&["--runs", "500", "--criteria", "branch,mutation"]);
    assert!(
        notices(&bench, ">= 1234567890123ul", "> 1234567890123ul"),
        "{}",
        bench.read("out/subject_test.c")
    );
    assert!(notices(&bench, "1234567890123ul", "1234567890122ul"), "{}", bench.read("out/subject_test.c"));
}
