//! A complaint: a place in the repository and the rule it breaks.

use std::fmt;

/// Something that is wrong, shown as `file:line: what`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complaint {
    path: String,
    line: usize,
    what: String,
}

impl Complaint {
    /// A complaint about a line, counted from 1.
    pub fn new(path: &str, line: usize, what: impl Into<String>) -> Complaint {
        Complaint { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Compares the complaints of a rule with the lines it should print.
#[cfg(test)]
#[track_caller]
pub fn assert_complaints(complaints: &[Complaint], expected: &[&str]) {
    let shown: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    assert_eq!(shown, expected);
}
