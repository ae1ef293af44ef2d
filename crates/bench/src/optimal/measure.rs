//! One search of the experiment: tests are generated in a process of their own, and its log and summary read.

use super::Technique;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

/// A search to be done.
pub struct Job {
    /// The function.
    pub function: &'static str,
    /// The technique.
    pub technique: Technique,
    /// The file of the function, then the others.
    pub files: Vec<PathBuf>,
    /// The flags of the compiler.
    pub flags: Vec<String>,
    /// The time for the search.
    pub budget: Duration,
    /// Decides all random choices.
    pub seed: u64,
}

/// What came of it.
pub struct Row {
    /// The function.
    pub function: &'static str,
    /// The technique.
    pub technique: Technique,
    /// How long all of it took.
    pub seconds: f64,
    /// What was measured, or why nothing was.
    pub outcome: Result<Measured, String>,
}

/// What a search covered, and by which steps.
pub struct Measured {
    /// Instructions of the function and of what it may call.
    pub instructions: u64,
    /// Branch outcomes of them.
    pub branches: u64,
    /// When how many instructions and branches were covered, in order.
    pub history: Vec<Moment>,
    /// Random runs and runs for solved paths.
    pub random: u64,
    /// Runs for solved paths.
    pub symbolic: u64,
    /// Runs that a search over inputs judged.
    pub judged: u64,
    /// Branches of the function itself that tests cover, and all of them.
    pub own: (u64, u64),
    /// Tests written.
    pub tests: u64,
    /// The share of the search's time that went into choosing between techniques.
    pub planning: f64,
    /// What gcov says about the tests.
    pub gcov: Gcov,
}

/// What was covered at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Since the search began.
    pub seconds: f64,
    /// Instructions.
    pub instructions: u64,
    /// Branch outcomes.
    pub branches: u64,
}

/// What gcov says about the tests of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gcov {
    /// Lines of the function that have code, and those that tests execute.
    pub lines: (u64, u64),
    /// Lines with a branch that no test takes of which the summary says so too, and all such lines of either.
    pub agreed: (u64, u64),
}

impl Measured {
    /// What was covered at a time.
    pub fn at(&self, time: Duration) -> Moment {
        let until = self.history.iter().take_while(|moment| moment.seconds <= time.as_secs_f64());
        until.last().copied().unwrap_or(Moment { seconds: 0.0, instructions: 0, branches: 0 })
    }

    /// The share of instructions covered at a time.
    pub fn share_at(&self, time: Duration) -> f64 {
        self.at(time).instructions as f64 / self.instructions.max(1) as f64
    }
}

impl Row {
    /// A line for somebody who waits.
    pub fn line(&self, number: usize, all: usize) -> String {
        let what = match &self.outcome {
            Err(why) => why.clone(),
            Ok(measured) => format!(
                "{:.1} % of instructions, {}/{} branches, {} tests",
                100.0 * measured.share_at(Duration::MAX),
                measured.own.0,
                measured.own.1,
                measured.tests
            ),
        };
        format!(
            "[{number}/{all}] {} by {}: {what}, {:.0} s",
            self.function, self.technique.name, self.seconds
        )
    }
}

/// Searches, and reads what the search wrote.
pub fn measure(job: &Job) -> Row {
    let started = Instant::now();
    let folder = testwright_scratch::folder().map_err(|error| error.to_string());
    let outcome = folder.and_then(|folder| generate(job, &folder.path().join("out")));
    let seconds = started.elapsed().as_secs_f64();
    Row { function: job.function, technique: job.technique, seconds, outcome }
}

fn generate(job: &Job, out: &Path) -> Result<Measured, String> {
    let log = out.with_extension("steps");
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .arg("generate")
        .args(&job.files)
        .args(["--function", job.function, "--seed", &job.seed.to_string()])
        .args(["--budget", &format!("{}ms", job.budget.as_millis())])
        .args(job.technique.arguments)
        .arg("--log-steps")
        .arg(&log)
        .arg("--out")
        .arg(out)
        .arg("--")
        .args(&job.flags)
        .output()
        .map_err(|error| error.to_string())?;
    let steps = fs::read_to_string(&log).unwrap_or_default();
    let Ok(summary) = fs::read_to_string(out.join("summary.json")) else {
        let message = String::from_utf8_lossy(&output.stderr);
        let problem = message.lines().find(|line| !line.starts_with("  searching"));
        return Err(problem.unwrap_or("no summary was written").to_owned());
    };
    let summary: Value = serde_json::from_str(&summary).map_err(|error| error.to_string())?;
    let gcov = gcov(out, &job.files[0], &summary)?;
    let (instructions, branches, history) = history(&steps).ok_or("the log of steps makes no sense")?;
    if let Some(outcome) = wrong(&steps) {
        return Err(format!("{outcome} was hit although it had been ruled out"));
    }
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let function = &summary["functions"][0];
    let elapsed = summary["elapsed_s"].as_f64().unwrap_or(0.0).max(1e-9);
    Ok(Measured {
        instructions,
        branches,
        history,
        random: count(&summary["runs"]["random"]),
        symbolic: count(&summary["runs"]["concolic"]),
        judged: count(&summary["runs"]["search"]),
        own: (count(&function["branches"]["covered"]), count(&function["branches"]["total"])),
        tests: count(&function["tests"]),
        planning: summary["planning_s"].as_f64().unwrap_or(0.0) / elapsed,
        gcov,
    })
}

