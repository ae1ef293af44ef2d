//! What can be named as a target: files, files that belong together, folders, with flags.

use crate::support::{ROOT, SUBJECTS, answer, call, testwright};
use std::path::Path;

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    let answer = call(&[&["run"], arguments].concat());
    assert_eq!((answer.status, answer.err.as_str()), (0, ""), "{answer:?}");
    assert_eq!(answer.line("returned"), Some(expected), "{}", answer.out);
}

#[test]
fn several_files_are_linked_and_their_static_names_stay_apart() {
    check(&["linked/left.c", "linked/right.c", "-f", "left", "--case", "[5]"], "615");
    check(&["linked/right.c", "linked/left.c", "-f", "right", "--case", "[5]"], "15");
}

#[test]
fn a_static_function_can_be_called() {
    check(&["hidden.c", "-f", "secret", "--case", "[-4]"], "4");
}

#[test]
fn a_folder_with_a_database_brings_its_files_and_flags() {
    check(&["database", "-f", "count", "--case", "[3]"], "43");
    check(&["database", "-f", "count", "--case", "[30]"], "50");
}

#[test]
fn a_file_below_a_database_gets_its_flags() {
    check(&["database/counter.c", "database/limit.c", "-f", "count", "--case", "[3]"], "43");
}

#[test]
fn flags_follow_after_two_dashes() {
    let common = ["flags/scaled.c", "-f", "scaled", "--case", "[3]", "--", "-Iflags/more"];
    check(&[&common[..], &["-DSCALE=10"]].concat(), "37");
    check(&[&common[..], &["-DSCALE=100"]].concat(), "307");
}

#[test]
fn flags_of_the_user_win_over_those_of_the_database() {
    check(&["database", "-f", "count", "--case", "[3]", "--", "-USTART", "-DSTART=1"], "4");
}

#[test]
fn places_name_the_file_as_the_user_did() {
    let place = |folder: &str, file: &str| {
        let arguments = ["run", file, "-f", "adds", "--case", r#"["INT_MAX", 1]"#];
        let answer = answer(testwright(Path::new(folder)).args(arguments));
        answer.line("ended").map(str::to_owned)
    };
    let expected = |file: &str| Some(format!("trapped: signed overflow in an addition, at {file}:13:35"));
    assert_eq!(place(SUBJECTS, "ends.c"), expected("ends.c"));
    let deep = "crates/cli/tests/command_line/subjects/ends.c";
    assert_eq!(place(ROOT, deep), expected(deep));
}

#[test]
fn every_supported_clang_that_is_installed_gives_the_same_run() {
    let mut answers = Vec::new();
    for version in 14..=22 {
        let clang = format!("clang-{version}");
        if std::process::Command::new(&clang).arg("--version").output().is_err() {
            continue;
        }
        let arguments =
            ["run", "examples/triangle.c", "-f", "triangle", "--case", "[3, 4, 5]", "--self-check"];
        let answer = answer(testwright(Path::new(ROOT)).env("TESTWRIGHT_CLANG", &clang).args(arguments));
        assert_eq!(answer.status, 0, "{clang}: {answer:?}");
        answers.push((clang, answer));
    }
    for pair in answers.windows(2) {
        assert_eq!(pair[0].1, pair[1].1, "{} and {}", pair[0].0, pair[1].0);
    }
}
