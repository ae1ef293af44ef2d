//! Starts the program in a folder of C files and compares what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of C files that the commands run in.
pub const SUBJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command_line/subjects");
/// The folder that holds the workspace.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What a command said and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its exit status.
    pub status: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Answer {
    /// The text after a heading of the report of a run, such as `returned`.
    pub fn line(&self, heading: &str) -> Option<&str> {
        self.out.lines().find_map(|line| line.trim_start().strip_prefix(heading)).map(str::trim)
    }

    /// The standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The program, to be started in a folder, with a cache that the tests share.
pub fn testwright(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testwright"));
    command
        .current_dir(folder)
        .env("TESTWRIGHT_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .stdin(Stdio::null());
    command
}

/// Waits for a command.
pub fn answer(command: &mut Command) -> Answer {
    let output = command.output().expect("the program starts");
    Answer {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Starts the program among the subjects with these arguments.
pub fn call(arguments: &[&str]) -> Answer {
    answer(testwright(Path::new(SUBJECTS)).args(arguments))
}

/// Runs a function of a file on a case and expects that the run was made.
#[track_caller]
pub fn run(file: &str, function: &str, case: &str) -> Answer {
    let answer = call(&["run", file, "--function", function, "--case", case]);
    assert_eq!((answer.status, answer.err.as_str()), (0, ""), "{}", answer.out);
    answer
}

/// All files below a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    for entry in
        folder.read_dir().expect("the folder can be read").map(|entry| entry.expect("an entry").path())
    {
        if entry.is_dir() {
            list.extend(files(&entry));
        } else {
            list.push(entry);
        }
    }
    list.sort();
    list
}
