//! The suite as a whole: complete, repeatable, and careful with what was there.

use crate::support::Bench;
use std::fs;

#[test]
fn every_branch_of_triangle_gets_a_test_that_compiles_and_passes() {
    let bench = Bench::example("triangle.c");
    let report = bench.generate(&["--runs", "100"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert!(report.contains("22/22 branches"), "{report}");
    let triangle = bench.function("triangle");
    let branches = &triangle["branches"];
    assert_eq!((&branches["total"], &branches["covered"]), (&22.into(), &22.into()), "{triangle:#}");
    assert_eq!(bench.summary()["divergences"], 0);
    bench.check();
}

#[test]
fn the_same_seed_and_number_of_runs_give_the_same_tests() {
    let text = || {
        let bench = Bench::example("strings.c");
        bench.generate(&["--runs", "40", "--function", "check_setting"]);
        let text = bench.read("out/strings_test.c");
        // The path of the subject differs with the folder.
        text.lines().filter(|line| !line.starts_with("#include")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(text(), text());
}

#[test]
fn what_was_there_before_is_kept() {
    let bench = Bench::example("triangle.c");
    fs::create_dir(bench.path("out")).expect("a folder is made");
    bench.write("out/mine.txt", "precious");
    bench.generate(&["--runs", "5"]);
    assert_eq!(bench.read("out.old/mine.txt"), "precious");
}

#[test]
fn functions_that_cannot_be_called_are_skipped_with_the_reason() {
    let bench = Bench::new(
        "#include <stdio.h>\nint put(FILE *file, int x) { return x > 0 ? fputc(x, file) : 0; }\n\
         int sign(int x) { if (x < 0) return -1; return 1; }\n",
    );
    let report = bench.generate(&["--runs", "10"]);
    assert!(report.contains("skipped: ") && report.contains("FILE"), "{report}");
    assert_eq!(bench.function("sign")["branches"]["covered"], 2);
    assert!(bench.uncovered("put").iter().all(|(.., reason)| reason.contains("cannot be called")));
    let message = Bench::new("#include <stdio.h>\nint put(FILE *file) { return fputc(1, file); }\n")
        .refused(&["--runs", "10"]);
    assert!(message.contains("nothing to test") && message.contains("put: "), "{message}");
}

#[test]
fn nothing_is_shown_on_the_way_unless_a_terminal_looks() {
    let bench = Bench::example("triangle.c");
    let output = bench.command(&["--runs", "100"]).output().expect("testwright starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
