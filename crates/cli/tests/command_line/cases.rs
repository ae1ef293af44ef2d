//! The forms of a case, from the command line to the call and back.

use crate::support::{SUBJECTS, answer, call, run, testwright};
use std::fs;
use std::path::Path;

#[track_caller]
fn check(function: &str, case: &str, call: &str, returned: &str) {
    let answer = run("kinds.c", function, case);
    assert_eq!((answer.out.lines().next(), answer.line("returned")), (Some(call), Some(returned)));
}

#[test]
fn arguments_are_given_in_order_or_by_name() {
    check("bump", "[4]", "bump(4)", "7");
    check("bump", r#"{"by": "0x10"}"#, "bump(16)", "19");
}

#[test]
fn globals_can_be_set() {
    check("bump", r#"{"args": [4], "globals": {"counter": 100}}"#, "bump(4)", "104");
}

#[test]
fn enumerations_booleans_and_floats_have_names() {
    check("pick", r#"["GREEN", true]"#, "pick(GREEN, true)", "GREEN");
    check("pick", "[0, false]", "pick(RED, false)", "RED");
    check("half", r#"["nan"]"#, "half(NAN)", "NAN");
    check("half", r#"["-inf"]"#, "half(-INFINITY)", "-INFINITY");
    check("half", "[3]", "half(3.0f)", "1.5f");
    check("narrow", r#"["'a'"]"#, "narrow('a')", "'a'");
}

#[test]
fn structs_are_objects_of_their_fields() {
    check(
        "unpack",
        r#"[{"low": 7, "sign": -1, "number": {"i": 2}, "list": [1, 2, 3], "name": "A"}]"#,
        r#"unpack({.low = 7, .sign = -1, .number = {.i = 2}, .list = {1, 2, 3}, .name = "A"})"#,
        "76",
    );
}

#[test]
fn pointers_point_to_objects_of_their_own_or_to_shared_ones() {
    check("follow", "[[[5]]]", "follow((int * [1]){(int [1]){5}})", "5");
    check("shared", "[[1], [2]]", "shared((int [1]){1}, (int [1]){2})", "2");
    let shared = r#"{"objects": [{"type": "int", "values": [1]}], "args": [{"@object": 0}, {"@object": 0}]}"#;
    check("shared", shared, "shared((int [1]){1}, (int [1]){1})", "7");
}

#[test]
fn null_can_be_given_where_nothing_else_can() {
    check("from_file", "[null]", "from_file(NULL)", "1");
    check("apply", "[null, 3]", "apply(NULL, 3)", "3");
    check("peek", "[null]", "peek(NULL)", "0");
}

#[test]
fn what_the_run_changed_is_shown() {
    let answer = run("kinds.c", "fill", r#"[{"buffer": "xy", "size": 4}, 3]"#);
    assert_eq!(answer.line("changed"), Some(r"*buffer: {'x', 'y', '\0', '\0'} -> {'a', 'b', 'c', '\0'}"));
}

#[test]
fn a_case_can_be_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.json"), "[4]\n").unwrap();
    let file = format!("{SUBJECTS}/kinds.c");
    let arguments = ["run", &file, "-f", "bump", "--case", "@case.json"];
    let answer = answer(testwright(folder.path()).args(arguments));
    assert_eq!(answer.line("returned"), Some("7"), "{answer:?}");
}

#[test]
fn the_json_of_a_run_holds_a_case_that_gives_the_same_run() {
    let arguments = ["run", "kinds.c", "-f", "fill", "--json", "--case"];
    let given = |case: &str| answer(testwright(Path::new(SUBJECTS)).args(arguments).arg(case)).json();
    let first = given(r#"[{"buffer": "xy", "size": 40}, 30]"#);
    assert_eq!(first["end"]["kind"], "returned");
    assert_eq!(first["result"], "30");
    assert_eq!(given(&first["case"].to_string()), first);
}

#[test]
fn long_lists_and_values_are_cut_unless_all_is_asked_for() {
    let arguments = ["run", "kinds.c", "-f", "route", "--case", "[100]"];
    let short = call(&arguments);
    assert!(short.out.contains("  and 5 farther ones; --all lists them\n"), "{}", short.out);
    let all = call(&[&arguments[..], &["--all"]].concat());
    assert_eq!(all.out.matches("kinds.c:").count(), 16, "{}", all.out);
    assert!(!all.out.contains("--all"), "{}", all.out);

    let arguments = ["run", "kinds.c", "-f", "fill", "--case", r#"[{"size": 1000}, 0]"#];
    let first_line = |answer: &str| answer.lines().next().unwrap_or_default().len();
    assert_eq!(first_line(&call(&arguments).out), 243);
    assert!(first_line(&call(&[&arguments[..], &["--all"]].concat()).out) > 4000);
}
