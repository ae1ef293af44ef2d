//! What a score says: in words, and in the schema of mutation-testing-elements, which viewers show.

use super::{Fate, Score, Tried};
use crate::counted;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::Path;

impl Score {
    /// In words: how many were killed, and each that survived.
    #[must_use]
    pub fn text(&self) -> String {
        let [killed, late, survived, equivalent] =
            [Fate::Killed, Fate::TimedOut, Fate::Survived, Fate::Equivalent].map(|fate| self.count(fate));
        let all = killed + late + survived;
        let mut text = format!("  kills {} of {}", killed + late, counted(all, "mutant"));
        if late > 0 {
            let _ = write!(text, " ({late} by not coming to an end)");
        }
        if equivalent > 0 {
            let _ = write!(text, "; {equivalent} more are equivalent");
        }
        text.push('\n');
        for Tried { mutant, function, .. } in self.mutants.iter().filter(|tried| tried.fate == Fate::Survived)
        {
            let file = Path::new(&mutant.place.file).file_name().unwrap_or_default().to_string_lossy();
            let place = format!("{file}:{}:{}", mutant.place.line, mutant.place.column);
            let _ = writeln!(text, "    survived {place:<24} {function}: {} {}", mutant.kind, mutant.change);
        }
        text
    }

    /// In the schema of mutation-testing-elements.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut files = serde_json::Map::new();
        for file in self.files() {
            let own = self.mutants.iter().enumerate().filter(|(_, tried)| tried.mutant.place.file == file);
            let mutants: Vec<Value> = own.map(|(index, tried)| element(index, tried)).collect();
            let source = fs::read_to_string(file).unwrap_or_default();
            files.insert(file.to_owned(), json!({"language": "c", "source": source, "mutants": mutants}));
        }
        json!({"schemaVersion": "2", "thresholds": {"high": 90, "low": 60}, "files": files})
    }
}

fn element(index: usize, tried: &Tried) -> Value {
    let place = &tried.mutant.place;
    let (line, column) = (place.line.max(1), place.column.max(1));
    let status = match tried.fate {
        Fate::Killed => "Killed",
        Fate::TimedOut => "Timeout",
        Fate::Survived => "Survived",
        Fate::Equivalent => "Ignored",
    };
    json!({
        "id": index.to_string(),
        "mutatorName": tried.mutant.kind,
        "description": format!("{}: {}", tried.function, tried.mutant.change),
        "location": {"start": {"line": line, "column": column}, "end": {"line": line, "column": column + 1}},
        "status": status,
    })
}

/// The lines that a unified diff adds or changes, each with the end of its file's name.
pub(super) fn added_lines(path: &Path) -> Result<Vec<(String, u32)>, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    let lines = added(&text);
    if lines.is_empty() {
        return Err(Failure::usage(format!("{} adds no lines: a unified diff is wanted", path.display())));
    }
    Ok(lines)
}

fn added(text: &str) -> Vec<(String, u32)> {
    let (mut file, mut line, mut lines) = (String::new(), 0, Vec::new());
    for row in text.lines() {
        if let Some(name) = row.strip_prefix("+++ ") {
            let name = name.split('\t').next().unwrap_or(name);
            file = name
                .strip_prefix("b/")
                .unwrap_or(name)
                .trim_start_matches("../")
                .trim_start_matches("./")
                .to_owned();
        } else if let Some(hunk) = row.strip_prefix("@@ ") {
            let after = hunk.split('+').nth(1).and_then(|after| after.split([',', ' ']).next());
            line = after.and_then(|number| number.parse().ok()).unwrap_or(0);
        } else if row.starts_with('+') {
            lines.push((file.clone(), line));
            line += 1;
        } else if !row.starts_with('-') {
            line += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_the_lines_that_are_new() {
        let text = "--- a/src/x.c\n+++ b/src/x.c\n@@ -3,3 +3,4 @@ int f\n same\n-old\n+new\n+more\n same\n@@ -20 +21,2 @@\n+last\n";
        let at = |line| ("src/x.c".to_owned(), line);
        assert_eq!(added(text), [at(4), at(5), at(21)]);
        assert!(added("nothing").is_empty());
    }
}