/// All instructions and branches, and when how many of them were covered.
fn history(steps: &str) -> Option<(u64, u64, Vec<Moment>)> {
    let mut lines = steps.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let first = lines.next()?;
    let (instructions, mut branches) = (first["instructions"].as_u64()?, 0);
    let mut history: Vec<Moment> = Vec::new();
    for line in lines.filter(|line| line["seconds"].is_number()) {
        // Goals that turn out to be impossible are given up on the way.
        branches = line["goals"].as_u64()?;
        let moment = Moment {
            seconds: line["seconds"].as_f64()?,
            instructions: line["covered"].as_u64()?,
            branches: branches - line["open"].as_u64()?,
        };
        let is_news = history
            .last()
            .is_none_or(|last| (last.instructions, last.branches) != (moment.instructions, moment.branches));
        if is_news {
            history.push(moment);
        }
    }
    Some((instructions, branches, history))
}

/// An outcome that was hit although it had been ruled out: then shares of what can be covered mean nothing.
fn wrong(steps: &str) -> Option<String> {
    let lines = steps.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter_map(|line| line["wrong"][0].as_str().map(str::to_owned)).next()
}

/// Runs the tests built for gcov, and compares what it says about the function with the summary.
fn gcov(out: &Path, file: &Path, summary: &Value) -> Result<Gcov, String> {
    let function = &summary["functions"][0];
    if function["tests"] == json!(0) {
        return Ok(Gcov::default());
    }
    let made =
        Command::new("make").arg("-C").arg(out).args(["check", "CC=gcc", "CFLAGS=--coverage"]).output();
    let made = made.map_err(|error| format!("make: {error}"))?;
    if !made.status.success() {
        return Err("the tests do not pass when built for gcov".to_owned());
    }
    let objects = fs::read_dir(out.join("build")).map_err(|error| error.to_string())?;
    let mut gcov = Gcov::default();
    for path in objects.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "gcda") {
            continue;
        }
        let output = Command::new("gcov").args(["-b", "-t", "-j"]).arg(&path).current_dir(out).output();
        let output = output.map_err(|error| format!("gcov: {error}"))?;
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        for measured in report["files"].as_array().into_iter().flatten() {
            let name = measured["file"].as_str().unwrap_or_default();
            if Path::new(name).file_name() == file.file_name() {
                gcov = compare(measured, function);
            }
        }
    }
    Ok(gcov)
}

/// What gcov says about the lines of one function, beside what the summary says.
fn compare(measured: &Value, function: &Value) -> Gcov {
    let name = function["name"].as_str().unwrap_or_default();
    let lines = measured["lines"].as_array().into_iter().flatten();
    let own: Vec<&Value> = lines.filter(|line| line["function_name"] == name).collect();
    let executed = own.iter().filter(|line| line["count"].as_u64().is_some_and(|count| count > 0)).count();
    let number = |line: &Value| line.as_u64().unwrap_or(0);
    let lacks = |line: &&&Value| {
        line["branches"].as_array().into_iter().flatten().any(|branch| branch["count"] == json!(0))
    };
    let untaken: std::collections::BTreeSet<u64> =
        own.iter().filter(lacks).map(|line| number(&line["line_number"])).collect();
    let claimed = function["uncovered"].as_array().into_iter().flatten();
    let claimed: std::collections::BTreeSet<u64> = claimed.map(|left| number(&left["line"])).collect();
    Gcov {
        lines: (own.len() as u64, executed as u64),
        agreed: (untaken.intersection(&claimed).count() as u64, untaken.union(&claimed).count() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_has_every_gain_once() {
        let steps = "{\"function\":\"f\",\"instructions\":40}\n\
                     {\"covered\":10,\"goals\":6,\"open\":5,\"seconds\":0.5}\n\
                     {\"covered\":10,\"goals\":6,\"open\":5,\"seconds\":0.75}\n\
                     {\"covered\":40,\"goals\":6,\"open\":0,\"seconds\":2.0}\n{\"left\":[]}\n";
        let (instructions, branches, history) = history(steps).expect("it makes sense");
        assert_eq!((instructions, branches, history.len()), (40, 6, 2));
        assert_eq!(history[1], Moment { seconds: 2.0, instructions: 40, branches: 6 });
    }

    #[test]
    fn a_search_that_hits_what_was_ruled_out_is_told_from_others() {
        let steps = "{\"function\":\"f\",\"instructions\":40}\n{\"left\":[],\"wrong\":[\"a.c:3:7 true\"]}\n";
        assert_eq!(wrong(steps), Some("a.c:3:7 true".to_owned()));
        assert_eq!(wrong("{\"left\":[\"a.c:3:7 true\"],\"wrong\":[]}\n"), None);
    }

    #[test]
    fn gcov_and_the_summary_are_compared_by_line() {
        let line = |number: u64, count: u64, branches: &[u64]| {
            let branches: Vec<Value> = branches.iter().map(|count| json!({ "count": count })).collect();
            json!({"line_number": number, "count": count, "function_name": "f", "branches": branches})
        };
        let measured = json!({"lines": [line(1, 2, &[1, 1]), line(2, 1, &[1, 0]), line(3, 0, &[])]});
        let function = json!({"name": "f", "uncovered": [{"line": 2}, {"line": 3}]});
        assert_eq!(compare(&measured, &function), Gcov { lines: (3, 2), agreed: (1, 2) });
    }
}
