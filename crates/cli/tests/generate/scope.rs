//! Whose branches are searched for from a function.

use crate::support::Bench;

/// A function with branches, and wrappers without.
const WRAPPED: &str = "\
static int sign(int x)
{
    if (x == 123456)
        return 2;
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}
int first(int x) { return sign(x); }
int second(int x) { return first(x) + 1; }
int third(int x) { return second(x) + 1; }
";

/// The runs that all functions took together.
fn runs(bench: &Bench) -> u64 {
    let runs = &bench.summary()["runs"];
    ["random", "search", "concolic"].iter().filter_map(|kind| runs[*kind].as_u64()).sum()
}

#[test]
fn a_function_is_searched_once_and_not_again_from_its_callers() {
    let bench = Bench::new(WRAPPED);
    let report = bench.generate(&["--runs", "500", "--technique", "concolic", "--scope", "own"]);
    assert_eq!(bench.function("sign")["branches"]["covered"], 6, "{report}");
    let tests = ["first", "second", "third"].map(|name| bench.function(name)["tests"].clone());
    assert_eq!(tests, [1, 1, 1], "{report}");
    let own = runs(&bench);
    bench.generate(&["--runs", "500", "--technique", "concolic"]);
    let all = runs(&bench);
    assert!(own < all, "{own} runs, {all} without --scope own");
}

#[test]
fn what_is_not_tested_itself_is_searched_from_its_callers() {
    let bench = Bench::new(WRAPPED);
    let report = bench.generate(&["--runs", "500", "--function", "third", "--scope", "own"]);
    assert!(report.contains("third") && bench.function("third")["tests"].as_u64() >= Some(4), "{report}");
}
