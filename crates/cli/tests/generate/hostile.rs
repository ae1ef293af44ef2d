//! Hostile code harms nothing, and the report says what it wants.
//!
//! `HOSTILE=NAME` in the environment runs one function only.

use crate::support::{Bench, ROOT};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How long a search may take beside other work before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(600);

/// What the functions aim at.
struct Canaries {
    bench: Bench,
    victim: Child,
}

impl Canaries {
    fn new(file: &str) -> Canaries {
        let bench = Bench::file(&format!("testdata/hostile/{file}"));
        fs::create_dir_all(bench.path("home/empty")).unwrap();
        fs::create_dir(bench.path("tmp")).unwrap();
        bench.write("home/canary", "as it was");
        fs::set_permissions(bench.path("home/canary"), fs::Permissions::from_mode(0o640)).unwrap();
        // A group of its own, which is aimed at too.
        let victim = Command::new("sleep").arg("3600").process_group(0).spawn().expect("sleep starts");
        Canaries { bench, victim }
    }

    /// The report on all functions of the file, or on the one that is wanted.
    fn generate(&self, wanted: Option<&str>) -> String {
        let mut command = self.bench.command(&["--runs", "20"]);
        if let Some(function) = wanted {
            command.args(["--function", function]);
        }
        let path = |name: &str| self.bench.path(name).display().to_string();
        command.arg("--").arg(format!("-DCANARY=\"{}\"", path("home/canary")));
        command.arg(format!("-DFOLDER=\"{}\"", path("home")));
        command.arg(format!("-DVICTIM={}", self.victim.id()));
        command.env("TMPDIR", path("tmp")).env("HOME", path("home"));
        // Files, because nobody reads while the program is waited for.
        let (out, err) = (self.bench.path("out.txt"), self.bench.path("err.txt"));
        command.stdout(fs::File::create(&out).unwrap()).stderr(fs::File::create(&err).unwrap());
        let mut host = command.spawn().expect("testwright starts");
        let started = Instant::now();
        let status = loop {
            if let Some(status) = host.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > PATIENCE {
                host.kill().unwrap();
                host.wait().unwrap();
                panic!("the search hangs");
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let text = |path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        // Whatever cannot be a test is said, but the program itself is well.
        assert!(status.code().is_some_and(|code| code < 64), "{status}: {}\n{}", text(&out), text(&err));
        text(&out)
    }

    /// Nothing has changed, and nothing is left.
    fn check(mut self) {
        assert!(self.victim.try_wait().unwrap().is_none(), "the victim was killed");
        self.victim.kill().unwrap();
        self.victim.wait().unwrap();
        let canary = self.bench.path("home/canary");
        assert_eq!(self.bench.read("home/canary"), "as it was");
        assert_eq!(fs::metadata(&canary).unwrap().permissions().mode() & 0o777, 0o640);
        let mut left: Vec<_> =
            fs::read_dir(self.bench.path("home")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["canary", "empty"]);
        let scratch: Vec<_> = fs::read_dir(self.bench.path("tmp")).unwrap().flatten().collect();
        assert!(scratch.is_empty(), "left behind: {scratch:?}");
        assert_eq!(processes_of(&self.bench.path("tmp").display().to_string()), 0, "processes are left");
    }
}

/// How many processes have this in their command lines.
fn processes_of(text: &str) -> usize {
    let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    let commands = fs::read_dir("/proc").unwrap().flatten().map(command);
    commands.filter(|command| String::from_utf8_lossy(command).contains(text)).count()
}

/// What must be said of each function, as the comments before them have it.
fn expected(file: &str) -> BTreeMap<String, String> {
    let source = fs::read_to_string(format!("{ROOT}/testdata/hostile/{file}")).unwrap();
    let lines: Vec<&str> = source.lines().collect();
    let pairs = lines.windows(2).filter_map(|pair| {
        let (_, says) = pair[0].strip_suffix(" */")?.split_once("says: ")?;
        let name = pair[1].strip_prefix("int ")?.strip_suffix("(int x)")?;
        Some((name.to_owned(), says.to_owned()))
    });
    pairs.collect()
}

/// What the report says about a function: its line and those below it.
fn said_of(report: &str, function: &str) -> String {
    let is_own = |line: &&str| line.split_whitespace().next() == Some(function) && line.starts_with("  ");
    let lines = report.lines().skip_while(|line| !is_own(line));
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn check(file: &str) {
    let wanted = std::env::var("HOSTILE").ok();
    let mut expected = expected(file);
    if let Some(wanted) = &wanted {
        expected.retain(|name, _| name == wanted);
    }
    if expected.is_empty() {
        return;
    }
    let canaries = Canaries::new(file);
    let report = canaries.generate(wanted.as_deref());
    canaries.check();
    let is_wrong = |(name, says): &(&String, &String)| {
        let said = said_of(&report, name);
        said.is_empty() || says.as_str() != "nothing" && !said.contains(says.as_str())
    };
    let wrong: Vec<_> = expected.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{report}");
}

#[test]
fn there_are_forty_hostile_functions_and_more() {
    let files = ["files.c", "processes.c", "calls.c", "ends.c", "memory.c"];
    let count: usize = files.iter().map(|file| expected(file).len()).sum();
    assert!(count >= 40, "{count}");
}

#[test]
fn harm_to_files_is_kept_from_happening_and_named() {
    check("files.c");
}

#[test]
fn harm_to_other_processes_is_kept_from_happening_and_named() {
    check("processes.c");
}

#[test]
fn system_calls_past_the_c_library_are_noticed_too() {
    check("calls.c");
}

#[test]
fn runs_that_do_not_come_back_cost_themselves_only() {
    check("ends.c");
}

#[test]
fn harm_to_memory_reaches_nobody_else() {
    check("memory.c");
}
