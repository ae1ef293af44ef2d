//! The config file: priorities that the search obeys, and messages for what is wrong in it.

use crate::support::{Bench, check_success};
use std::fs;

/// Two parts that are equally hard to get through.
const PARTS: &str = "\
static int left(int a, int b, int c)
{
    if (a == 1701) {
        if (b == 2301) {
            if (c == 4201)
                return 1;
        }
    }
    return 0;
}

static int right(int a, int b, int c)
{
    if (a == 1702) {
        if (b == 2302) {
            if (c == 4202)
                return 1;
        }
    }
    return 0;
}

int both(int a, int b, int c, int d, int e, int f)
{
    return left(a, b, c) + 2 * right(d, e, f);
}
";

/// Four runs, enough for one part; which of the last constants of the parts are in the tests.
fn reached(config: &str) -> (bool, bool) {
    let bench = Bench::new(PARTS);
    bench.write("testwright.toml", config);
    bench.generate(&["--function", "both", "--runs", "4"]);
    let tests = bench.read("out/subject_test.c");
    (tests.contains("4201"), tests.contains("4202"))
}

#[test]
fn functions_of_a_higher_priority_are_flipped_first() {
    assert_eq!(reached("[priority]\nleft = 5\n"), (true, false));
    assert_eq!(reached("[priority]\nright = 5\n"), (false, true));
    assert_eq!(reached("[priority]\nleft = -1\n"), (false, true), "negative means last");
}

#[test]
fn lines_have_priorities_too_and_win_over_their_functions() {
    let left = "\"subject.c:3\" = 5\n\"subject.c:4\" = 5\n\"subject.c:5\" = 5\n";
    assert_eq!(reached(&format!("[priority]\n{left}")), (true, false));
    assert_eq!(reached(&format!("[priority]\nright = 3\n{left}")), (true, false));
    assert_eq!(reached(&format!("[priority]\nright = 9\n{left}")), (false, true));
    let last = left.replace('5', "-5").replace(".c:-5", ".c:5");
    assert_eq!(reached(&format!("[priority]\nleft = 9\nright = 1\n{last}")), (false, true));
}

#[test]
fn a_line_that_decides_nothing_stands_for_what_leads_to_it() {
    let bench = Bench::new(PARTS);
    bench.write("mine.toml", "[priority]\n\"subject.c:6\" = -1\n");
    bench.generate(&["--function", "left", "--runs", "9", "--config", "mine.toml"]);
    assert_eq!(bench.function("left")["branches"]["covered"], 6, "last, but not never");
}

#[test]
fn what_is_wrong_in_the_file_is_told_with_its_line_and_what_to_do() {
    let check = |config: &str, expected: &str| {
        let bench = Bench::new(PARTS);
        bench.write("testwright.toml", config);
        let message = bench.refused(&[]);
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    };
    check(
        "[priority]\n\nlefft = 1\n",
        "testwright.toml:3: there is no function `lefft` in the target; did you mean `left`?",
    );
    check("[priority]\nqqqqqq = 1\n", "it has left, right, both");
    check(
        "[priority]\n\"other.c:3\" = 1\n",
        "testwright.toml:2: the target has no code in other.c; it has code in subject.c",
    );
    check(
        "[priority]\n\"subject.c:three\" = 1\n",
        "testwright.toml:2: `subject.c:three` names neither a function nor a line",
    );
    check("[priority]\n\"subject.c:25\" = 1\n", "testwright.toml:2: nothing is decided on line 25");
    check("[speed]\nfast = true\n", "testwright.toml:1: unknown field `speed`, expected one of `priority`");
    check("[priority]\nleft = high\n", "testwright.toml:2:");
}

#[test]
fn a_config_file_that_is_named_must_exist() {
    let message = Bench::new(PARTS).refused(&["--config", "missing.toml"]);
    assert!(message.contains("cannot read the config file missing.toml"), "{message}");
}

/// A config file that states something about names of several files.
const OF_A_PROJECT: &str = "\
[priority]
both = 1
far = 2
\"other.c:1\" = 3

[function.far]
range = { x = [0, 3] }
requires = [\"x != 2\"]

[type.ring]
holds = \"head < 16\"

[stub.read_adc]
returns = \"0..255\"
";

/// Generates for a file in a folder below the config file; what was told.
#[track_caller]
fn told(bench: &Bench) -> String {
    let mut command = bench.verb("generate");
    command.args(["src/parts.c", "--out", "out", "--runs", "4", "--builds", "first"]);
    let output = command.output().expect("testwright starts");
    check_success(&output);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn one_config_file_serves_all_files_of_a_project() {
    let bench = Bench::new("struct ring { int head; };\nint far(int x) { return x; }\n");
    fs::create_dir(bench.path("src")).expect("a folder is made");
    bench.write("src/parts.c", PARTS);
    bench.write("src/other.c", "int read_adc(void);\nint other(void) { return read_adc(); }\n");
    bench.write("testwright.toml", OF_A_PROJECT);
    assert!(!told(&bench).contains("testwright.toml"), "what other files have is no mistake");

    bench.write("testwright.toml", &format!("{OF_A_PROJECT}\n[function.otther]\nnon_null = [\"p\"]\n"));
    let expected = "note: testwright.toml states something about `otther`, which no file here defines; did you mean `other`?";
    let stderr = told(&bench);
    assert!(stderr.contains(expected), "{stderr}");
    assert_eq!(stderr.matches("note:").count(), 1, "{stderr}");
}

#[test]
fn the_config_file_is_found_above_the_source() {
    let bench = Bench::new("");
    fs::create_dir_all(bench.path("project/src")).expect("a folder is made");
    bench.write("project/src/parts.c", PARTS);
    bench.write("project/testwright.toml", "[priority]\nlefft = 1\n");
    let mut command = bench.verb("generate");
    let output = command.args(["project/src/parts.c", "--out", "out"]).output().expect("testwright starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("project/testwright.toml:2: there is no function `lefft`"), "{message}");
}
