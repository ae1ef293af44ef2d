//! The verdict: what the tests said when they ran.
//!
//! ```text
//! # returns_3_if_a_eq_b: triangle_test.c:12: result: expected 3, got 4
//! not ok 1 - returns_3_if_a_eq_b
//! ```

/// Something that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The name of the test.
    pub test: String,
    /// What the assertion looked at; none if the test ended before it could say.
    pub what: Option<String>,
}

/// The failures that the output of the tests tells of. The code under test may print too, even within a line.
#[must_use]
pub fn failures(output: &str) -> Vec<Failure> {
    let failed = output.lines().filter_map(|line| {
        let (_, rest) = line.split_once("not ok ")?;
        rest.split_once(" - ").map(|(_, name)| name.trim())
    });
    let mut failures = Vec::new();
    for test in failed {
        let start = format!("# {test}: ");
        let reports = output.lines().filter_map(|line| line.find(&start).map(|at| &line[at + start.len()..]));
        let what: Vec<Option<String>> =
            reports.map(|report| report.split(": ").nth(1).map(str::to_owned)).collect();
        if what.is_empty() || what.contains(&None) {
            failures.push(Failure { test: test.to_owned(), what: None });
        } else {
            failures.extend(what.into_iter().map(|what| Failure { test: test.to_owned(), what }));
        }
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_assertions_and_lost_tests_are_told_apart() {
        let output = "ok 1 - fine\n\
            printed by the code# two: x_test.c:12: result: expected 3, got 4\n\
            # two: x_test.c:13: out.length: expected 1, got 2\n\
            not ok 2 - two\n\
            # gone: ended by signal 11 (Segmentation fault)\nnot ok 3 - gone\n";
        let failure =
            |test: &str, what: Option<&str>| Failure { test: test.to_owned(), what: what.map(str::to_owned) };
        assert_eq!(
            failures(output),
            [failure("two", Some("result")), failure("two", Some("out.length")), failure("gone", None)]
        );
        assert!(failures("ok 1 - fine\n").is_empty());
    }
}
