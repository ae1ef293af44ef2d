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

/// A test or reproducer that the compiler refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name.
    pub name: String,
    /// What the compiler says.
    pub message: String,
}

/// Which tests of a file the compiler's output complains about: `x_test.c:77:23: error: ..`. Each is named once.
#[must_use]
pub fn refused(output: &str, file: &str, text: &str) -> Vec<Refused> {
    let lines: Vec<&str> = text.lines().collect();
    let mut refused: Vec<Refused> = Vec::new();
    for report in output.lines() {
        let Some((place, message)) = report.split_once(": error: ") else { continue };
        let mut parts = place.split(':');
        let is_here = parts.next().is_some_and(|path| path.rsplit('/').next() == Some(file));
        let line: usize = parts.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let heading = |line: &&str| line.starts_with("TEST(") || line.starts_with("FINDING(");
        let before = lines.get(..line).unwrap_or_default();
        let Some(heading) = before.iter().rev().find(|line| heading(line)).filter(|_| is_here) else {
            continue;
        };
        let name = heading.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
        if !refused.iter().any(|other| other.name == name) {
            refused.push(Refused { name: name.to_owned(), message: message.to_owned() });
        }
    }
    refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_refuses_is_found_by_its_line() {
        let text = "#include \"x.h\"\n\nTEST(one)\n{\n    bad;\n}\n\nTEST(two)\n{\n    worse;\n}\n";
        let output = "x_test.c: In function 'one':\nx_test.c:5:5: error: 'bad' undeclared\n\
            ../out/x_test.c:5:9: error: again\ny.c:9:1: error: not ours\nx_test.c:1:1: error: before all tests\n";
        let one = Refused { name: "one".to_owned(), message: "'bad' undeclared".to_owned() };
        assert_eq!(refused(output, "x_test.c", text), [one]);
    }

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
