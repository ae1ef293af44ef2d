//! What follows a search keeps to its time, shows itself, and does nothing twice.

use crate::support::{Bench, check_success, compilers, sanitizers};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

const FIRST: &str = "int read_clock(void);\n#define STATUS (*(volatile unsigned *)0x40021000)\n\
    static int is_early(int t) { return t < 10; }\n\
    int first(int x) { if (is_early(read_clock())) return x; return -1; }\n\
    int ready(void) { if (STATUS == 5) return 1; return 0; }\n";
const SECOND: &str = "#include <stdlib.h>\nint read_clock(void);\nint first(int x);\n\
    #define STATUS (*(volatile unsigned *)0x40021000)\n\
    static int is_late(int t) { return t == 77; }\n\
    int second(void)\n{\n    char *p = malloc(8);\n    if (!p) return -1;\n    free(p);\n    \
    if (is_late(read_clock())) return first(2);\n    return 0;\n}\n\
    int busy(void) { if (STATUS == 6) return 1; return 0; }\n";

#[test]
fn the_tests_of_all_files_are_one_program_that_compiles_each_file_once() {
    let bench = Bench::new(FIRST);
    bench.write("second.c", SECOND);
    let report = bench.generate(&["second.c", "--runs", "60"]);
    assert!(report.contains("compiled, passed twice\n"), "nothing was taken out: {report}");
    for (name, branches) in [("first", 2), ("ready", 2), ("second", 4), ("busy", 2)] {
        assert_eq!(bench.function(name)["branches"]["covered"], branches, "{name}: {report}");
    }
    let commands = check_success(&bench.make(&["--dry-run", "programs"]));
    let count = |what: &str| commands.lines().filter(|line| line.contains(what)).count();
    // Both files are included by their tests; the third one is what runs tests.
    assert_eq!((count(" -c "), count(" -o build/tests ")), (3, 1), "{commands}");
    for compiler in compilers() {
        for flags in ["-O2", sanitizers(&compiler).unwrap_or("-O0")] {
            let arguments = ["check", &format!("CC={compiler}"), &format!("CFLAGS={flags} -w")];
            let said = check_success(&bench.make(&arguments));
            assert_eq!(said.matches("1..").count(), 1, "{said}");
        }
    }
}

#[test]
fn the_reproducers_of_all_files_are_one_program() {
    let bench = Bench::new("static int part(int x) { return 9 / x; }\nint f(int x) { return part(x); }\n");
    bench.write("second.c", "static int half(int x) { return 7 / x; }\nint g(int x) { return half(x); }\n");
    bench.generate(&["second.c", "--runs", "60"]);
    let commands = check_success(&bench.make(&["--dry-run", "findings"]));
    assert_eq!(commands.matches("-o build/findings ").count(), 1, "{commands}");
    let said = check_success(&bench.make(&["findings"]));
    assert!(said.contains("0 failed"), "{said}");
}

/// Generates with a compiler that takes longer for the tests than the 20 seconds that other builds have at least after a search.
fn with_a_slow_compiler(arguments: &[&str]) -> Output {
    let bench = Bench::new("int f(int x) { if (x == 7) return 1; return 0; }\n");
    let script = "#!/bin/sh\ncase \"$*\" in *subject_test.c*) sleep 22;; esac\nexec gcc \"$@\"\n";
    bench.write("slow", script);
    let compiler = bench.path("slow");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("it is a program");
    bench.command(arguments).env("CC", &compiler).output().expect("testwright starts")
}

#[test]
fn builds_for_which_no_time_is_left_are_told_and_what_takes_long_shows_itself() {
    let output = with_a_slow_compiler(&["--budget", "1s"]);
    let report = check_success(&output);
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert!(report.contains("not checked: gcc -O2, because no time was left\n"), "{report}");
    let progress = String::from_utf8_lossy(&output.stderr);
    assert!(progress.lines().any(|line| line.starts_with("  compiling ")), "{progress}");
}

#[test]
fn with_a_budget_in_runs_every_build_has_its_time() {
    let report = check_success(&with_a_slow_compiler(&["--runs", "20"]));
    assert!(!report.contains("no time was left") && report.contains("gcc -O2"), "{report}");
}
