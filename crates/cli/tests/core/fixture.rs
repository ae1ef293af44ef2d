//! Fixtures: C files with expectations beside the code.
//!
//! ```text
//! //: add [1, 2] -> 3
//! //: add [2147483647, 1] ends trapped: signed overflow in an addition
//! //: log_it [5] -> 5 | keeps native putenv | smt bvadd | on x
//! //: fill [[0, 0], 2] -> 2 | fixed
//! ```
//!
//! A line names a function and a case (JSON as `testwright run` takes it), and says what comes out: `-> RESULT` as a C
//! programmer writes it, `->` alone where nothing is returned, `ends END` where the run does not return; END may be
//! cut short. Further claims follow after `|`:
//!
//! * `smt TEXT`: the path condition contains this;
//! * `on NAME..`: decisions of the path depend on these inputs;
//! * `keeps KIND [WHAT]`: a value was made concrete for this reason (`address`, `size`, `callee`, `native F`,
//!   `unsupported REASON`); it is wrong to keep anything that no such claim mentions;
//! * `prints TEXT`: the output contains this;
//! * `concrete`: no decision depends on the inputs;
//! * `fixed`: the case is not varied, because variations of it mean nothing;
//! * `own`: the case is not compared with gcc's code, because C leaves open what it does.

use std::fs;
use std::path::Path;

/// One expectation.
#[derive(Debug, Clone)]
pub struct Line {
    /// Where it stands: line number.
    pub number: usize,
    /// The function.
    pub function: String,
    /// The case, as JSON.
    pub case: String,
    /// What comes out.
    pub outcome: Expected,
    /// What else must hold.
    pub claims: Vec<Claim>,
}

/// What comes out of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// It returns this; nothing if the text is empty.
    Returns(String),
    /// It ends in this way: the beginning of the end's text.
    Ends(String),
}

/// What else must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The path condition contains this.
    Smt(String),
    /// Decisions depend on these inputs.
    On(Vec<String>),
    /// A value was made concrete for this reason.
    Keeps(String),
    /// The output contains this.
    Prints(String),
    /// No decision depends on the inputs.
    Concrete,
    /// The case is not varied.
    Fixed,
    /// The case is not compared with native code.
    Own,
}

/// The expectations of a file.
pub fn read(path: &Path) -> Vec<Line> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(text.starts_with("/*"), "{}: begins with a comment that says its purpose", path.display());
    let lines: Vec<Line> = text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| Some((index + 1, line.trim().strip_prefix("//:")?)))
        .map(|(number, line)| {
            parse(number, line).unwrap_or_else(|| panic!("{}:{number}: cannot read this", path.display()))
        })
        .collect();
    assert!(!lines.is_empty(), "{}: no expectation", path.display());
    lines
}

fn parse(number: usize, line: &str) -> Option<Line> {
    let mut parts = line.split(" | ");
    let head = parts.next()?.trim();
    let (call, outcome) = match (head.split_once(" -> "), head.split_once(" ends ")) {
        (Some((call, result)), _) => (call, Expected::Returns(result.trim().to_owned())),
        (_, Some((call, end))) => (call, Expected::Ends(end.trim().to_owned())),
        _ => (head.strip_suffix("->")?, Expected::Returns(String::new())),
    };
    let (function, case) = call.trim().split_once(' ')?;
    let claims = parts.map(claim).collect::<Option<Vec<Claim>>>()?;
    Some(Line { number, function: function.to_owned(), case: case.trim().to_owned(), outcome, claims })
}

fn claim(text: &str) -> Option<Claim> {
    let text = text.trim();
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match word {
        "smt" => Claim::Smt(rest.to_owned()),
        "on" => Claim::On(rest.split_whitespace().map(str::to_owned).collect()),
        "keeps" => Claim::Keeps(rest.to_owned()),
        "prints" => Claim::Prints(rest.to_owned()),
        "concrete" => Claim::Concrete,
        "fixed" => Claim::Fixed,
        "own" => Claim::Own,
        _ => return None,
    })
}
