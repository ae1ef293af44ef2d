//! Where suites go: nothing of the user's is overwritten, moved or deleted, and nothing is left behind.

use crate::interrupt::ENDLESS;
use crate::support::{Bench, check_success, names_in, send, whole};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, Command, Output};
use std::thread::sleep;
use std::time::Duration;

const SIGN: &str = "int sign(int x) { if (x < 0) return -1; return x > 0; }\n";
const RUNS: [&str; 4] = ["--runs", "5", "--function", "sign"];

/// A folder with code whose search takes as long as it may, beside some that is quick.
fn endless_bench() -> Bench {
    Bench::new(&format!("{ENDLESS}{SIGN}"))
}

/// Generates into this folder.
fn into(bench: &Bench, out: &str, arguments: &[&str]) -> Output {
    let mut command = bench.verb("generate");
    command.arg(bench.source()).args(["--out", out]).args(arguments);
    command.output().expect("testwright starts")
}

/// Expects to be refused before the search, which would take ten minutes; the message.
#[track_caller]
fn refused(bench: &Bench, out: &str) -> String {
    let output = into(bench, out, &["--budget", "10m"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("--out"), "it says what to do: {message}");
    message
}

/// Starts a search that does not end by itself, and waits until it has its place.
fn endless(bench: &Bench) -> Child {
    let child = bench.command(&["--budget", "10m"]).spawn().expect("testwright starts");
    while !bench.path(".out.testwright.lock").exists() {
        sleep(Duration::from_millis(5));
    }
    child
}

/// Waits until the search says that it is on its way; the rest of what it says.
fn wait_for_search(child: &mut Child) -> BufReader<ChildStderr> {
    let mut said = BufReader::new(child.stderr.take().expect("its errors are piped"));
    let mut line = String::new();
    while !line.contains("searching") {
        line.clear();
        assert!(said.read_line(&mut line).expect("it says something") > 0, "it ends early");
    }
    said
}

#[test]
fn a_suite_is_replaced_as_long_as_all_of_it_is_as_it_was_written() {
    let bench = Bench::new(SIGN);
    for times in 1..=3 {
        bench.generate(&RUNS);
        whole(&bench.path("out"));
        // What the Makefile builds there is no obstacle, whatever the flags.
        check_success(&bench.make(&["check", "CC=gcc", "CFLAGS=--coverage -g"]));
        let expected =
            if times == 1 { vec!["out", "subject.c"] } else { vec!["out", "out.old", "subject.c"] };
        assert_eq!(names_in(&bench.path("")), expected);
    }
    whole(&bench.path("out.old"));
}

#[test]
fn changed_tests_are_kept_and_named() {
    let bench = endless_bench();
    bench.generate(&RUNS);
    bench.write("out/subject_test.c", "/* mine */\n");
    bench.write("out/cases/note.txt", "precious");
    fs::create_dir(bench.path("out/build")).expect("a folder is made");
    bench.write("out/build/results.txt", "precious");
    let message = refused(&bench, "out");
    for name in
        ["changed   out/subject_test.c", "not ours  out/cases/note.txt", "not ours  out/build/results.txt"]
    {
        assert!(message.contains(name), "{message}");
    }
    assert!(!message.contains("summary.json"), "{message}");
    assert_eq!(bench.read("out/subject_test.c"), "/* mine */\n");
    assert_eq!(bench.read("out/cases/note.txt"), "precious");
    assert_eq!(names_in(&bench.path("")), ["out", "subject.c"]);
}

#[test]
fn the_previous_suite_takes_the_place_of_nothing_of_the_users() {
    let bench = endless_bench();
    fs::create_dir(bench.path("out.old")).expect("a folder is made");
    bench.write("out.old/mine.txt", "precious");
    bench.generate(&RUNS);
    assert_eq!(bench.read("out.old/mine.txt"), "precious");
    let message = refused(&bench, "out");
    assert!(message.contains("out.old") && message.contains("mine.txt"), "{message}");
    assert_eq!(bench.read("out.old/mine.txt"), "precious");
    whole(&bench.path("out"));
}

#[test]
fn folders_that_hold_something_else_are_refused() {
    let bench = endless_bench();
    fs::create_dir(bench.path("src")).expect("a folder is made");
    bench.write("src/other.c", "int x;\n");
    bench.write("plain", "precious");
    symlink("nowhere", bench.path("dangling")).expect("a link is made");
    symlink("plain", bench.path("link")).expect("a link is made");
    let above = bench.path("").parent().expect("a folder").display().to_string();
    for (out, why) in [
        ("src", "other.c"),
        ("src/", "other.c"),
        (".", "the code under test"),
        ("./src/..", "the code under test"),
        (above.as_str(), "the code under test"),
        ("/", "no folder of its own"),
        ("", "a value is required"),
        ("plain", "not a folder"),
        ("plain/out", "Not a directory"),
        ("link", "not a folder"),
        ("dangling", "leads nowhere"),
        ("dangling/", "leads nowhere"),
        ("/dev/null", "not a folder"),
        ("/proc", "mounted"),
        ("/proc/testwright/out", "cannot write"),
    ] {
        let message = refused(&bench, out);
        assert!(message.contains(why), "{out}: {message}");
    }
    assert_eq!(names_in(&bench.path("")), ["dangling", "link", "plain", "src", "subject.c"]);
    assert_eq!(bench.read("src/other.c"), "int x;\n");
    assert_eq!(bench.read("plain"), "precious");
}

#[test]
fn new_and_empty_folders_are_fine_and_links_to_folders_are_followed() {
    let bench = Bench::new(SIGN);
    fs::create_dir_all(bench.path("empty")).expect("a folder is made");
    fs::create_dir_all(bench.path("deep/er/target")).expect("a folder is made");
    symlink("deep/er/target", bench.path("link")).expect("a link is made");
    for out in ["empty", "slash/", "a/b/c", "./dot", "link"] {
        check_success(&into(&bench, out, &RUNS));
        whole(&bench.path(out));
        let check =
            Command::new("make").args(["-s", "-C", out, "check"]).current_dir(bench.path("")).output();
        check_success(&check.expect("make starts"));
    }
    assert!(bench.path("link").is_symlink());
    assert_eq!(names_in(&bench.path("deep/er")), ["target"]);
    check_success(&into(&bench, "link", &RUNS));
    assert_eq!(names_in(&bench.path("deep/er")), ["target", "target.old"]);
    check_success(&bench.verb("replay").arg("link").output().expect("testwright starts"));
}

#[test]
fn a_run_that_fails_leaves_nothing() {
    let bench = Bench::new("int broken(\n");
    let output = into(&bench, "a/b/c", &RUNS);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(names_in(&bench.path("")), ["subject.c"]);
}

#[test]
fn one_run_at_a_time_writes_to_a_folder() {
    let bench = endless_bench();
    let mut first = endless(&bench);
    let message = refused(&bench, "out/");
    assert!(message.contains("another run of Testwright is writing to out"), "{message}");
    send(&first, "TERM");
    assert_eq!(first.wait().expect("testwright ends").signal(), Some(15));
    assert_eq!(names_in(&bench.path("")), ["subject.c"]);
}

#[test]
fn a_suite_that_cannot_go_to_its_place_any_more_is_not_lost() {
    let bench = endless_bench();
    bench.generate(&RUNS);
    let mut child = endless(&bench);
    let mut said = wait_for_search(&mut child);
    bench.write("out/subject_test.c", "/* mine */\n");
    fs::create_dir(bench.path("out.new")).expect("a folder is made");
    send(&child, "INT");
    let output = child.wait_with_output().expect("testwright ends");
    let mut message = String::new();
    said.read_to_string(&mut message).expect("it says why");
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("changed   out/subject_test.c"), "{message}");
    assert!(message.contains("the new suite is in out.new-2"), "{message}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("out.new-2/subject_test.c"), "{output:?}");
    assert_eq!(bench.read("out/subject_test.c"), "/* mine */\n");
    whole(&bench.path("out.new-2"));
    assert_eq!(names_in(&bench.path("")), ["out", "out.new", "out.new-2", "subject.c"]);
}

#[test]
fn other_files_are_never_overwritten_by_what_is_written_besides() {
    let bench = endless_bench();
    let check = |arguments: &[&str], name: &str| {
        let before = bench.read(name);
        let output =
            bench.command(&[&["--budget", "10m"], arguments].concat()).output().expect("testwright starts");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(name) && message.contains("did not write"), "{message}");
        assert_eq!(bench.read(name), before);
    };
    check(&["--log-steps", "subject.c"], "subject.c");
    fs::create_dir(bench.path("queries")).expect("a folder is made");
    bench.write("queries/query-00007.smt2", "precious");
    check(&["--dump-queries", "queries"], "queries/query-00007.smt2");
    let small = Bench::new(SIGN);
    for _ in 0..2 {
        small.generate(&["--runs", "5", "--log-steps", "steps", "--dump-queries", "queries"]);
    }
}

#[test]
fn what_a_killed_run_left_elsewhere_is_removed_by_any_next_start() {
    let bench = endless_bench();
    fs::create_dir(bench.path("tmp")).expect("a folder is made");
    let mut command = bench.command(&["--budget", "10m"]);
    let mut child = command.env("TMPDIR", bench.path("tmp")).spawn().expect("testwright starts");
    while !bench.path(".out.testwright.lock").exists() {
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert!(bench.path(".out.testwright.lock").exists(), "nobody could remove it");
    let mut command = bench.verb("show");
    command.arg("sites").arg(bench.source()).env("TMPDIR", bench.path("tmp"));
    check_success(&command.output().expect("testwright starts"));
    assert_eq!(names_in(&bench.path("")), ["subject.c", "tmp"]);
    assert_eq!(names_in(&bench.path("tmp")), [""; 0]);
}
