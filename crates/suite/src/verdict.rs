//! The verdict: what the tests said when they ran.
//!
//! ```text
//! # returns_3_if_a_eq_b: triangle_test.c:12: result: expected 3, got 4
//! ```

pub mod sanitizer;

use sanitizer::Report;
use std::collections::BTreeSet;

/// Something that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The name of the test.
    pub test: String,
    /// How it failed.
    pub how: How,
}

/// How a test failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// An assertion did not hold: what it looked at.
    Assertion(String),
    /// The test ended before it could say: `ended by signal 11 (Segmentation fault)`.
    Ended(String),
    /// A sanitizer ended it.
    Sanitizer(Report),
    /// It was ended because it wants this: `delete files`.
    Effect(String),
}

/// The status of a test that passed.
pub const PASSED: i32 = 93;

/// The ways in which a test failed that said this and then ended like that. The code under test may print too, even within a
/// line. `own` are the files of the suite.
#[must_use]
pub fn ways(test: &str, said: &str, ended: &str, own: &[String]) -> Vec<How> {
    let lines: Vec<&str> = said.lines().collect();
    if let Some(report) = sanitizer::report(&lines, own) {
        return vec![How::Sanitizer(report)];
    }
    // `# returns_3: triangle_test.c:12: result: expected 3, got 4`
    let start = format!("# {test}: ");
    let remark = |line: &&str| line.find(&start).map(|at| line[at + start.len()..].to_owned());
    let assertion = |remark: String| remark.split(": ").nth(1).map(str::to_owned);
    let failed: Vec<How> =
        lines.iter().filter_map(remark).filter_map(assertion).map(How::Assertion).collect();
    if failed.is_empty() { vec![How::Ended(ended.to_owned())] } else { failed }
}

/// The tests that a program says have passed: `ok 3 - returns_3_if_a_eq_b`. The code under test may print before that on the
/// same line.
#[must_use]
pub fn passed(said: &str) -> BTreeSet<&str> {
    let name = |line| {
        let (before, name) = str::rsplit_once(line, " - ")?;
        let before = before.trim_end_matches(|digit: char| digit.is_ascii_digit()).strip_suffix("ok ")?;
        (!before.ends_with("not ")).then_some(name)
    };
    said.lines().filter_map(name).collect()
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
    let heading = |line: &str| {
        const HEADS: [&str; 4] = ["TEST(", "TEST_EXITS(", "TEST_ABORTS(", "FINDING("];
        let rest = HEADS.iter().find_map(|head| line.strip_prefix(head))?;
        rest.split([',', ')']).next().map(str::to_owned)
    };
    complaints(output, file, text, heading)
}

/// What the compiler's output complains about in a file, by the nearest heading above each place; a heading gives a name.
fn complaints(
    output: &str,
    file: &str,
    text: &str,
    heading: impl Fn(&str) -> Option<String>,
) -> Vec<Refused> {
    let lines: Vec<&str> = text.lines().collect();
    let mut refused: Vec<Refused> = Vec::new();
    for report in output.lines() {
        let Some((place, message)) = report.split_once(": error: ") else { continue };
        let mut parts = place.split(':');
        let is_here = parts.next().is_some_and(|path| path.rsplit('/').next() == Some(file));
        let line: usize = parts.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let before = lines.get(..line).unwrap_or_default();
        let Some(name) = before.iter().rev().find_map(|line| heading(line)).filter(|_| is_here) else {
            continue;
        };
        if !refused.iter().any(|other| other.name == name) {
            refused.push(Refused { name, message: message.to_owned() });
        }
    }
    refused
}

/// Which stubs of the header with this name and text the compiler's output complains about, as the header names them. Each is
/// named once.
#[must_use]
pub fn refused_stubs(output: &str, file: &str, text: &str) -> Vec<Refused> {
    // WEAK size_t read_clock_calls;
    let heading = |line: &str| {
        let name = line.strip_prefix("WEAK size_t ")?.strip_suffix("_calls;")?;
        Some(name.to_owned())
    };
    complaints(output, file, text, heading)
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
    fn a_stub_that_the_compiler_refuses_is_found_by_its_line() {
        let text = "#include <stddef.h>\n\nWEAK size_t one_calls;\nint one_stub(void)\n{\n}\n\n\
            WEAK size_t two_calls;\nint two_stub(struct 7 x)\n{\n}\n";
        let output =
            "In file included from x_test.c:8:\nstubs.h:9:21: error: expected '{'\nstubs.h:1:1: error: no\n";
        let two = Refused { name: "two".to_owned(), message: "expected '{'".to_owned() };
        assert_eq!(refused_stubs(output, "stubs.h", text), [two]);
    }

    #[test]
    fn tests_that_passed_are_told_from_those_that_failed() {
        let said = "ok 1 - one\n# two: x_test.c:12: result: expected 3, got 4\nnot ok 2 - two\n\
            printed, without an end of lineok 3 - three\nnot there\nok 4 - four";
        assert_eq!(passed(said), BTreeSet::from(["one", "three", "four"]));
    }

    #[track_caller]
    fn check(said: &str, expected: &[How]) {
        assert_eq!(ways("two", said, "ended by signal 11", &[]), expected);
    }

    #[test]
    fn failed_assertions_and_lost_tests_are_told_apart() {
        let said = "printed by the code# two: x_test.c:12: result: expected 3, got 4\n\
            # two: x_test.c:13: out.length: expected 1, got 2\n";
        let about = |what: &str| How::Assertion(what.to_owned());
        check(said, &[about("result"), about("out.length")]);
        let lost = How::Ended("ended by signal 11".to_owned());
        check("printed\n", std::slice::from_ref(&lost));
        check("# two: returned, but exit(3) was expected\n", &[lost]);
        let reported = ways("two", "x.c:3:5: runtime error: load of null pointer of type 'int'\n", "", &[]);
        assert!(
            matches!(&reported[..], [How::Sanitizer(report)] if report.kind.contains("null")),
            "{reported:?}"
        );
    }
}
