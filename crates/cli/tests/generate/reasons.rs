//! Why goals were not met: the reason is the sharpest that is true.

use crate::support::Bench;

#[track_caller]
fn check(text: &str, arguments: &[&str], function: &str, expected: &[(u64, &str, &str)]) {
    let bench = Bench::new(text);
    bench.generate(arguments);
    let uncovered = bench.uncovered(function);
    assert_eq!(uncovered.len(), expected.len(), "{uncovered:#?}");
    for ((line, outcome, reason), (expected_line, expected_outcome, expected)) in
        uncovered.iter().zip(expected)
    {
        assert_eq!((line, outcome.as_str()), (expected_line, *expected_outcome));
        let parts: Vec<&str> = expected.split("..").collect();
        let fits = parts.iter().all(|part| reason.contains(part)) && reason.starts_with(parts[0]);
        assert!(fits, "line {line} {outcome}: `{reason}` should be `{expected}`");
    }
}

#[test]
fn what_no_path_shows_is_proved_infeasible() {
    let text = "
int clamp(int x)
{
    if (x > 10)
        x = 10;
    if (x > 20) {
        if (x == 21)
            return -2;
        return -1;
    }
    return x;
}
";
    let proved = "proved infeasible: every path was explored";
    check(text, &[], "clamp", &[(6, "true", proved), (7, "true", proved), (7, "false", proved)]);
}

#[test]
fn nothing_is_called_infeasible_that_another_environment_could_show() {
    let text = "
#include <stdlib.h>
int shared(const int *items, const int *others)
{
    if (((unsigned long)others & 15) == 3)
        return 1;
    return *others > *items;
}
int verbose(int x)
{
    if (getenv(\"VERBOSE\") != NULL)
        return 2;
    return x > 0;
}
";
    check(text, &[], "verbose", &[(11, "true", "every path was explored, but not other answers of getenv")]);
    check(
        text,
        &[],
        "shared",
        &[(
            5,
            "true",
            "every path was explored, but not other addresses of what the code compares on line 5",
        )],
    );
}

#[test]
fn nothing_is_called_infeasible_behind_a_limit() {
    let text = "
int late(unsigned x)
{
    volatile unsigned count = 0;
    while (x != 3)
        count++;
    if (count == 1)
        return 1;
    return 0;
}
";
    check(
        text,
        &["--runs", "20"],
        "late",
        &[
            (5, "true", "met only by runs that end badly"),
            (7, "true", "every path was explored, but not other values of what is volatile on line 4"),
        ],
    );
}

#[test]
fn a_goal_that_was_never_reached_names_the_condition_before_it_and_what_stopped_the_solver() {
    let text = "
#include <stdint.h>
int unlock(uint32_t a, uint32_t b)
{
    uint32_t h = 1;
    for (int round = 0; round < 60; round++) {
        h = (h ^ a) * 0x85ebca6bu + (b + h) * (a | 1);
        a += h * b;
        b ^= (h >> 7) * a;
    }
    if (h == 0x12345678u) {
        switch (a) {
        case 3:
            return 3;
        }
    }
    return 0;
}
";
    let never =
        "never reached: the condition on line 11 was never true; solver gave up after .. s.. on line 11";
    check(
        text,
        &["--budget", "2s"],
        "unlock",
        &[
            (11, "true", "solver gave up after .. s.. on line 11"),
            (12, "case 3", never),
            (12, "default", never),
        ],
    );
}

#[test]
fn what_the_budget_left_is_told_as_such() {
    let text = "
int nest(int a, int b)
{
    if (a == 17) {
        if (b == 23)
            return 1;
    }
    return 0;
}
";
    check(
        text,
        &["--runs", "1"],
        "nest",
        &[
            (4, "true", "not met within the budget"),
            (5, "true", "never reached: the condition on line 4 was never true; not met within the budget"),
            (5, "false", "never reached: the condition on line 4 was never true; not met within the budget"),
        ],
    );
}

#[test]
fn a_condition_that_no_input_reaches_is_told_as_such() {
    let text = "
int count(unsigned n)
{
    int i = 0;
    while ((unsigned)i < (n & 0x3f))
        i++;
    if (i == 400)
        return 1;
    return 0;
}
";
    let reason = "its condition depended on no input in any run; more time may help";
    check(text, &["--runs", "30"], "count", &[(7, "true", reason)]);
    let bench = Bench::new(text);
    let report = bench.generate(&["--runs", "30"]);
    assert!(report.contains(&format!("i == 400 true: {reason}")), "the condition is named: {report}");
    assert_eq!(bench.function("count")["uncovered"][0]["condition"], "i == 400");
}
