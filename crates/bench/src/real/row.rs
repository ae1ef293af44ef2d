//! A row of the experiment on real projects: what came of one function, for people and for the record.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What came of a function.
#[derive(Debug, Clone)]
pub struct Row {
    /// The project.
    pub project: &'static str,
    /// The last part of the path of its file.
    pub file: String,
    /// The function.
    pub function: String,
    /// How long everything took.
    pub seconds: f64,
    /// Its part of the summary, or why there is none.
    pub outcome: Result<Value, String>,
}

impl Row {
    /// A row about a function of a file.
    pub fn new(
        project: &'static str,
        file: &Path,
        function: &str,
        seconds: f64,
        outcome: Result<Value, String>,
    ) -> Row {
        let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Row { project, file, function: function.to_owned(), seconds, outcome }
    }

    /// The share of the branches that are not proved infeasible that a test shows; none without branches.
    pub fn share(&self) -> Option<f64> {
        let function = self.outcome.as_ref().ok()?;
        let count = |name: &str| function["branches"][name].as_f64().unwrap_or(0.0);
        let possible = count("total") - count("infeasible");
        (possible > 0.0).then(|| count("covered") / possible)
    }

    /// A number of the summary.
    pub fn number(&self, name: &str) -> u64 {
        self.outcome.as_ref().map_or(0, |function| function[name].as_u64().unwrap_or(0))
    }

    /// `zlib inflate.c inflate: 344/428 branches, 0 infeasible, 94 tests, 26.1 s`.
    pub fn line(&self) -> String {
        format!("{} {} {}: {}, {:.1} s", self.project, self.file, self.function, self.told(), self.seconds)
    }

    /// What came of it in a few words.
    pub fn told(&self) -> String {
        let function = match &self.outcome {
            Err(why) => return why.clone(),
            Ok(function) => function,
        };
        let count = |name: &str| function["branches"][name].as_u64().unwrap_or(0);
        let verified = if function["verified"] == true { "" } else { ", NOT VERIFIED" };
        let (covered, total, infeasible) = (count("covered"), count("total"), count("infeasible"));
        format!("{covered}/{total} branches, {infeasible} infeasible, {} tests{verified}", function["tests"])
    }

    /// The row for the record. What says nothing is left out, and what is alike is told once.
    pub fn to_json(&self) -> Value {
        let mut value = json!({
            "project": self.project, "file": self.file, "function": self.function,
            "seconds": (self.seconds * 10.0).round() / 10.0,
        });
        let function = match &self.outcome {
            Err(why) => {
                value["explained"] = json!(why);
                return value;
            }
            Ok(function) => function,
        };
        value["share"] = json!(self.share().map(|share| (share * 1e4).round() / 1e4));
        for key in ["branches", "tests", "greedy_cover", "verified"] {
            value[key] = function[key].clone();
        }
        let mut others = Map::new();
        others.insert("skipped".to_owned(), function["skipped"].clone());
        others.insert("divergences".to_owned(), function["divergences"].clone());
        others.insert("findings".to_owned(), json!(list(function, "findings").len()));
        others.insert("uncovered".to_owned(), grouped(list(function, "uncovered")));
        let assumed = list(function, "assumptions").iter().map(|assumption| assumption["assumed"].clone());
        others.insert("assumptions".to_owned(), assumed.collect());
        for (key, other) in others {
            let says_nothing = other.is_null() || other == 0 || other.as_array().is_some_and(Vec::is_empty);
            if !says_nothing {
                value[key] = other;
            }
        }
        value
    }
}

fn list<'a>(function: &'a Value, name: &str) -> &'a [Value] {
    function[name].as_array().map_or(&[], Vec::as_slice)
}

/// The uncovered goals by reason: `[{"reason": "not met within the budget", "count": 7, "lines": "42-54, 58"}]`. Reasons that
/// differ in numbers only are one.
fn grouped(uncovered: &[Value]) -> Value {
    let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for goal in uncovered {
        let reason = without_numbers(goal["reason"].as_str().unwrap_or_default());
        groups.entry(reason).or_default().push(goal["line"].as_u64().unwrap_or(0));
    }
    let group = |(reason, lines): (String, Vec<u64>)| json!({"reason": reason, "count": lines.len(), "lines": spans(lines)});
    groups.into_iter().map(group).collect()
}

/// The text with every number written as `N`; digits within words stay.
fn without_numbers(text: &str) -> String {
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let words = text.split(' ').map(|word| {
        let bare = word.trim_end_matches([',', ';', ':']);
        if is_number(bare) { format!("N{}", &word[bare.len()..]) } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Lines as a person would note them: those with at most two lines between them are one stretch.
fn spans(mut lines: Vec<u64>) -> String {
    lines.sort_unstable();
    let mut stretches: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        match stretches.last_mut() {
            Some((_, end)) if line <= *end + 3 => *end = line,
            _ => stretches.push((line, line)),
        }
    }
    let text =
        |(start, end): (u64, u64)| if start == end { start.to_string() } else { format!("{start}-{end}") };
    stretches.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(outcome: Result<Value, String>) -> Row {
        Row::new("zlib", Path::new("/src/inflate.c"), "inflate", 26.123, outcome)
    }

    #[test]
    fn uncovered_goals_are_grouped_by_reason_with_their_lines() {
        let goal = |line: u64, reason: &str| json!({"file": "f.c", "line": line, "outcome": "true", "reason": reason});
        let uncovered = json!([
            goal(90, "not met within the budget"),
            goal(12, "solver gave up after 0.3 s on line 12"),
            goal(14, "solver gave up after 1 s on line 14"),
            goal(40, "solver gave up after 1 s on line 40"),
        ]);
        let function = json!({
            "branches": {"total": 8, "covered": 3, "infeasible": 2}, "tests": 3, "greedy_cover": 3,
            "verified": true, "divergences": 0, "uncovered": uncovered, "findings": [{}],
            "assumptions": [{"assumed": "items is not null", "otherwise": "segmentation fault"}],
        });
        let expected = json!({
            "project": "zlib", "file": "inflate.c", "function": "inflate", "seconds": 26.1, "share": 0.5,
            "branches": {"total": 8, "covered": 3, "infeasible": 2}, "tests": 3, "greedy_cover": 3,
            "verified": true, "findings": 1, "assumptions": ["items is not null"],
            "uncovered": [
                {"reason": "not met within the budget", "count": 1, "lines": "90"},
                {"reason": "solver gave up after N s on line N", "count": 3, "lines": "12-14, 40"},
            ],
        });
        assert_eq!(row(Ok(function)).to_json(), expected);
    }

    #[test]
    fn a_line_says_what_was_reached_and_how_long_it_took() {
        let function =
            json!({"branches": {"total": 8, "covered": 3, "infeasible": 2}, "tests": 3, "verified": false});
        let line = row(Ok(function)).line();
        assert_eq!(line, "zlib inflate.c inflate: 3/8 branches, 2 infeasible, 3 tests, NOT VERIFIED, 26.1 s");
        assert_eq!(row(Err("no C".to_owned())).line(), "zlib inflate.c inflate: no C, 26.1 s");
    }
}
