//! Searches over inputs: they reach what they should, keep to their limits, repeat themselves, and say when they fall back.

use crate::support::Bench;

/// Text, a buffer with a length, a float, an enumeration, and a number that counts equalities.
const MIXED: &str = "
#include <stddef.h>

enum colour { RED, GREEN, BLUE };

int mixed(const char *text, const int *items, size_t count, double x, enum colour colour)
{
    int equal = 0;
    if (text[0] == 'k' && text[1] == 'e' && text[2] == 'y')
        return 1;
    if (count > 4) {
        if (items[4] == 123456)
            return 2;
    }
    if (x > 12.25) {
        if (x < 12.5)
            return 3;
    }
    if (colour == BLUE)
        equal = 1;
    if (equal == 1)
        return 4;
    return 0;
}
";

#[test]
fn all_kinds_of_inputs_are_found_by_both_techniques() {
    let bench = Bench::new(MIXED);
    for technique in ["avm", "ga"] {
        let text = bench.generate(&["--technique", technique, "--runs", "200000"]);
        let covered = bench.summary()["functions"][0]["branches"]["covered"].clone();
        assert_eq!(covered, bench.summary()["functions"][0]["branches"]["total"], "{technique}: {text}");
        assert!(bench.summary()["runs"]["search"].as_u64().is_some_and(|runs| runs > 0));
        assert_eq!(bench.summary()["solver"]["queries"], 0);
        assert!(bench.make(&["check"]).status.success());
    }
}

/// One way is one in 2^32 for random values, the other leads through code that no trace can express.
const TWO_WAYS: &str = "int f(int a, int x)\n{\n    int y = x;\n    __asm__(\"addl $5, %0\" : \"+r\"(y));\n    \
                        if (a == 123456789)\n        return 1;\n    if (y == 77777)\n        return 2;\n    return 0;\n}\n";

#[test]
fn several_techniques_reach_what_none_of_them_reaches_alone() {
    let bench = Bench::new(TWO_WAYS);
    for alone in ["random", "concolic"] {
        bench.generate(&["--technique", alone, "--runs", "3000"]);
        assert_ne!(bench.summary()["stop_reason"], "all goals met", "{alone}");
    }
    let shown = bench.generate(&["--technique", "concolic,avm", "--runs", "60000"]);
    let summary = bench.summary();
    assert_eq!(summary["functions"][0]["branches"]["covered"], 4, "{shown}");
    assert_eq!(summary["stop_reason"], "all goals met");
    assert!(summary["runs"]["search"].as_u64().is_some_and(|runs| runs > 0), "{summary}");
    assert!(summary["solver"]["queries"].as_u64().is_some_and(|queries| queries > 0), "{summary}");
}

