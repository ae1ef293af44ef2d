//! Heuristics can be switched off: a suite is written all the same, and misspelt names are refused.

use crate::support::Bench;
use testwright_search::heuristics::ALL;

/// A loop over text, a buffer with its length, and a pointer that may be null.
const SUBJECT: &str = "
int f(const char *text, const int *items, unsigned long count, int *out)
{
    int letters = 0;
    for (; *text; text++)
        letters += *text == 'x';
    if (letters == 2)
        return 1;
    if (count > 1 && items[1] == 7)
        return 2;
    *out = 3;
    return 0;
}
";

#[test]
fn a_suite_is_written_with_all_heuristics_off() {
    let bench = Bench::new(SUBJECT);
    let names: Vec<&str> = ALL.iter().map(|about| about.name).collect();
    let text = bench.generate(&["--runs", "200", "--without", &names.join(",")]);
    let function = &bench.summary()["functions"][0];
    assert!(function["tests"].as_u64().is_some_and(|tests| tests > 0), "{text}");
    assert_eq!(function["branches"]["infeasible"], 0, "nothing is proved without them: {text}");
    assert!(bench.make(&["check"]).status.success());
}

#[test]
fn a_heuristic_that_does_not_exist_is_refused() {
    let text = Bench::new(SUBJECT).refused(&["--without", "edit-pair"]);
    assert!(text.contains("no heuristic `edit-pair`; did you mean `edit-pairs`?"), "{text}");
}
