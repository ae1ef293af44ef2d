//! Functions that nobody defines: their answers are inputs, and the tests say what they are.

use crate::support::{Bench, check_success, compilers};
use std::process::Command;

const CLOCK: &str = include_str!("../../../../testdata/stubs/clock.c");
const CALLBACK: &str = include_str!("../../../../testdata/stubs/callback.c");
const NONDET: &str = include_str!("../../../../testdata/stubs/nondet.c");
const VARIABLES: &str = include_str!("../../../../testdata/stubs/variables.c");

#[track_caller]
fn check_all_branches(bench: &Bench, functions: &[(&str, u64)]) {
    for (name, total) in functions {
        let branches = bench.function(name)["branches"].clone();
        assert_eq!(
            (&branches["total"], &branches["covered"]),
            (&(*total).into(), &(*total).into()),
            "{name}"
        );
    }
}

#[test]
fn what_undefined_functions_return_write_and_point_to_is_found_and_scripted() {
    let bench = Bench::new(CLOCK);
    let report = bench.generate(&["--runs", "60"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    check_all_branches(
        &bench,
        &[("elapsed", 4), ("measure", 6), ("far_away", 4), ("weigh", 4), ("is_admin", 8)],
    );
    let tests = bench.read("out/subject_test.c");
    for line in [
        "read_clock_returns(0, 1234);",
        "read_sensor_returns(7);",
        "find_item_is_not_null(false);",
        "name_of_points_to(\"ro\");",
    ] {
        assert!(tests.contains(line), "{line} is not in {tests}");
    }
    bench.check();
}

#[test]
fn a_case_with_the_answers_of_a_test_runs_as_the_test_does() {
    let bench = Bench::new(CLOCK);
    let run = |case: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testwright"));
        command.current_dir(bench.path("."));
        let output = command.args(["run", "subject.c", "-f", "elapsed", "--case", case]).output();
        let output = output.expect("testwright starts");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let text = run(r#"{"globals": {"answers of read_clock": [5, 15]}}"#);
    assert!(text.contains("returned  10"), "{text}");
    // The last answer is given again.
    let text = run(r#"{"globals": {"answers of read_clock": [5]}}"#);
    assert!(text.contains("returned  0"), "{text}");
    let text = run(r#"{"globals": {"answers of read_clock": []}}"#);
    assert!(text.contains("answers are written [..], one per call, at least one"), "{text}");
    let text = run(r#"{"globals": {"answers of read_clok": [1]}}"#);
    assert!(text.contains("did you mean `answers of read_clock`?"), "{text}");
}

#[test]
fn functions_that_are_handed_over_are_stubs_or_null() {
    let bench = Bench::new(CALLBACK);
    let report = bench.generate(&["--runs", "80"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    check_all_branches(&bench, &[("order", 6), ("count_if", 6)]);
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("order_compare_returns(") && tests.contains(", order_compare_stub)"), "{tests}");
    bench.check();
}

#[test]
fn functions_that_structs_and_variables_hold_are_stubs_too() {
    let bench = Bench::new(
        "#include <stddef.h>
        struct hooks { void *(*allocate)(size_t size); int (*grade)(const char *name); };
        typedef int (*notify)(int what);
        notify listener;
        int make(struct hooks *hooks, size_t size)
        {
            char *memory = hooks->allocate(size);
            if (memory == NULL) return -1;
            if (size != 0) memory[size - 1] = 1;
            if (hooks->grade == NULL) return 0;
            return hooks->grade(memory) == 77 ? 2 : 1;
        }
        int tell(int what)
        {
            if (listener == NULL) return 0;
            return listener(what) > 5;
        }",
    );
    let report = bench.generate(&["--runs", "120"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    check_all_branches(&bench, &[("make", 8), ("tell", 2)]);
    let tests = bench.read("out/subject_test.c");
    for line in [
        ".allocate = hooks_allocate_stub",
        "hooks_allocate_is_not_null(false);",
        "hooks_grade_returns(77);",
        "listener = notify_stub;",
    ] {
        assert!(tests.contains(line), "{line} is not in {tests}");
    }
    // What is allocated is as long as the code asked for.
    assert!(bench.read("out/testwright_stubs.h").contains("__builtin_calloc(1, (size_t)arg0)"));
    bench.check();
}

#[test]
fn a_test_comp_program_is_led_to_its_error_call() {
    let bench = Bench::new(NONDET);
    let report = bench.generate(&["--function", "main", "--runs", "60"]);
    let main = bench.function("main");
    assert_eq!(main["goals"]["error"]["covered"], 1, "{report}");
    assert!(report.contains("assertion failed"), "{report}");
    let findings = bench.read("out/findings.c");
    assert!(findings.contains("__VERIFIER_nondet_uchar_returns(42);"), "{findings}");
    bench.check();
    let output =
        Command::new("make").arg("-C").arg(bench.path("out")).arg("findings").output().expect("make starts");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn an_undefined_function_that_does_not_return_is_an_error_goal() {
    let bench = Bench::new(
        "extern void fatal(int code) __attribute__((noreturn));\nint half(int x)\n{\n    if (x == 77)\n        \
         fatal(x);\n    return x / 2;\n}\n",
    );
    let report = bench.generate(&["--runs", "20"]);
    assert!(report.contains("subject.c:5") && report.contains("abort: half(77)"), "{report}");
    assert_eq!(bench.function("half")["goals"]["error"]["covered"], 1, "{report}");
}

#[test]
fn what_a_stub_cannot_give_is_said() {
    let bench = Bench::new(
        "extern long double exact(void);\nint sign(void)\n{\n    if (exact() > 0)\n        return 1;\n    return 0;\n}\n",
    );
    bench.generate(&["--runs", "20"]);
    let uncovered = bench.uncovered("sign");
    let reason = "it returns zero, because values of type `long double` cannot be given";
    assert!(uncovered.iter().any(|(_, _, why)| why.contains(reason)), "{uncovered:?}");
}

/// What stubs do as the config file states it: one result of 256, a buffer that is filled, and an end.
const STATED: &str = "\
typedef unsigned long size_t;
int read_adc(void);
int receive(void *buffer, size_t n);
int fetch(char *text, int room);
void fatal(const char *why);
int scale(void)
{
    int raw = read_adc();
    if (raw > 255)
        return -1;
    if (raw == 200)
        return 1;
    return 1000 / (raw + 1);
}
int parse(size_t n)
{
    unsigned char frame[8];
    if (n > sizeof frame)
        fatal(\"too long\");
    receive(frame, n);
    if (n == 4 && frame[0] == 0x7e && frame[3] == 0x81)
        return 1;
    return 0;
}
int greeting(void)
{
    char text[6];
    fetch(text, 6);
    return text[0] == 'h' && text[1] == 'i' && text[5] == 0;
}
";

#[test]
fn stubs_do_what_is_stated_about_them() {
    let bench = Bench::new(STATED);
    bench.write(
        "testwright.toml",
        "[stub.read_adc]\nreturns = \"0..255\"\n[stub.receive]\nout = \"len(buffer) == n\"\n\
         [stub.fetch]\nout = \"len(text) == room\"\n[stub.fatal]\nnever_returns = true\n",
    );
    let report = bench.generate(&["--runs", "300"]);
    let scale = bench.function("scale");
    assert_eq!(
        (&scale["branches"]["covered"], scale["findings"].as_array().map(Vec::len)),
        (&3.into(), Some(0)),
        "{report}"
    );
    for (function, branches) in [("parse", 8), ("greeting", 6)] {
        assert_eq!(bench.function(function)["branches"]["covered"], branches, "{report}");
    }
    let parse = bench.function("parse");
    let findings = parse["findings"].as_array().expect("a list");
    assert!(
        !findings.iter().any(|finding| finding.to_string().contains("receive")),
        "nothing goes on after fatal: {report}"
    );
    let tests = bench.read("out/subject_test.c");
    assert!(
        tests.contains("receive_writes_buffer(") && tests.contains("fetch_writes_text(\"hi\")"),
        "{tests}"
    );
    bench.check();
}

#[test]
fn what_cannot_be_stated_about_a_stub_is_refused_with_its_line() {
    let bench = Bench::new(STATED);
    let check = |text: &str, expected: &str| {
        bench.write("testwright.toml", text);
        let message = bench.refused(&["--runs", "10"]);
        assert!(message.contains(expected), "{message}");
    };
    check("[stub.read_adcs]\n", "testwright.toml:1: `read_adcs` is not stubbed; did you mean `read_adc`?");
    check(
        "[stub.read_adc]\nreturns = \"few\"\n",
        "testwright.toml:2: `few` is no whole number; results are stated as",
    );
    check("[stub.read_adc]\nreturns = \"9..3\"\n", "testwright.toml:2: `9..3` is empty");
    check(
        "[stub.read_adc]\nreturns = \"0..4294967296\"\n",
        "returns lies between -2147483648 and 2147483647",
    );
    check("[stub.fatal]\nreturns = \"1\"\n", "`fatal` returns no whole number");
    check("[stub.fetch]\nout = \"text\"\n", "testwright.toml:2: what a function fills is stated as");
    check("[stub.fetch]\nout = \"len(txt) == room\"\n", "`fetch` has no parameter `txt`, but text, room");
    check(
        "[stub.fatal]\nout = \"len(why) == why\"\n",
        "`why` of `fatal` does not point to what can be filled",
    );
    check("[stub.fetch]\nout = \"len(text) == text\"\n", "`text` of `fetch` is no whole number");
}

#[test]
fn a_finding_says_what_stubs_answered_and_which_globals_were_set() {
    let bench = Bench::new(
        "extern int clock_now(void);\nint limit = 1;\nint slots(void)\n{\n    int now = clock_now();\n    \
         if (now == 4711 && limit == 12)\n        return 1 / (now - 4711);\n    return 0;\n}\n",
    );
    let report = bench.generate(&["--runs", "100"]);
    assert!(report.contains("slots() with "), "{report}");
    for part in ["clock_now() returning 4711", "limit = 12"] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn a_test_comp_case_has_the_answers_of_different_functions_in_the_order_of_the_calls() {
    let bench = Bench::new(
        "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         int main(void)\n{\n    int a = __VERIFIER_nondet_int();\n    unsigned char b = __VERIFIER_nondet_uchar();\n    \
         int c = __VERIFIER_nondet_int();\n    if (a == 5 && b == 6 && c == 7)\n        return 1;\n    return 0;\n}\n",
    );
    bench.generate(&["--function", "main", "--runs", "40", "--format", "testcomp"]);
    let wanted = "\
  <input variable=\"__VERIFIER_nondet_int\" type=\"int\">5</input>
  <input variable=\"__VERIFIER_nondet_uchar\" type=\"unsigned char\">6</input>
  <input variable=\"__VERIFIER_nondet_int\" type=\"int\">7</input>
</testcase>";
    let cases: Vec<String> =
        (1..=4).map(|number| bench.read(&format!("out/test-suite/test-{number}.xml"))).collect();
    assert!(cases.iter().any(|case| case.contains(wanted)), "{cases:#?}");
}

#[test]
fn variables_that_nobody_defines_are_inputs_and_a_definition_elsewhere_wins() {
    let bench = Bench::new(VARIABLES);
    let report = bench.generate(&["--runs", "100", "--function", "classify", "--function", "name_of"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    check_all_branches(&bench, &[("classify", 10)]);
    let tests = bench.read("out/subject_test.c");
    for line in ["    limit = ", "    offset = ", "    window = "] {
        assert!(tests.contains(line), "{line} is not in {tests}");
    }
    for compiler in compilers() {
        let compiler = format!("CC={compiler}");
        check_success(&bench.make(&["check", &compiler, "CFLAGS=-Wall -Wextra -Werror -O2"]));
    }
    // The tests still link when the real variables are there.
    bench.write("real.c", "int limit = 3;\nunsigned char table[8];\nconst char zone[] = \"UTC\";\n");
    let object = Command::new("cc").args(["-c", "real.c"]).current_dir(bench.path(".")).status();
    assert!(object.expect("cc starts").success());
    check_success(&bench.make(&["check", "LDFLAGS=../real.o"]));
}

/// Code that is included with its static functions brings macros that hide C's functions, and a lock that is volatile; a
/// function that nobody defines fills an array.
const HIDING: &str = "\
#include <stddef.h>
void *own_malloc(size_t);
int fill(char (*text)[4], int which);
#define malloc own_malloc
#define calloc undef
#define memcpy undef
#define abort undef
static volatile int lock[2];
static int first(int which)
{
    char text[4];
    lock[0] = which;
    if (malloc(4) == NULL)
        return -1;
    fill(&text, which);
    return text[0] == 'x' && text[2] == 'y' ? lock[1] : 0;
}
";

#[test]
fn stubs_stand_beside_code_that_hides_functions_behind_macros_and_fill_arrays() {
    let bench = Bench::new(HIDING);
    let report = bench.generate(&["--function", "first", "--runs", "60"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    let branches = bench.function("first")["branches"].clone();
    assert_eq!(branches["covered"], branches["total"], "{report}");
    assert!(bench.read("out/subject_test.c").contains("SET_ARRAY(lock, "), "{report}");
    bench.check();
}

#[test]
fn what_only_untested_code_calls_needs_no_types_in_the_tests() {
    // The test is built with the file of a static function, which does not know the struct that the other file uses.
    let bench = Bench::new(
        "int other(int a);\n\nstatic int tested(int a)\n{\n    return a > 3 ? other(a) : 0;\n}\n\n\
                            int user(int a)\n{\n    return tested(a);\n}\n",
    );
    bench.write(
        "second.c",
        "struct pair { int a, b; };\nstruct pair make_pair(struct pair first, double x);\n\nint other(int a)\n{\n    \
         return a;\n}\n\nint unrelated(int a)\n{\n    struct pair pair = {a, 1};\n    \
         return make_pair(pair, 2.0).b;\n}\n",
    );
    let report = bench.generate(&["second.c", "--function", "tested", "--runs", "20"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    check_all_branches(&bench, &[("tested", 2)]);
    assert!(!bench.read("out/testwright_stubs.h").contains("make_pair_returns"));
    bench.check();
}
