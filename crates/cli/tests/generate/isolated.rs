//! What cannot be handled in one function, stub or test costs the others nothing, and the report names it.

use crate::support::{Bench, check_success};

#[test]
fn a_technique_that_fails_leaves_the_search_to_the_others_and_the_other_functions_alone() {
    // With room for eight of these, a case has more scalars than a command to the worker can hold.
    let bench = Bench::new(
        "struct big { unsigned first; char rest[100000]; };\n\
         int f(const struct big *items, int count) {\n\
         \x20 if (count > 0 && items[0].first * items[0].first == 77) return 1;\n  return 0;\n}\n\
         int g(int x) { if (x == 4711) return 1; return 0; }\n",
    );
    let arguments = ["--runs", "600", "--builds", "first"];
    let output = bench.command(&arguments).output().expect("testwright starts");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(4), "{report}");
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert!(report.contains("lost     the search failed by a fault of Testwright: "), "{report}");
    assert_eq!(bench.function("f")["branches"]["covered"], 3, "{report}");
    assert_eq!(bench.function("g")["branches"]["covered"], 2, "{report}");
}

const LISTS: &str = "#include <stdarg.h>\n\
    int note(int level, va_list list);\nint copy(va_list *list, int level);\n\
    int f(int level, ...) {\n\
    \x20 va_list list;\n  va_start(list, level);\n\
    \x20 int noted = note(level, list);\n  if (copy(&list, level) == 7) noted++;\n  va_end(list);\n\
    \x20 if (noted == 4711) return 1;\n  return 0;\n}\n\
    int g(int x) { if (note(x, 0) == 5) return 1; return 0; }\n";

#[test]
fn functions_that_take_a_va_list_are_stubbed() {
    let bench = Bench::new(LISTS);
    let report = bench.generate(&["--runs", "60", "--format", "plain,cmocka,gtest"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert_eq!(bench.function("g")["branches"]["covered"], 2);
    bench.check();
}

#[test]
fn a_stub_that_does_not_compile_costs_the_tests_that_need_it() {
    // Where tests stand, no text can name the struct any more.
    let bench = Bench::new(
        "struct item { int weight; };\nint weigh(struct item *it);\nint count(void);\n\
         static int f(int x) { if (x == 4711) return weigh(0) == 3; return 0; }\n\
         #define item 7\n\
         static int g(int x) { if (count() == 5) return x; return 0; }\n",
    );
    let output = bench.command(&["--runs", "60"]).output().expect("testwright starts");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(4), "{report}");
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert!(report.contains("lost     test "), "{report}");
    assert!(report.contains("about the stub of weigh"), "{report}");
    assert_eq!(bench.function("g")["branches"]["covered"], 2, "{report}");
    check_success(&bench.make(&["check", "CC=gcc"]));
}
