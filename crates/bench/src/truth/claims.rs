//! Claims: what one search says about the goals of a file.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fmt, fs};
use testwright_engine::Failure;

/// A goal by its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Goal {
    /// The line of the branch.
    pub line: u64,
    /// The way it is to go.
    pub outcome: String,
}

/// What a search says about a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A run showed it.
    Covered,
    /// It was proved infeasible.
    Proved,
    /// Neither, for this reason.
    Open(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Covered => formatter.write_str("covered"),
            Verdict::Proved => formatter.write_str("proved infeasible"),
            Verdict::Open(reason) => write!(formatter, "left open: {reason}"),
        }
    }
}

/// Everything that a search left uncovered in one file.
#[derive(Debug, Default)]
pub struct Claims {
    uncovered: BTreeMap<Goal, String>,
    /// How the branches of all functions add up: all, proved infeasible.
    pub branches: (u64, u64),
}

impl Claims {
    /// Searches the files with these options and reads what was left of the first. A process of its own does it, as for users.
    ///
    /// # Errors
    /// If no summary is written.
    pub fn of(files: &[PathBuf], options: &[&str]) -> Result<Claims, Failure> {
        let folder = testwright_scratch::folder()?;
        let out = folder.path().join("out");
        let output = Command::new(env::current_exe()?)
            .arg("generate")
            .args(files)
            .args(options)
            .arg("--out")
            .arg(&out)
            .output()?;
        let Ok(summary) = fs::read_to_string(out.join("summary.json")) else {
            let message = String::from_utf8_lossy(&output.stderr);
            let why = message.lines().next().unwrap_or("no summary was written");
            return Err(Failure::usage(format!("{}: {why}", files[0].display())));
        };
        let summary: Value =
            serde_json::from_str(&summary).map_err(|error| Failure::bug(format!("summary.json: {error}")))?;
        Ok(Claims::read(&summary, &files[0]))
    }

    fn read(summary: &Value, file: &Path) -> Claims {
        let mut claims = Claims::default();
        for function in summary["functions"].as_array().into_iter().flatten() {
            let number = |name: &str| function["branches"][name].as_u64().unwrap_or(0);
            claims.branches.0 += number("total");
            claims.branches.1 += number("infeasible");
            for goal in function["uncovered"].as_array().into_iter().flatten() {
                let text = |name: &str| goal[name].as_str().unwrap_or_default().to_owned();
                if Path::new(&text("file")).file_name() != file.file_name() {
                    continue;
                }
                let place = Goal { line: goal["line"].as_u64().unwrap_or(0), outcome: text("outcome") };
                claims.uncovered.insert(place, text("reason"));
            }
        }
        claims
    }

    /// What is said about a goal.
    pub fn verdict(&self, goal: &Goal) -> Verdict {
        match self.uncovered.get(goal) {
            None => Verdict::Covered,
            Some(reason) if reason.starts_with("proved infeasible") => Verdict::Proved,
            Some(reason) => Verdict::Open(reason.clone()),
        }
    }

    /// The goals that were proved infeasible.
    pub fn proved(&self) -> impl Iterator<Item = &Goal> {
        self.uncovered.keys().filter(|goal| self.verdict(goal) == Verdict::Proved)
    }

    /// Whether a run came to a goal, well or badly.
    pub fn shows(&self, goal: &Goal) -> bool {
        self.uncovered.get(goal).is_none_or(|reason| reason.starts_with("met only"))
    }
}
