//! The subjects of the Fitnex experiment keep their promises: one case reaches the target, another misses it.
//!
//! A subject says so in comments: `/* start: CASE */`, `/* reaches: CASE */`, and `/* target */` at the end of
//! the line to reach, the first one of a branch. README.md beside the subjects has a row for each.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../subjects/fitnex");

/// All subjects, by name; the tests share them, because each takes a few builds and runs.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let names = names();
    let next = AtomicUsize::new(0);
    let subjects = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let subject = Subject::load(name);
                    subjects.lock().unwrap().push(subject);
                }
            });
        }
    });
    let mut subjects = subjects.into_inner().unwrap();
    subjects.sort_by(|a, b| a.name.cmp(&b.name));
    subjects
});

/// A subject as its file describes it, and what the program makes of it.
struct Subject {
    name: String,
    /// Number of the line to reach.
    target: u64,
    /// The control-flow graph, in the language of Graphviz.
    graph: String,
    sites: Vec<Value>,
    /// The run of the case where a search begins.
    start: Value,
    /// The run of the case that reaches the target.
    reaches: Value,
}

impl Subject {
    fn load(name: &str) -> Subject {
        let file = format!("{name}.c");
        let text = fs::read_to_string(Path::new(FOLDER).join(&file)).expect("a readable file");
        let json = |arguments: &[&str]| {
            serde_json::from_str::<Value>(&testwright(arguments)).expect("the program prints JSON")
        };
        let run = |key: &str| {
            let case = case(name, &text, key);
            json(&["run", &file, "--function", name, "--case", case, "--json"])
        };
        let sites = json(&["show", "sites", &file, "--json"]);
        Subject {
            name: name.to_owned(),
            target: target(name, &text),
            graph: testwright(&["show", "graph", &file, "--function", name]),
            sites: sites.as_array().expect("a list").clone(),
            start: run("start"),
            reaches: run("reaches"),
        }
    }

    /// The outcome that leads to the target: the true one of the last condition before it.
    fn outcome(&self) -> &Value {
        let place = |site: &Value| ["line", "column"].map(|part| site["place"][part].as_u64());
        let before = |site: &&Value| site["kind"] == "branch" && place(site)[0] < Some(self.target);
        let guard = self.sites.iter().filter(before).max_by_key(|site| place(site)).expect("a guard");
        let outcomes = guard["outcomes"].as_array().expect("a list");
        &outcomes.iter().find(|outcome| outcome["name"] == "true").expect("two outcomes")["outcome"]
    }

    /// How a run ended, and whether it hit the outcome that leads to the target.
    fn end_and_hit<'a>(&self, run: &'a Value) -> (&'a str, bool) {
        let hit = run["hit"].as_array().expect("a list").iter().any(|hit| hit["outcome"] == *self.outcome());
        (run["end"]["kind"].as_str().expect("a text"), hit)
    }

    fn blocks(&self) -> usize {
        self.graph.matches("[label=\"block ").count()
    }
}

/// The names of all subjects, sorted.
fn names() -> Vec<String> {
    let entries = Path::new(FOLDER).read_dir().expect("the folder can be read");
    let files =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"));
    let mut names: Vec<String> =
        files.filter_map(|file| file.strip_suffix(".c").map(ToOwned::to_owned)).collect();
    names.sort();
    names
}

/// The case after a key, which must stand there once.
fn case<'a>(name: &str, text: &'a str, key: &str) -> &'a str {
    let start = format!("/* {key}: ");
    let cases = text.lines().filter_map(|line| line.strip_prefix(&start)?.strip_suffix(" */"));
    let cases: Vec<&str> = cases.collect();
    let [case] = cases[..] else { panic!("{name} has {} cases with the key `{key}`", cases.len()) };
    case
}

/// The number of the line that is marked, which must be one.
fn target(name: &str, text: &str) -> u64 {
    let marked = (1..).zip(text.lines()).filter(|(_, line)| line.ends_with("; /* target */"));
    let lines: Vec<u64> = marked.map(|(number, _)| number).collect();
    let [line] = lines[..] else { panic!("{name} has {} targets", lines.len()) };
    line
}

/// What the program prints among the subjects when it succeeds.
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

/// Asks every subject for its complaint, and expects none.
fn check(complaint: impl Fn(&Subject) -> Option<String>) {
    let complain = |subject: &Subject| complaint(subject).map(|text| format!("{}: {text}", subject.name));
    let complaints: Vec<String> = SUBJECTS.iter().filter_map(complain).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_target_is_reached_by_its_case_and_missed_by_its_start() {
    assert_eq!(SUBJECTS.len(), 30, "the experiment has thirty subjects");
    check(|subject| {
        let runs = [&subject.start, &subject.reaches].map(|run| subject.end_and_hit(run));
        (runs != [("returned", false), ("returned", true)]).then(|| format!("{runs:?}"))
    });
}

/// Otherwise reaching the target would not be one outcome.
#[test]
fn every_target_is_entered_by_one_branch_outcome() {
    check(|subject| {
        let label = format!("\\nline {}\"]", subject.target);
        let targets = subject.graph.lines().filter(|line| line.ends_with(&label));
        let blocks: Vec<&str> = targets.filter_map(|line| line.split_whitespace().next()).collect();
        let [block] = blocks[..] else { return Some(format!("the target has the blocks {blocks:?}")) };
        let enters = |line: &&str| {
            line.split_once(" -> ").is_some_and(|(_, to)| to.split_whitespace().next() == Some(block))
        };
        let edges: Vec<&str> = subject.graph.lines().filter(enters).collect();
        let by_outcome = edges.len() == 1 && edges[0].ends_with("[label=\"true\"]");
        (!by_outcome).then(|| format!("the target is entered by {edges:?}"))
    });
}

#[test]
fn every_subject_has_as_many_blocks_as_its_row_in_the_table_says() {
    let table = fs::read_to_string(Path::new(FOLDER).join("README.md")).expect("a readable file");
    let rows = table.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, SUBJECTS.len(), "a row for each subject");
    check(|subject| {
        let blocks = subject.blocks();
        let row = format!("| `{}` | {blocks} | ", subject.name);
        let told = table.lines().any(|line| line.starts_with(&row));
        (!told || !(9..=62).contains(&blocks)).then(|| format!("{blocks} blocks"))
    });
}

#[test]
fn every_subject_compiles_without_warnings() {
    for name in names() {
        let output = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"])
            .arg(format!("{name}.c"))
            .current_dir(FOLDER)
            .output()
            .expect("there is a C compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
