//! The code under test can harm nothing, and every run starts from the same state.

use crate::support::{SUBJECTS, answer, call, files, run, testwright};
use std::fs;
use std::path::Path;

/// The number that a function of the subject returned: errno of what it tried.
#[track_caller]
fn errno(function: &str, case: &str) -> i32 {
    let answer = run("shut_in.c", function, case);
    answer.line("returned").and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{answer:?}"))
}

#[test]
fn files_outside_the_scratch_folder_can_be_neither_made_nor_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, made) = (folder.path().join("kept"), folder.path().join("made"));
    fs::write(&kept, "as it was").unwrap();
    let case = |path: &Path| serde_json::json!([path]).to_string();
    assert_ne!(errno("writes_file", &case(&made)), 0);
    assert_ne!(errno("writes_file", &case(&kept)), 0);
    assert_ne!(errno("removes_file", &case(&kept)), 0);
    assert_eq!(files(folder.path()), std::slice::from_ref(&kept));
    assert_eq!(fs::read_to_string(kept).unwrap(), "as it was");
}

#[test]
fn a_relative_path_means_the_scratch_folder_and_nothing_stays() {
    let before = files(Path::new(SUBJECTS));
    assert_eq!(errno("writes_file", r#"["stray"]"#), 0);
    assert_eq!(files(Path::new(SUBJECTS)), before);
}

#[test]
fn connections_processes_and_signals_to_others_are_refused() {
    for function in ["connects", "forks", "kills_parent"] {
        assert_ne!(errno(function, "[]"), 0, "{function}");
    }
}

#[test]
fn what_code_wants_beyond_its_memory_is_said() {
    let said = |function, case| {
        let answer = run("shut_in.c", function, case);
        answer.line("effects").map(str::to_owned)
    };
    assert_eq!(said("removes_file", r#"["precious"]"#).unwrap(), "wants to delete files");
    assert_eq!(said("writes_file", r#"["stray"]"#).unwrap(), "wants to write files");
    assert_eq!(said("connects", "[]").unwrap(), "wants to use the network");
    assert_eq!(said("forks", "[]").unwrap(), "wants to start processes");
    assert_eq!(said("reads_file", r#"["/usr/include/stdio.h"]"#), None);
    assert_eq!(said("draws", "[]"), None);
    let json =
        call(&["run", "shut_in.c", "-f", "removes_file", "--case", r#"["precious"]"#, "--json"]).json();
    assert_eq!(json["effects"], serde_json::json!(["delete"]));
}

#[test]
fn files_of_others_are_read_only_if_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "a secret").unwrap();
    let case = serde_json::json!([secret]).to_string();
    let arguments = ["run", "shut_in.c", "-f", "reads_file", "--case", &case];
    let refused = call(&arguments);
    assert_ne!(refused.line("returned"), Some("0"), "{refused:?}");
    assert_eq!(refused.line("effects"), Some("wants to read files outside the sources"));
    let allowed = call(&[&arguments[..], &["--allow-read", folder.path().to_str().unwrap()]].concat());
    assert_eq!((allowed.line("returned"), allowed.line("effects")), (Some("0"), None), "{allowed:?}");
    let own =
        serde_json::json!([fs::canonicalize(Path::new(SUBJECTS).join("shut_in.c")).unwrap()]).to_string();
    assert_eq!(errno("reads_file", &own), 0, "sources may be read");
}

#[test]
fn the_memory_limit_holds_for_mapped_memory_too() {
    let limited = call(&["run", "shut_in.c", "-f", "maps_much", "--case", "[]", "--memory", "256"]);
    assert_eq!(limited.line("returned"), Some("12"), "ENOMEM: {limited:?}");
}

#[test]
fn globals_random_numbers_time_and_errno_start_the_same_in_every_run() {
    let arguments = ["run", "shut_in.c", "--function", "draws", "--case", "[]", "--self-check"];
    let first = call(&arguments);
    assert_eq!(first.status, 0, "{first:?}");
    assert_eq!(first.line("checked"), Some("run build, trace build and evaluator agree"));
    assert_eq!(call(&arguments), first);
}

#[test]
fn the_same_command_says_the_same_byte_for_byte() {
    let commands: [&[&str]; 5] = [
        &["run", "kinds.c", "-f", "fill", "--case", r#"[{"size": 40}, 30]"#, "--json"],
        &["run", "ends.c", "-f", "reads", "--case", "[null]"],
        &["show", "trace", "kinds.c", "-f", "route", "--case", "[13]"],
        &["show", "instrumented", "kinds.c"],
        &["show", "sites", "kinds.c", "--json"],
    ];
    for arguments in commands {
        // A cache of its own each time, so that the second answer is not the first one kept.
        let fresh = || {
            let cache = tempfile::tempdir().unwrap();
            answer(testwright(Path::new(SUBJECTS)).env("TESTWRIGHT_CACHE", cache.path()).args(arguments))
        };
        let first = fresh();
        assert_eq!(first.status, 0, "{first:?}");
        assert_eq!(fresh(), first, "{arguments:?}");
    }
}
