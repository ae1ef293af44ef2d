//! The subjects of the Fitnex experiment keep their promises: each has a target that one case reaches and another misses.
//!
//! A subject says so in comments of its own: `/* start: CASE */`, `/* reaches: CASE */`, and `/* target */` at the end of
//! the line to reach, the first one of a branch. README.md beside the subjects has a row for each.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../subjects/fitnex");

/// A subject as its file describes it.
struct Subject {
    name: String,
    text: String,
}

impl Subject {
    /// All of them, by name.
    fn all() -> Vec<Subject> {
        let mut subjects = Vec::new();
        for entry in Path::new(FOLDER).read_dir().expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "c") {
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                subjects.push(Subject { name, text: fs::read_to_string(&path).expect("a readable file") });
            }
        }
        subjects.sort_by(|a, b| a.name.cmp(&b.name));
        subjects
    }

    fn file(&self) -> String {
        format!("{}.c", self.name)
    }

    /// The case after a key, which must stand there once.
    fn case(&self, key: &str) -> &str {
        let start = format!("/* {key}: ");
        let of_line = |line: &'_ str| line.strip_prefix(&start).and_then(|rest| rest.strip_suffix(" */")).is_some();
        let lines: Vec<&str> = self.text.lines().filter(|line| of_line(line)).collect();
        let [line] = lines[..] else { panic!("{}: {} cases to `{key}`", self.name, lines.len()) };
        &line[start.len()..line.len() - " */".len()]
    }

    /// The number of the line to reach.
    fn target(&self) -> u64 {
        let lines: Vec<u64> =
            (1..).zip(self.text.lines()).filter(|(_, line)| line.ends_with("; /* target */")).map(|(n, _)| n).collect();
        let [line] = lines[..] else { panic!("{}: {} targets", self.name, lines.len()) };
        line
    }

    /// The outcome that leads to the target: the true one of the last condition before it.
    fn outcome(&self) -> Value {
        let sites = testwright(&["show", "sites", &self.file(), "--json"]);
        let sites: Vec<Value> = serde_json::from_str(&sites).expect("JSON");
        let place = |site: &Value| {
            ["line", "column"].map(|part| site["place"][part].as_u64().expect("compiled with -g"))
        };
        let before = sites.iter().filter(|site| site["kind"] == "branch" && place(site)[0] < self.target());
        let guard = before.max_by_key(|site| place(site)).expect("the target has a guard");
        let outcomes = guard["outcomes"].as_array().expect("a list");
        outcomes.iter().find(|outcome| outcome["name"] == "true").expect("two outcomes")["outcome"].clone()
    }

    /// Whether the case after a key hits an outcome, and how the run ended.
    fn hits(&self, key: &str, outcome: &Value) -> (bool, String) {
        let case = self.case(key);
        let run = testwright(&["run", &self.file(), "--function", &self.name, "--case", case, "--json"]);
        let run: Value = serde_json::from_str(&run).expect("JSON");
        let hit = run["hit"].as_array().expect("a list").iter().any(|hit| hit["outcome"] == *outcome);
        (hit, run["end"]["kind"].as_str().expect("a text").to_owned())
    }

    fn graph(&self) -> String {
        testwright(&["show", "graph", &self.file(), "--function", &self.name])
    }
}

/// What the program prints among the subjects when it succeeds.
#[track_caller]
fn testwright(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(arguments)
        .current_dir(FOLDER)
        .env("TESTWRIGHT_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Asks every subject for its complaint, several at a time, and expects none.
fn check(complaint: impl Fn(&Subject) -> Option<String> + Sync) {
    let subjects = Subject::all();
    assert_eq!(subjects.len(), 30, "the experiment has thirty subjects");
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(subject) = subjects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let complaint = complaint(subject);
                    complaints.lock().unwrap().extend(complaint.map(|text| format!("{}: {text}", subject.name)));
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_target_is_reached_by_its_case_and_missed_by_its_start() {
    check(|subject| {
        let outcome = subject.outcome();
        let runs = ["start", "reaches"].map(|key| subject.hits(key, &outcome));
        let expected = [false, true].map(|hit| (hit, "returned".to_owned()));
        (runs != expected).then(|| format!("outcome {outcome}: {runs:?}"))
    });
}

/// Otherwise reaching the target would not be one outcome.
#[test]
fn every_target_is_entered_by_one_branch_outcome() {
    check(|subject| {
        let graph = subject.graph();
        let label = format!("\\nline {}\"]", subject.target());
        let blocks: Vec<&str> =
            graph.lines().filter(|line| line.ends_with(&label)).filter_map(|line| line.trim().split(' ').next()).collect();
        let [block] = blocks[..] else { return Some(format!("the target has the blocks {blocks:?}")) };
        let enters = |line: &&str| line.split(" -> ").nth(1).is_some_and(|to| to.split(' ').next() == Some(block));
        let edges: Vec<&str> = graph.lines().filter(enters).collect();
        let by_outcome = edges.len() == 1 && edges[0].ends_with("[label=\"true\"]");
        (!by_outcome).then(|| format!("the target is entered by {edges:?}"))
    });
}

#[test]
fn every_subject_has_as_many_blocks_as_its_row_in_the_table_says() {
    let table = fs::read_to_string(Path::new(FOLDER).join("README.md")).expect("a readable file");
    let rows = table.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, Subject::all().len(), "a row for each subject");
    check(|subject| {
        let blocks = subject.graph().matches("[label=\"block ").count();
        let row = format!("| `{}` | {blocks} | ", subject.name);
        let told = table.lines().any(|line| line.starts_with(&row));
        (!told || !(9..=62).contains(&blocks)).then(|| format!("{blocks} blocks"))
    });
}

#[test]
fn every_subject_compiles_without_warnings() {
    check(|subject| {
        let output = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", &subject.file()])
            .current_dir(FOLDER)
            .output()
            .expect("there is a C compiler");
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
    });
}