/// The steps that a search logs, the first line being what it is about.
fn steps(bench: &Bench, arguments: &[&str]) -> Vec<serde_json::Value> {
    bench.generate(&[arguments, &["--log-steps", "steps.jsonl"]].concat());
    let lines = bench.read("steps.jsonl");
    lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn every_step_says_who_bid_what_and_the_same_seed_gives_the_same_steps() {
    let bench = Bench::new(TWO_WAYS);
    let first = steps(&bench, &["--runs", "9000"]);
    assert_eq!(first[0]["bidders"], serde_json::json!(["flips", "random", "avm", "ga"]));
    let taken = &first[1..first.len() - 1];
    for step in taken {
        let bids = step["bids"].as_array().expect("bids");
        assert!(bids.len() == 4 && bids.iter().all(|bid| bid[1].as_f64().is_some_and(|cost| cost > 0.0)));
        assert!(step["cost"].as_f64().is_some_and(|cost| cost >= 1.0), "{step}");
    }
    let last = first.last().expect("a last line");
    assert!(last["left"].is_array(), "{last}");
    assert_eq!(last["wrong"], serde_json::json!([]), "nothing that was ruled out is hit");
    assert_eq!(first, steps(&bench, &["--runs", "9000"]));
    assert_ne!(first, steps(&bench, &["--runs", "9000", "--seed", "8"]));
}

/// Callees check for what callers never pass, and for what only looks impossible.
const CALLEES: &str = "#include <math.h>\n\nstatic double scaled(double x, int n)\n{\n    if (n < 0 || x > 100.0)\n        \
                       return -1.0;\n    double sum = 0.0;\n    for (int i = 0; i < n; i++)\n        sum += x / (i + 1.0);\n    \
                       if (sum != sum)\n        return -2.0;\n    return sum < 0.0 ? -3.0 : sum;\n}\n\n\
                       int f(double x, unsigned n)\n{\n    if (fabs(x) > 10.0 || n > 9)\n        return 0;\n    \
                       return scaled(fabs(x), (int)n) > 5.0 ? 1 : 2;\n}\n";

#[test]
fn what_is_ruled_out_is_not_hit_and_no_number_is_not_ruled_out() {
    let bench = Bench::new(CALLEES);
    let taken = steps(&bench, &["--function", "f", "--technique", "random,avm", "--runs", "20000"]);
    let last = taken.last().expect("a last line");
    assert_eq!(last["wrong"], serde_json::json!([]), "{last}");
    let left = last["left"].as_array().expect("a list");
    let is_left =
        |place: &str| left.iter().any(|goal| goal.as_str().is_some_and(|goal| goal.contains(place)));
    assert!(!is_left(":5:"), "what is never passed is no goal: {last}");
    assert!(!is_left(":10:"), "no number is passed: {last}");
}

#[test]
fn no_technique_starves() {
    // There are thousands of paths, and what is asked for at the end is impossible in a way that no trace can express.
    let bench = Bench::new(
        "struct set { int items[12]; };\n\nint f(struct set set, int x)\n{\n    int large = 0, y = x;\n    \
         for (int i = 0; i < 12; i++)\n        if (set.items[i] > i)\n            large++;\n    \
         __asm__(\"xorl %0, %0\" : \"+r\"(y));\n    return y == 7 ? 1 : large;\n}\n",
    );
    let taken = steps(&bench, &["--runs", "8000"]);
    for bidder in ["flips", "random", "avm", "ga"] {
        let own = taken.iter().filter(|step| step["by"] == bidder);
        let cost: f64 = own.filter_map(|step| step["cost"].as_f64()).sum();
        assert!(cost >= 100.0, "{bidder} got {cost} of 8000 runs");
    }
}

#[test]
fn random_runs_are_drawn_within_buffers_and_what_they_find_is_kept() {
    let text = "#include <stddef.h>\n\nint sum(const int *items, size_t count)\n{\n    int small = 0;\n    \
                for (size_t i = 0; i < count; i++)\n        if (items[i] > 0 && items[i] < 8)\n            small++;\n    \
                if (small > 2)\n        return 1;\n    return 0;\n}\n";
    let bench = Bench::new(text);
    let report = bench.generate(&["--technique", "random", "--runs", "20000"]);
    let summary = bench.summary();
    assert_eq!(summary["functions"][0]["branches"]["covered"], 8, "{report}");
    assert_eq!(summary["functions"][0]["findings"], serde_json::json!([]), "{report}");
    assert_eq!(summary["solver"]["queries"], 0);
    // Only what is worth it is traced.
    assert!(summary["runs"]["concolic"].as_u64().is_some_and(|runs| runs < 50), "{summary}");
    let first = bench.read("out/subject_test.c");
    bench.generate(&["--technique", "random", "--runs", "20000"]);
    assert_eq!(first, bench.read("out/subject_test.c"));
}

#[test]
fn what_callees_check_in_vain_is_not_searched_for() {
    // The callee is only ever given 3, so the search ends when all else is met, though 3 of its outcomes are not.
    let text = "#include <math.h>\n\nstatic int kind(int n, double x)\n{\n    if (n < 0)\n        return x > 1e9 ? 1 : 2;\n    \
                return n;\n}\n\nint f(double x)\n{\n    if (sin(x) > 0.5)\n        return 5;\n    return kind(3, x);\n}\n";
    let bench = Bench::new(text);
    bench.generate(&["--function", "f", "--technique", "random,avm", "--runs", "60000"]);
    let summary = bench.summary();
    assert_eq!(summary["functions"][0]["branches"]["covered"], 2, "{summary}");
    assert_eq!(summary["stop_reason"], "all goals met");
}

#[test]
fn settings_of_the_config_file_count_and_those_of_the_command_line_win() {
    let bench = Bench::new(MIXED);
    bench.write("testwright.toml", "[set]\nga.pressure = 1.5\nsearch.evaluations = 0\n");
    let refused = |arguments: &[&str]| {
        let output = bench.command(arguments).output().expect("testwright starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, errors) = refused(&["--technique", "avm"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(
        errors.contains("testwright.toml:3: search.evaluations takes a whole number from 1 to"),
        "{errors}"
    );
    bench.write("testwright.toml", "[set]\nga.least = 60\n");
    let (code, errors) = refused(&["--technique", "ga", "--runs", "300"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("300 individuals are too few for 6 sub-populations of at least 60"), "{errors}");
    bench.generate(&["--technique", "ga", "--runs", "300", "--set", "ga.least=5"]);
}

#[test]
fn the_same_seed_and_runs_give_the_same_suite() {
    let bench = Bench::new(MIXED);
    let arguments = ["--technique", "avm", "--runs", "3000", "--seed", "7"];
    bench.generate(&arguments);
    let first = bench.read("out/subject_test.c");
    bench.generate(&arguments);
    assert_eq!(first, bench.read("out/subject_test.c"));
    assert!(bench.summary()["runs"]["search"].as_u64().is_some_and(|runs| runs <= 3000));
}

#[test]
fn crashes_on_the_way_are_findings() {
    let bench =
        Bench::new("int f(int a, int b)\n{\n    if (a == 77)\n        return 100 / b;\n    return 0;\n}\n");
    let text = bench.generate(&["--technique", "avm"]);
    assert!(text.contains("division by zero"), "{text}");
}

#[track_caller]
fn check_refused(arguments: &[&str], expected: &str) {
    let output = Bench::new(MIXED).command(arguments).output().expect("testwright starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn settings_out_of_range_are_refused_with_their_range() {
    let avm = |setting: &'static str| ["--technique", "avm", "--set", setting];
    check_refused(&avm("fitness.paths=0"), "fitness.paths takes a whole number from 1 to 4096; not `0`");
    check_refused(&avm("avm.precision=-1"), "avm.precision takes a whole number from 0 to 15; not `-1`");
    check_refused(&avm("ga.pressure=2.5"), "ga.pressure takes a number from 1 to 2; not `2.5`");
    check_refused(
        &avm("population=3"),
        "there is no setting `population`; there are avm.precision, ga.population",
    );
    check_refused(&["--technique", "avm,ga,avm"], "--technique names avm twice");
    check_refused(&["--technique", "avm,nothing"], "invalid value 'nothing'");
    check_refused(
        &["--technique", "concolic", "--set", "avm.precision=2"],
        "--set is for the techniques avm and ga, which are not among those named",
    );
    check_refused(&["--technique", "all,avm"], "--technique all has every technique already");
}

#[test]
fn a_limit_that_is_too_small_says_which_target_falls_back_and_why() {
    let text = "int f(int a, int b, int c)\n{\n    int n = 0;\n    if (c) {\n        if (a > 3)\n            n = 5;\n        \
                if (b > 4)\n            n = n + 7;\n        if (n == c)\n            return 1;\n    }\n    return 0;\n}\n";
    let bench = Bench::new(text);
    let expected = "subject.c:9:15 true: standard fitness, because more than 3 paths lead to it from line 4 (fitness.paths)";
    for technique in ["avm", "ga,avm"] {
        let arguments = ["--technique", technique, "--set", "fitness.paths=3"];
        let output = bench.command(&arguments).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert!(errors.contains(expected), "{technique}: {errors}");
    }
    let output = bench.command(&["--technique", "avm"]).output().expect("it starts");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("standard fitness"));
}

#[test]
fn a_budget_is_kept_to_although_a_branch_cannot_be_reached() {
    let bench = Bench::new("int f(int a)\n{\n    if (a * 2 == 7)\n        return 1;\n    return 0;\n}\n");
    bench.generate(&["--technique", "avm", "--budget", "1s", "--set", "search.evaluations=1000000000"]);
    let elapsed = bench.summary()["elapsed_s"].as_f64().expect("a number");
    // A billion evaluations take far longer, also where nothing else is to be done.
    assert!(elapsed <= 60.0, "{elapsed} s");
}

/// Most branches are met at random; one asks for a single number.
const RARE: &str = "
int f(int a, int b, double x)
{
    int score = 0;
    if (a > b)
        score++;
    if (x < 0.5)
        score += 2;
    if (a == 123456789)
        score += 4;
    return score;
}
";

#[test]
fn greedy_runs_at_random_and_solves_what_is_rare() {
    let bench = Bench::new(RARE);
    let arguments = ["--technique", "greedy", "--runs", "2000"];
    let text = bench.generate(&arguments);
    assert_eq!(bench.function("f")["branches"]["covered"], 6, "{text}");
    assert!(bench.summary()["solver"]["queries"].as_u64() >= Some(1), "{text}");
    assert!(bench.make(&["check"]).status.success());
    let first = bench.read("out/subject_test.c");
    bench.generate(&arguments);
    assert_eq!(first, bench.read("out/subject_test.c"), "counted costs make it repeatable");
}

#[test]
fn greedy_learns_what_solving_costs_and_keeps_it() {
    let bench = Bench::new(RARE);
    let cache = tempfile::tempdir().unwrap();
    let learnt = || {
        let files = cache.path().read_dir().unwrap().flatten().map(|entry| entry.path());
        let mut costs = files.filter(|path| path.to_string_lossy().contains("solving-costs"));
        costs.next().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
    };
    let generate = || {
        let mut command = bench.command(&["--technique", "greedy", "--budget", "10m"]);
        assert!(command.env("TESTWRIGHT_CACHE", cache.path()).output().unwrap().status.success());
    };
    generate();
    let (path, costs) = learnt().expect("costs are kept");
    assert!(costs.contains("weights"), "{costs}");
    // A damaged file is as good as none.
    std::fs::write(&path, "{\"weights\": 7}").unwrap();
    generate();
    assert!(learnt().is_some_and(|(_, costs)| costs.contains("products")));
    assert_eq!(bench.function("f")["branches"]["covered"], 6);
}

#[test]
fn a_search_ends_when_what_is_left_is_impossible() {
    let bench = Bench::new(
        "static int g(int x, int n)\n{\n    if (x < 1)\n        return n > 5 ? 1 : 2;\n    return x;\n}\n\
         int f(const char *text, int n)\n{\n    while (*text && *text != 'q')\n        text++;\n    \
         return g(2 + (*text == 'q'), n);\n}\n",
    );
    let printed = bench.generate(&["--function", "f", "--runs", "3000"]);
    assert!(printed.contains("all goals met"), "`g` is never given less than 1: {printed}");
}
