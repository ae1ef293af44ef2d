//! What callers promise: conditions in the config file and macros in the code.

use crate::support::{Bench, check_success};

const WINDOW: &str = "\
int limit = 9;
int window(int lo, int hi, int n, int cap)
{
    if (lo > hi) return -7;
    if (n <= 0 || n > cap) return -8;
    if (cap > limit) return -9;
    if (hi - lo == 42) return 1;
    return n == cap ? 2 : 3;
}
";

#[test]
fn no_case_breaks_what_is_required_and_what_it_allows_is_found() {
    let bench = Bench::new(WINDOW);
    bench.write(
        "testwright.toml",
        "[function.window]\nrequires = [\"n > 0 && n <= cap\", \"lo >= 0 && lo <= hi\", \"cap <= limit\"]\n",
    );
    let printed = bench.generate(&["--runs", "100"]);
    let tests = bench.read("out/subject_test.c");
    for never in ["-7", "-8", "-9"] {
        assert!(!tests.contains(never), "{never}: {tests}");
    }
    for found in ["CHECK_EQ(result, 1);", "CHECK_EQ(result, 2);", "CHECK_EQ(result, 3);"] {
        assert!(tests.contains(found), "{found}: {tests}");
    }
    assert_eq!(bench.function("window")["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    assert_eq!(bench.uncovered("window").len(), 4, "{printed}");
    bench.check();
}

#[test]
fn conditions_may_look_behind_pointers_and_call_functions() {
    let bench = Bench::new(
        "#include <string.h>
        struct box { int used, room; };
        int fill(const struct box *box, const char *name)
        {
            if (box->used > box->room) return -7;
            if (strlen(name) > 3) return -8;
            return box->room - box->used == 5 && name[0] == 'x';
        }",
    );
    bench.write(
        "testwright.toml",
        "[function.fill]\nrequires = [\"box->used >= 0 && box->used <= box->room\", \"strlen(name) <= 3\"]\n",
    );
    let printed = bench.generate(&["--runs", "200"]);
    let tests = bench.read("out/subject_test.c");
    assert!(!tests.contains("-7") && !tests.contains("-8"), "{tests}");
    assert!(tests.contains("CHECK_EQ(result, 1);"), "{tests}\n{printed}");
    assert_eq!(bench.function("fill")["findings"].as_array().map(Vec::len), Some(0), "{printed}");
}

#[test]
fn a_condition_that_no_input_has_is_the_reason_for_everything() {
    let bench = Bench::new(WINDOW);
    bench.write("testwright.toml", "[function.window]\nrequires = [\"lo > hi && hi > lo\"]\n");
    bench.generate(&["--runs", "50"]);
    let uncovered = bench.uncovered("window");
    assert!(!uncovered.is_empty() && bench.function("window")["tests"] == 0, "{uncovered:?}");
    for (_, _, reason) in uncovered {
        assert!(reason.contains("requires") || reason.contains("infeasible"), "{reason}");
    }
}

#[test]
fn a_wrong_condition_is_told_with_its_line_and_the_complaint_of_the_compiler() {
    let bench = Bench::new(WINDOW);
    bench.write("testwright.toml", "[function.window]\nrequires = [\n  \"lo <= hi\",\n  \"m > 0\",\n]\n");
    let message = bench.refused(&["--runs", "5"]);
    let expected = "testwright.toml:4: `window` requires `m > 0`, which does not compile: use of undeclared identifier 'm'";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn the_macros_of_the_header_state_the_same_and_are_nothing_to_other_compilers() {
    let text = "#include \"testwright.h\"
        int pick(const int *items, int how_many, int mode, int *out, const char *name)
        {
            TESTWRIGHT_LENGTH(items, how_many);
            TESTWRIGHT_RANGE(mode, 1, 3);
            TESTWRIGHT_NON_NULL(out);
            TESTWRIGHT_TEXT(name);
            TESTWRIGHT_REQUIRES(how_many > 0 && *out != '\"');
            if (!out) return -9;
            if (mode > 3 || mode < 1) return -8;
            if (how_many <= 0 || *out == 34) return -7;
            if (items[how_many - 1] == 50) *out = 1;
            return name[0] == 'q' ? mode : 0;
        }";
    let bench = Bench::new(text);
    let header = bench.verb("header").output().expect("testwright starts");
    bench.write("testwright.h", &check_success(&header));
    let printed = bench.generate(&["--runs", "200"]);
    let tests = bench.read("out/subject_test.c");
    for never in ["-9", "-8", "-7", "NULL"] {
        assert!(!tests.contains(never), "{never}: {tests}\n{printed}");
    }
    assert!(tests.contains("50") && tests.contains("\"q\""), "{tests}\n{printed}");
    assert_eq!(bench.function("pick")["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    bench.check();
}

#[test]
fn a_condition_that_allows_null_does_not_make_null_a_finding() {
    let bench = Bench::new(
        "struct ring { int head; int size; };\nint next(struct ring *ring)\n{\n    if (ring->head == ring->size)\n        \
         return 0;\n    return ring->head + 1;\n}\n",
    );
    bench.write("testwright.toml", "[function.next]\nrequires = [\"!ring || ring->head < 16\"]\n");
    let report = bench.generate(&["--runs", "60"]);
    let next = bench.function("next");
    assert_eq!(next["findings"].as_array().map(Vec::len), Some(0), "{report}");
    assert!(report.contains("ring is not null"), "it is assumed: {report}");
}

#[test]
fn what_holds_for_a_type_holds_wherever_it_is_a_parameter() {
    let text = "\
typedef struct ring { int head; int slots[16]; } ring_t;
int peek(const ring_t *ring)
{
    if (ring->head >= 16)
        return -1;
    return ring->slots[ring->head];
}
int top(struct ring ring) { return ring.slots[ring.head]; }
int put(int value) { return value; }
";
    let bench = Bench::new(text);
    bench.write("testwright.toml", "[type.ring]\nholds = [\"head >= 0\", \"head < 16\"]\n");
    let report = bench.generate(&["--runs", "60"]);
    for function in ["peek", "top"] {
        assert_eq!(bench.function(function)["findings"].as_array().map(Vec::len), Some(0), "{report}");
    }
    assert_eq!(bench.uncovered("peek").len(), 1, "head is never 16 or more: {report}");
    bench.check();
}

#[test]
fn what_cannot_hold_for_a_type_is_refused_with_its_line() {
    let bench =
        Bench::new("struct ring { int head; };\nint peek(const struct ring *ring) { return ring->head; }\n");
    bench.write("testwright.toml", "[type.wheel]\nholds = \"head < 16\"\n");
    let message = bench.refused(&["--runs", "10"]);
    assert!(
        message.contains("testwright.toml:1: no function has a parameter that is a `wheel`"),
        "{message}"
    );
    bench.write("testwright.toml", "[type.ring]\nholds = \"hat < 16\"\n");
    let message = bench.refused(&["--runs", "10"]);
    assert!(message.contains("testwright.toml:2: ") && message.contains("hat"), "{message}");
    bench.write("testwright.toml", "[type.ring]\nholds = 3\n");
    let message = bench.refused(&["--runs", "10"]);
    assert!(message.contains("testwright.toml:2: `holds` is an expression"), "{message}");
}

#[test]
fn a_macro_about_what_is_no_parameter_is_refused_with_its_line() {
    let text = "#include \"testwright.h\"\nint f(const int *items, int n)\n{\n    TESTWRIGHT_LENGTH(itens, n);\n    return n;\n}\n";
    let bench = Bench::new(text);
    let header = bench.verb("header").output().expect("testwright starts");
    bench.write("testwright.h", &check_success(&header));
    let message = bench.refused(&["--runs", "5"]);
    assert!(
        message.contains("subject.c:4: `f` has no parameter `itens`; did you mean `items`?"),
        "{message}"
    );
}

#[test]
fn what_only_a_contract_makes_impossible_is_said_to_be_so() {
    const SIGN: &str = "int sign(int x)\n{\n    if (x < 0)\n        return -1;\n    if (x != x)\n        return 1;\n    return 0;\n}\n";
    let reasons = |contract: &str| {
        let bench = Bench::new(SIGN);
        bench.write("testwright.toml", contract);
        bench.generate(&["--runs", "50"]);
        bench.uncovered("sign").into_iter().map(|(line, _, reason)| (line, reason)).collect::<Vec<_>>()
    };
    let free = "proved infeasible: every path was explored";
    let bound = "proved infeasible: every path that the stated contract allows was explored";
    assert_eq!(reasons(""), [(5, free.to_owned())]);
    for contract in ["range = { x = [0, 9] }", "requires = [\"x >= 0\"]"] {
        let both = [(3, bound.to_owned()), (5, bound.to_owned())];
        assert_eq!(reasons(&format!("[function.sign]\n{contract}\n")), both, "{contract}");
    }
}

#[test]
fn what_a_condition_calls_is_not_covered_by_the_condition() {
    // Only the condition calls `is_small`, which cannot be called by itself.
    let bench = Bench::new(
        "int is_small(long double scale, int x) { if (x < 100) return 1; return 0; }
        int pick(int x) { if (x == 1000) return is_small(0, x); return x > 7; }",
    );
    bench.write("testwright.toml", "[function.pick]\nrequires = [\"is_small(1, x)\"]\n");
    let printed = bench.generate(&["--runs", "50"]);
    assert_eq!(bench.function("is_small")["branches"]["covered"], 0, "{printed}");
    assert_eq!(bench.function("pick")["branches"]["covered"], 1, "{printed}");
}
