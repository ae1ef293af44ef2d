//! The classic, from cases to files: few tests, told names, everything that was met stays met.

use crate::compile;
use crate::sketch::{Sketch, call, returned};
use expect_test::expect;
use std::process::Command;
use testwright_base::case::Value;
use testwright_base::ids::{FunctionId, GoalId, OutcomeId};
use testwright_base::sample;
use testwright_base::site::SiteKind;
use testwright_suite::Tried;
use testwright_suite::summary::Summary;
use testwright_suite::verdict::{Failure, How};
use testwright_suite::{Found, Reason, Suite, Unmet};

const TEXT: &str = "\
int triangle(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0)
        return 0;
    if (a + b <= c || a + c <= b || b + c <= a)
        return 0;
    if (a == b && b == c)
        return 3;
    if (a == b || b == c || a == c)
        return 2;
    return 1;
}
";

fn sketch() -> Sketch {
    let mut sketch = Sketch::new("triangle.c", TEXT);
    let int = sample::int(&mut sketch.subject.types, "int", 32, true);
    sketch.subject.functions = vec![sample::taking("triangle", &[("a", int), ("b", int), ("c", int)], int)];
    for condition in [
        "a ^<= 0 ||",
        "b ^<= 0 ||",
        "c ^<= 0)",
        "a + b ^<= c",
        "a + c ^<= b",
        "b + c ^<= a",
        "a ^== b &&",
        "b ^== c)",
        "a ^== b ||",
        "b ^== c ||",
        "a ^== c)",
    ] {
        sketch.site(FunctionId(0), SiteKind::Branch, 2, condition);
    }
    sketch
}

/// What the function does, outcome by outcome.
fn run(sides: [i128; 3]) -> Found {
    let [a, b, c] = sides;
    let mut outcomes = Vec::new();
    let mut decide = |site: u32, holds: bool| {
        outcomes.push(OutcomeId(2 * site + u32::from(!holds)));
        holds
    };
    let kind = if decide(0, a <= 0)
        || decide(1, b <= 0)
        || decide(2, c <= 0)
        || decide(3, a + b <= c)
        || decide(4, a + c <= b)
        || decide(5, b + c <= a)
    {
        0
    } else if decide(6, a == b) && decide(7, b == c) {
        3
    } else if decide(8, a == b) || decide(9, b == c) || decide(10, a == c) {
        2
    } else {
        1
    };
    let mut run = returned(Some(Value::Int(kind)), vec![None]);
    run.outcomes = outcomes.clone();
    Found {
        case: call(0, sides.map(Value::Int).to_vec()),
        run,
        again: None,
        goals: outcomes.iter().map(|outcome| GoalId(outcome.0)).collect(),
        kills: Vec::new(),
        broke: None,
        strays: false,
        earlier: false,
        demanded: false,
        queries: Vec::new(),
    }
}

fn found() -> Vec<Found> {
    let grid = (0..6i128).flat_map(|a| (0..6).flat_map(move |b| (0..6).map(move |c| [a, b, c])));
    grid.chain([[1_000_000, 999_999, 7], [-2_147_483_641, 3, 4]]).map(run).collect()
}

