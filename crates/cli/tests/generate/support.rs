//! Starts `testwright generate` on C text in a folder of its own, and reads what it leaves.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The folder that holds the workspace.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A folder with C text in it; the suite goes to `out` in it.
pub struct Bench {
    folder: tempfile::TempDir,
    source: PathBuf,
}

impl Bench {
    /// A folder with this text as `subject.c`.
    pub fn new(text: &str) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("subject.c"), text).expect("the subject is written");
        Bench { folder, source: "subject.c".into() }
    }

    /// A folder from which one of the examples is tested.
    pub fn example(name: &str) -> Bench {
        Bench::file(&format!("examples/{name}"))
    }

    /// A folder from which a file of the workspace is tested.
    pub fn file(path: &str) -> Bench {
        let source = fs::canonicalize(format!("{ROOT}/{path}")).expect("the file exists");
        Bench { folder: tempfile::tempdir().expect("a folder"), source }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A text in the folder.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Puts a text into the folder.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file is written");
    }

    /// Any verb, ready to be started in the folder.
    pub fn verb(&self, verb: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testwright"));
        command.current_dir(self.folder.path());
        command.env("TESTWRIGHT_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.arg(verb);
        command
    }

    /// The command, ready to be started in the folder. Tests are for branches unless the arguments say otherwise.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.verb("generate");
        command.arg(&self.source).args(["--out", "out"]);
        if !arguments.contains(&"--criteria") {
            command.args(["--criteria", "branch"]);
        }
        command.args(arguments);
        command
    }

    /// The file under test.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// What make says about the suite.
    pub fn make(&self, arguments: &[&str]) -> Output {
        Command::new("make").arg("-C").arg(self.path("out")).args(arguments).output().expect("make starts")
    }

    /// Generates, and checks that all branches of all functions are covered, that nothing is called a finding and that the tests pass; what
    /// was printed.
    #[track_caller]
    pub fn generate_everything(&self, arguments: &[&str]) -> String {
        let printed = self.generate(arguments);
        for function in self.summary()["functions"].as_array().expect("a list of functions") {
            let branches = &function["branches"];
            assert_eq!(branches["covered"], branches["total"], "{}\n{printed}", function["name"]);
            assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
        }
        self.check();
        printed
    }

    /// Generates, and expects success; what was printed.
    #[track_caller]
    pub fn generate(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("testwright starts");
        check_success(&output)
    }

    /// Generates, and expects a usage error; its message.
    #[track_caller]
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("testwright starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(!self.path("out").exists(), "nothing is written");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// The summary.
    pub fn summary(&self) -> Value {
        serde_json::from_str(&self.read("out/summary.json")).expect("the summary is JSON")
    }

    /// What the summary says about a function.
    #[track_caller]
    pub fn function(&self, name: &str) -> Value {
        let summary = self.summary();
        let functions = summary["functions"].as_array().expect("a list of functions");
        functions.iter().find(|function| function["name"] == name).expect("the function is listed").clone()
    }

    /// Reason and place of the goals of a function that no test shows: `(line, outcome, reason)`.
    #[track_caller]
    pub fn uncovered(&self, name: &str) -> Vec<(u64, String, String)> {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let uncovered = self.function(name)["uncovered"].clone();
        let list = uncovered.as_array().expect("a list").iter();
        list.map(|left| (left["line"].as_u64().unwrap_or(0), text(&left["outcome"]), text(&left["reason"])))
            .collect()
    }

    /// Builds and runs the tests with gcc.
    #[track_caller]
    pub fn check(&self) {
        check_success(&self.make(&["check", "CC=gcc"]));
    }
}

/// gcc, and every clang that is there; `scripts/setup` sees to one.
pub fn compilers() -> Vec<String> {
    let runs = |name: &String| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let named = std::env::var("TESTWRIGHT_CLANG").ok().filter(|name| !name.is_empty());
    let numbered = (14..=22).map(|version| format!("clang-{version}"));
    let mut clangs: Vec<String> = named.into_iter().chain(numbered).filter(runs).collect();
    if clangs.is_empty() {
        clangs.push("clang".to_owned());
    }
    [vec!["gcc".to_owned()], clangs].concat()
}

/// The flags of address and undefined sanitizers, if the libraries are there that they need.
pub fn sanitizers(compiler: &str) -> Option<&'static str> {
    const FLAGS: &str = "-g -fsanitize=address,undefined -fno-sanitize-recover=all";
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("empty.c");
    fs::write(&source, "int main(void) { return 0; }\n").expect("a program is written");
    let output = Command::new(compiler)
        .args(FLAGS.split(' '))
        .arg("-o")
        .args([folder.path().join("empty"), source])
        .output()
        .expect("the compiler starts");
    output.status.success().then_some(FLAGS)
}

#[track_caller]
pub fn check_success(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// The names in a folder, sorted.
#[track_caller]
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Sends a signal, such as `TERM`. The shell can, where there is no program for it.
#[track_caller]
pub fn send(child: &Child, signal: &str) {
    let status = Command::new("sh").arg("-c").arg(format!("kill -{signal} {}", child.id())).status();
    assert!(status.expect("sh starts").success());
}

/// Expects a suite with every file that its manifest lists, and nothing else but what is built there.
#[track_caller]
pub fn whole(folder: &Path) {
    let text = fs::read(folder.join("testwright.manifest"));
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let manifest: Value = serde_json::from_slice(&text).expect("the manifest is JSON");
    assert_eq!(manifest["finished"], true);
    let files = manifest["files"].as_object().expect("a list of files");
    assert!(files.len() > 3, "{manifest}");
    for (name, expected) in files {
        let bytes = fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(blake3::hash(&bytes).to_hex().as_str(), expected, "{name}");
    }
    for name in names_in(folder) {
        let is_listed = files.keys().any(|file| file.split('/').next() == Some(&name));
        assert!(is_listed || ["build", "testwright.manifest"].contains(&name.as_str()), "{name}");
    }
}
