//! Tests are tried confined and in several builds: what depends on the compiler, or wants what the sandbox forbids, is no test.

use crate::support::{Bench, check_success};

/// Generates within a few runs and checks that the tests pass in other builds too; what was printed.
#[track_caller]
fn generate(bench: &Bench) -> String {
    let report = bench.generate(&["--runs", "60"]);
    for flags in
        ["CFLAGS=-O2", "CFLAGS=-O3", "CFLAGS=-g -fsanitize=address,undefined -fno-sanitize-recover=all"]
    {
        check_success(&bench.make(&["check", "CC=gcc", flags]));
    }
    report
}

#[test]
fn a_normal_function_keeps_all_its_tests_and_the_report_names_the_builds() {
    let bench = Bench::example("triangle.c");
    let report = bench.generate(&["--runs", "100"]);
    assert!(report.contains("compiled, passed twice\n"), "nothing was taken out: {report}");
    assert!(
        report.contains("checked: ") && report.contains("-O2") && report.contains("ASan+UBSan"),
        "{report}"
    );
    assert!(report.contains("clang"), "{report}");
    assert_eq!(bench.function("triangle")["tests"], 11);
    check_success(&bench.make(&["check-sanitized", "CC=gcc"]));
}

#[test]
fn with_the_first_build_only_no_other_is_made() {
    let bench = Bench::example("triangle.c");
    let report = bench.generate(&["--runs", "100", "--builds", "first"]);
    assert!(report.contains("compiled, passed twice\n") && !report.contains("-O2"), "{report}");
}

#[test]
fn a_read_past_a_table_is_a_finding_and_no_test() {
    let bench = Bench::new(
        "static const int table[4] = {1, 2, 3, 4};\nstatic const int other[4] = {5, 6, 7, 8};\n\
         int look(unsigned i) {\n    const int *p = table;\n    if (i < 4) return p[i];\n    \
         if (i < 6)\n        return p[i] + other[0];\n    return -1;\n}\n",
    );
    let report = generate(&bench);
    let look = bench.function("look");
    let finding = &look["findings"][0];
    assert_eq!(finding["kind"], "read past the end of a variable", "{report}");
    assert_eq!((&finding["file"], &finding["line"]), (&"subject.c".into(), &7.into()), "{report}");
    assert!(report.contains("look(4)"), "{report}");
    let left = bench.uncovered("look");
    assert!(
        matches!(&left[..], [(6, outcome, reason)] if outcome == "true" && reason.contains("findings")),
        "{left:?}"
    );
    // Its reproducer ends badly, as it should.
    check_success(&bench.make(&["findings", "CC=gcc"]));
}

#[test]
fn a_result_that_depends_on_a_variable_that_nobody_set_is_no_test() {
    let bench =
        Bench::new("int unset(int x) {\n    int y;\n    if (x > 3)\n        y = 1;\n    return y + x;\n}\n");
    let report = generate(&bench);
    let left = bench.uncovered("unset");
    let [(3, outcome, reason)] = &left[..] else { panic!("{left:?} {report}") };
    assert!(outcome == "false" && reason.contains("behaves differently each time"), "{report}");
    assert_eq!(bench.function("unset")["tests"], 1);
}

#[test]
fn a_use_after_free_is_a_finding_and_no_test() {
    let bench = Bench::new(
        "#include <stdlib.h>\nint freed(int x) {\n    int *p = malloc(sizeof *p);\n    if (!p)\n        return -1;\n    \
         *p = 5;\n    free(p);\n    if (x > 10)\n        return *p == 77;\n    return 0;\n}\n",
    );
    let report = generate(&bench);
    let freed = bench.function("freed");
    let kinds: Vec<&str> =
        freed["findings"].as_array().unwrap().iter().filter_map(|finding| finding["kind"].as_str()).collect();
    assert_eq!(kinds, ["use after free"], "{report}");
    assert_eq!(freed["findings"][0]["line"], 9, "{report}");
}

#[test]
fn less_than_the_code_reads_breaks_an_assumption_and_is_no_finding() {
    // The byte behind the text happens to be zero in the search.
    let bench = Bench::new(
        "#include <string.h>\nint count(const char *text, unsigned n) {\n    unsigned long length = strlen(text);\n    \
         if (length > n) return 1;\n    return 0;\n}\n",
    );
    let report = generate(&bench);
    assert!(!report.contains("finding "), "{report}");
}

#[test]
fn what_wants_to_delete_files_is_reported_and_becomes_a_test_only_if_allowed() {
    let bench = Bench::new(
        "#include <stdio.h>\nint w(int x) {\n    if (x > 3)\n        return remove(\"precious\");\n    return 0;\n}\n",
    );
    bench.write("precious", "as it was");
    let report = bench.generate(&["--runs", "40"]);
    assert!(report.contains("effect   wants to delete files: w("), "{report}");
    let left = bench.uncovered("w");
    let [(3, _, reason)] = &left[..] else { panic!("{left:?}") };
    assert_eq!(reason, "only a run that wants to delete files shows it; --allow-effects writes a test");
    assert_eq!(bench.function("w")["effects"][0]["wants_to"], "delete files");
    assert!(!bench.read("out/subject_test.c").contains("w(4)"));
    let report = bench.generate(&["--runs", "40", "--allow-effects"]);
    assert!(report.contains("2/2 branches") && report.contains("compiled, passed twice"), "{report}");
    assert!(report.contains("effect   wants to delete files: w("), "{report}");
    assert_eq!(bench.read("precious"), "as it was");
}

#[test]
fn a_test_that_fails_only_in_a_process_of_its_own_does_not_cost_the_others() {
    // Verification sets this variable in its second round.
    let bench = Bench::new(
        "#include <stdlib.h>\nint moody(int x) {\n    if (x > 3 && getenv(\"MALLOC_PERTURB_\"))\n        abort();\n    \
         if (x > 3)\n        return 1;\n    return x == 2 ? 7 : 0;\n}\n",
    );
    let output = bench.command(&["--runs", "40"]).output().expect("testwright starts");
    // Nobody knows why it fails: that is a loss.
    assert_eq!(output.status.code(), Some(4));
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains("compiled, passed twice; ") && report.contains("taken out"), "{report}");
    let reasons: Vec<String> = bench.uncovered("moody").into_iter().map(|(.., reason)| reason).collect();
    assert!(reasons.iter().any(|reason| reason.contains("ended by signal 6")), "{reasons:?}");
    assert!(bench.function("moody")["tests"].as_u64() >= Some(2), "{report}");
    bench.check();
}

#[test]
fn a_function_that_never_wakes_up_does_not_hang_the_verification() {
    let bench = Bench::new(
        "#include <unistd.h>\nint doze(int x) {\n    if (x > 3)\n        for (;;)\n            pause();\n    return x + 1;\n}\n",
    );
    let report = bench.generate(&["--runs", "20"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert_eq!(bench.function("doze")["tests"], 1, "{report}");
}

#[test]
fn a_test_without_an_assertion_is_not_written() {
    let bench = Bench::new(
        "static int seen;\nvoid quiet(int x) {\n    if (x > 3)\n        seen ^= 0;\n}\nint loud(int x) { return x > 3; }\n",
    );
    let report = bench.generate(&["--runs", "40"]);
    let tests = bench.read("out/subject_test.c");
    for body in tests.split("\nTEST(").skip(1) {
        assert!(body.contains("CHECK"), "{body}\n{report}");
    }
    assert!(
        bench.uncovered("quiet").iter().all(|(.., reason)| reason.contains("nothing can be asserted")),
        "{report}"
    );
}