#[test]
fn the_tests_of_triangle_are_few_and_say_what_they_show() {
    let sketch = sketch();
    let input = sketch.input(found());
    let suite = Suite::new(input);
    let files = suite.files();
    let text = &files.iter().find(|(path, _)| path == "triangle_test.c").unwrap().1;
    expect![[r#"
        /* Tests for triangle() of triangle.c. Written by Testwright (seed 1); run `make check`. */
        #include "testwright_check.h"

        int triangle(int a, int b, int c);

        /* triangle.c:3  a <= 0 true */
        TEST(returns_0_if_a_le_0)
        {
            int result = triangle(0, 0, 0);

            CHECK_EQ(result, 0);
        }

        /* triangle.c:3  b <= 0 true */
        TEST(returns_0_if_b_le_0)
        {
            int result = triangle(1, 0, 0);

            CHECK_EQ(result, 0);
        }

        /* triangle.c:3  c <= 0 true */
        TEST(returns_0_if_c_le_0)
        {
            int result = triangle(1, 1, 0);

            CHECK_EQ(result, 0);
        }

        /* triangle.c:5  a + b <= c true */
        TEST(returns_0_if_a_plus_b_le_c)
        {
            int result = triangle(1, 1, 2);

            CHECK_EQ(result, 0);
        }

        /* triangle.c:5  a + c <= b true */
        TEST(returns_0_if_a_plus_c_le_b)
        {
            int result = triangle(1, 2, 1);

            CHECK_EQ(result, 0);
        }

        /* triangle.c:5  b + c <= a true */
        TEST(returns_0_if_b_plus_c_le_a)
        {
            int result = triangle(2, 1, 1);

            CHECK_EQ(result, 0);
        }

        /* triangle.c:7  a == b && b == c true */
        TEST(returns_3_if_a_eq_b_and_b_eq_c)
        {
            int result = triangle(1, 1, 1);

            CHECK_EQ(result, 3);
        }

        /* triangle.c:9  a == b true; line 7: b == c false */
        TEST(returns_2_if_a_eq_b)
        {
            int result = triangle(2, 2, 1);

            CHECK_EQ(result, 2);
        }

        /* triangle.c:9  b == c true */
        TEST(returns_2_if_b_eq_c)
        {
            int result = triangle(1, 2, 2);

            CHECK_EQ(result, 2);
        }

        /* triangle.c:9  a == c true */
        TEST(returns_2_if_a_eq_c)
        {
            int result = triangle(2, 1, 2);

            CHECK_EQ(result, 2);
        }

        /* triangle.c:9  a == b || b == c || a == c false */
        TEST(returns_1_if_a_ne_b_and_b_ne_c_and_a_ne_c)
        {
            int result = triangle(2, 3, 4);

            CHECK_EQ(result, 1);
        }
    "#]]
    .assert_eq(text);
}

#[test]
fn everything_that_was_met_stays_met_and_the_tests_pass() {
    let sketch = sketch();
    let input = sketch.input(found());
    let suite = Suite::new(input);
    let met: std::collections::BTreeSet<GoalId> =
        suite.tests.iter().flat_map(|test| test.goals.clone()).collect();
    assert_eq!(met.len(), 22);
    let folder = tempfile::tempdir().unwrap();
    compile::write(folder.path(), &[("triangle.c", TEXT)], &suite);
    compile::expect_to_pass(folder.path(), &["c99", "c17"]);
}

#[test]
fn the_coverage_that_gcov_measures_is_what_the_summary_claims() {
    let sketch = sketch();
    for sides in [vec![[2, 2, 2], [0, 1, 1]], vec![[3, 4, 5], [5, 5, 3], [1, 0, 0]]] {
        let input = sketch.input(sides.into_iter().map(run).collect());
        let suite = Suite::new(input);
        let folder = tempfile::tempdir().unwrap();
        compile::write(folder.path(), &[("triangle.c", TEXT)], &suite);
        assert!(compile::make(folder.path(), &["check", "CC=gcc", "CFLAGS=--coverage"]).status.success());
        let gcov = Command::new("gcov")
            .current_dir(folder.path().join("out"))
            .args(["-b", "-n", "build/code_0.gcda"])
            .output()
            .unwrap();
        let branches = Summary::new(&suite).functions[0].branches;
        let percent = 100.0 * branches.covered as f64 / branches.total as f64;
        let claimed = format!("Taken at least once:{percent:.2}% of {}", branches.total);
        assert!(compile::text(&gcov).contains(&claimed), "{claimed}: {}", compile::text(&gcov));
    }
}

#[test]
fn without_the_source_names_fall_back_to_lines() {
    let sketch = sketch();
    let input = sketch.unread_input(vec![run([2, 2, 2])]);
    assert_eq!(Suite::new(input).tests[0].name, "returns_3_line_7_true");
}

#[test]
fn an_assertion_that_does_not_hold_fails_the_test_and_can_be_left_out() {
    let sketch = sketch();
    let mut wrong = run([2, 2, 2]);
    wrong.run.result = Some(Value::Int(4));
    let input = sketch.input(vec![wrong, run([0, 0, 0])]);
    let mut suite = Suite::new(input);
    let folder = tempfile::tempdir().unwrap();
    compile::write(folder.path(), &[("triangle.c", TEXT)], &suite);
    let output = compile::make(folder.path(), &["check"]);
    let printed = compile::text(&output);
    assert!(!output.status.success());
    assert!(
        printed.contains("1 passed, 1 failed") && printed.contains("result: expected 4, got 3"),
        "{printed}"
    );

    let wrong = suite.tests.iter().find(|test| printed.contains(&format!("# {}: ", test.name))).unwrap();
    let failure = Failure { test: wrong.name.clone(), how: How::Assertion("result".to_owned()) };
    suite.leave_out(&[failure], &Tried::First);
    assert_eq!(suite.tests.iter().map(|test| test.assertions.len()).sum::<usize>(), 1);
    // A test that asserts nothing any more is none.
    assert_eq!(suite.tests.len(), 1);
    compile::write(folder.path(), &[], &suite);
    assert!(compile::make(folder.path(), &["check"]).status.success());
}

#[test]
fn the_summary_says_what_is_missing_and_why() {
    let sketch = sketch();
    let mut input = sketch.input(vec![run([2, 2, 2]), run([0, 1, 1])]);
    input.unmet = vec![Unmet { goal: GoalId(2), reason: Reason::Infeasible("b > 0 holds there".to_owned()) }];
    let files = Suite::new(input).files();
    let summary = &files.iter().find(|(path, _)| path == "summary.json").unwrap().1;
    let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
    let function = &summary["functions"][0];
    assert_eq!(function["branches"], serde_json::json!({"total": 22, "covered": 9, "infeasible": 1}));
    assert_eq!(function["tests"], 2);
    assert_eq!(function["uncovered"].as_array().unwrap().len(), 13);
    assert_eq!(
        function["uncovered"][0],
        serde_json::json!({"file": "triangle.c", "line": 3, "condition": "b <= 0", "outcome": "true",
                           "reason": "proved infeasible: b > 0 holds there"})
    );
    assert_eq!(function["uncovered"][1]["reason"], "not met within the budget");
    assert!(summary["runs"]["concolic"].is_u64() && summary["solver"]["time_s"].is_number());
    let cases: Vec<&str> =
        files.iter().map(|(path, _)| path.as_str()).filter(|path| path.starts_with("cases/")).collect();
    assert_eq!(cases.len(), 3, "two cases and their index");
}
