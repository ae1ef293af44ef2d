//! Budgets hold for many functions, and the reason why a search ended is true.

use crate::support::Bench;
use std::fmt::Write;

/// Many small functions.
fn many(count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let _ = writeln!(text, "int f{number}(int a) {{ if (a > {number}) return 1; return 0; }}");
    }
    text
}

/// A branch that only a search of ages would meet, and one that is met at once.
const HARD: &str = "unsigned hard(unsigned x)\n{\n    unsigned h = x;\n    for (int i = 0; i < 64; i++)\n        \
                    h = (h ^ (h >> 15)) * 0x2c1b3c6du + (unsigned)i;\n    \
                    if (h == 0x12345678u && (x ^ h) % 7919u == 7918u) return 1;\n    return 0;\n}\n";

/// One that solvers do not find out about either.
const HARDER: &str = "unsigned long hard(unsigned long x)\n{\n    unsigned long h = x;\n    \
                    for (int i = 0; i < 64; i++)\n        h = h * h + (h >> 7) + (unsigned long)i;\n    \
                    if (h == 0x123456789abcdef1ul && x % 7919u == 7918u) return 1;\n    return 0;\n}\n";

#[test]
fn functions_for_which_no_time_is_left_are_named_as_not_searched() {
    let bench = Bench::new(&many(300));
    let report = bench.generate(&["--budget", "20ms"]);
    let functions = bench.summary()["functions"].as_array().expect("a list").clone();
    let not_searched = functions.iter().filter(|function| function["not_searched"].is_string()).count();
    assert!(not_searched > 0, "300 functions take longer than 20 ms: {report}");
    let told =
        format!("  {not_searched} functions not searched, no time left: budget 0.0 s for 300 functions");
    assert!(report.contains(&told), "{told}: {report}");
    let reason = bench.summary()["stop_reason"].as_str().expect("a reason").to_owned();
    assert!(reason.starts_with("time spent, "), "{reason}");
    assert!(reason.ends_with(&format!("{not_searched} of the functions not searched")), "{reason}");
    let left = bench.uncovered("f299");
    assert!(left.iter().all(|(.., reason)| reason.starts_with("not searched, no time left")), "{left:?}");
}

#[test]
fn time_that_others_do_not_need_goes_to_functions_with_open_goals() {
    let bench = Bench::new(&format!("{HARDER}{}", many(3)));
    let report = bench.generate(&["--budget", "2s"]);
    let summary = bench.summary();
    let reason = summary["stop_reason"].as_str().expect("a reason");
    assert!(reason.contains("3 open"), "{report}");
    // All of the time was spent, not only the share that the first function had, unless nothing was left to try.
    let is_spent = summary["elapsed_s"].as_f64().expect("a number") >= 1.9;
    assert!(is_spent || reason.starts_with("nothing left to try"), "{report}");
}

#[test]
fn all_goals_are_met_only_if_the_table_says_so() {
    let bench = Bench::new(
        "int f(int a, int b)\n{\n    if (a > 100) {\n        if (a < 50)\n            return 1;\n        return 2;\n    }\n    \
         return b > 3;\n}\nint g(int x) { if (x > 5) return 7 / (x - x); return 0; }\n",
    );
    let report = bench.generate(&["--runs", "200"]);
    assert!(!report.contains("all goals met"), "{report}");
    let reason = bench.summary()["stop_reason"].as_str().expect("a reason").to_owned();
    assert!(reason.contains("open") || reason.contains("by no test"), "{reason}");
    assert!(reason.contains("1 proved infeasible"), "{reason}");
}

#[test]
fn a_few_runs_for_many_functions_make_no_more_work_than_they_are_worth() {
    let mut text = String::new();
    for number in 0..12 {
        text += &HARD.replace("hard", &format!("hard{number}"));
    }
    let bench = Bench::new(&text);
    let report = bench.generate(&["--runs", "30"]);
    let summary = bench.summary();
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let runs =
        ["random", "search", "concolic"].iter().map(|kind| number(&summary["runs"][kind])).sum::<u64>();
    assert!(runs <= 12 * 30, "{runs} runs: {report}");
    assert!(number(&summary["solver"]["unknown"]) <= 12 * 30, "{report}");
}
