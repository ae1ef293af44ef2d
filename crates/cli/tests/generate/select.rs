//! Which functions get tests, for how long, and how many tests; what `init` and `doctor` say.

use crate::support::{Bench, check_success};

const THREE: &str = "int f(int x) { if (x == 7) return 1; if (x == 9) return 2; return 0; }\n\
    int debug_show(int x) { return x > 1; }\nint debug_hide(const char *text) { return *text == 'x'; }\n";

/// A branch that solvers and searches do not find out about in ages.
const HARD: &str = "unsigned long hard(unsigned long x)\n{\n    unsigned long h = x;\n    \
    for (int i = 0; i < 64; i++)\n        h = h * h + (h >> 7) + (unsigned long)i;\n    \
    if (h == 0x123456789abcdef1ul && x % 7919u == 7918u) return 1;\n    return 0;\n}\n";

fn names(bench: &Bench) -> Vec<String> {
    let summary = bench.summary();
    let functions = summary["functions"].as_array().expect("a list of functions");
    functions.iter().map(|function| function["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn functions_that_a_pattern_names_are_left_out() {
    let bench = Bench::new(THREE);
    bench.generate(&["--ignore", "debug_*", "--runs", "20", "--builds", "first"]);
    assert_eq!(names(&bench), ["f"]);
}

#[test]
fn a_pattern_that_leaves_out_nothing_is_refused() {
    let bench = Bench::new(THREE);
    let message = bench.refused(&["--ignore", "trace_*"]);
    assert!(message.contains("--ignore: no function of the target matches `trace_*`"), "{message}");
    let message = bench.refused(&["--ignore", "debug_shaw"]);
    assert!(message.contains("--ignore: ") && message.contains("debug_show"), "{message}");
}

#[test]
fn of_too_many_tests_those_are_written_that_show_the_most() {
    let bench = Bench::new(THREE);
    let arguments = ["--function", "f", "--runs", "60", "--max-tests", "1", "--builds", "first"];
    let report = bench.generate(&arguments);
    assert!(report.contains("  suite     1 test, "), "{report}");
    let left = bench.uncovered("f");
    assert!(!left.is_empty(), "{report}");
    assert!(left.iter().all(|(.., why)| why == "its test is left out: --max-tests 1"), "{left:?}");
}

#[test]
fn a_function_takes_no_longer_than_it_may() {
    let bench = Bench::new(HARD);
    let report = bench.generate(&["--budget", "10h", "--per-function", "300ms", "--builds", "first"]);
    assert!(report.contains("time spent, ") || report.contains("nothing left to try"), "{report}");
    let message = bench.command(&["--per-function", "soon"]).output().expect("testwright starts");
    let message = String::from_utf8_lossy(&message.stderr).into_owned();
    assert!(message.contains("--per-function takes a time such as 500ms"), "{message}");
}

#[test]
fn init_names_what_there_is_and_never_overwrites() {
    let bench =
        Bench::new(&format!("{THREE}int read_adc(void);\nint is_high(void) {{ return read_adc() > 3; }}\n"));
    let said = check_success(&bench.verb("init").output().expect("testwright starts"));
    assert!(said.contains("wrote testwright.toml; try: testwright generate ./subject.c"), "{said}");
    let text = bench.read("testwright.toml");
    for line in ["#f = 1", "#[function.debug_hide]", "#non_null = [\"text\"]", "#[stub.read_adc]"] {
        assert!(text.lines().any(|other| other == line), "{line}: {text}");
    }
    // What could be stated makes sense once it is.
    let is_stated = |line: &&str| line.starts_with('#') && !line.starts_with("# ") && *line != "#";
    let stated: String = text.lines().filter(is_stated).map(|line| format!("{}\n", &line[1..])).collect();
    bench.write("testwright.toml", &stated);
    bench.generate(&["--runs", "20", "--builds", "first"]);
    let output = bench.verb("init").output().expect("testwright starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(bench.read("testwright.toml"), stated);
}

#[test]
fn init_finds_a_compilation_database_below_the_project() {
    let bench = Bench::new(THREE);
    std::fs::create_dir(bench.path("out-of-tree")).expect("a folder");
    let entry = r#"[{"directory": "..", "file": "../subject.c", "command": "cc -c ../subject.c"}]"#;
    bench.write("out-of-tree/compile_commands.json", entry);
    let said = check_success(&bench.verb("init").output().expect("testwright starts"));
    assert!(said.contains("testwright generate ./out-of-tree"), "{said}");
}

#[test]
fn doctor_says_what_is_there_and_what_is_missing() {
    let bench = Bench::new(THREE);
    let said = check_success(&bench.verb("doctor").output().expect("testwright starts"));
    for what in ["clang", "cc", "make", "worker", "cache"] {
        let is_there = |line: &str| line.split_whitespace().take(2).eq([what, "ok"]);
        assert!(said.lines().any(is_there), "{what}: {said}");
    }
    for what in ["sandbox", "Z3", "cmocka", "gtest"] {
        assert!(said.lines().any(|line| line.trim_start().starts_with(what)), "{what}: {said}");
    }
    let mut command = bench.verb("doctor");
    let output = command.env("TESTWRIGHT_CLANG", "/nowhere/clang").output().expect("testwright starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.lines().any(|line| line.split_whitespace().take(2).eq(["clang", "MISSING"])), "{said}");
}
