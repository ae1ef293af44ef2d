//! The examples, each run and checked.

use crate::support::{ROOT, answer, testwright};
use expect_test::{Expect, expect};
use std::path::Path;

fn call(verb: &[&str], file: &str, function: &str, case: &str) -> crate::support::Answer {
    let file = format!("examples/{file}.c");
    let arguments = [verb, &[&file, "--function", function, "--case", case]].concat();
    let answer = answer(testwright(Path::new(ROOT)).args(arguments));
    assert_eq!((answer.status, answer.err.as_str()), (0, ""), "{}", answer.out);
    answer
}

/// Runs an example with self-check.
#[track_caller]
fn check(file: &str, function: &str, case: &str, expected: &str) {
    let answer = call(&["run", "--self-check"], file, function, case);
    assert_eq!(answer.line("returned").or(answer.line("ended")), Some(expected), "{}", answer.out);
    assert!(answer.out.ends_with("  checked   run build, trace build and evaluator agree\n"));
}

#[test]
fn triangles_are_told_apart() {
    check("triangle", "triangle", "[3, 4, 5]", "1");
    check("triangle", "triangle", "[3, 3, 5]", "2");
    check("triangle", "triangle", "[3, 3, 3]", "3");
    check("triangle", "triangle", "[1, 2, 3]", "0");
    let overflow = "trapped: signed overflow in an addition, at examples/triangle.c:12:11";
    check("triangle", "triangle", r#"["INT_MAX", 1, 1]"#, overflow);
}

#[test]
fn settings_are_parsed() {
    check("strings", "parse_setting", r#"["port=8080"]"#, "SETTING_PORT");
    check("strings", "parse_setting", r#"["port=65536"]"#, "SETTING_BAD");
    check("strings", "parse_setting", r#"["level=7"]"#, "SETTING_LEVEL");
    check("strings", "parse_setting", r#"["name=me"]"#, "SETTING_NAME");
    check("strings", "check_setting", r#"["name", ""]"#, "SETTING_BAD");
}

#[test]
fn points_are_located() {
    let unit = r#"{"low": {"x": 0, "y": 0}, "high": {"x": 1, "y": 1}}"#;
    let located = |x: &str, y: &str, place: &str| {
        check("points", "locate", &format!(r#"[{{"x": {x}, "y": {y}}}, {unit}]"#), place);
    };
    located("0.5", "0.5", "PLACE_INSIDE");
    located("1", "0.5", "PLACE_EDGE");
    located("\"nan\"", "0.5", "PLACE_NOWHERE");
    located("\"inf\"", "0.5", "PLACE_OUTSIDE");
    check("points", "locate", r#"[{"x": 1, "y": 1}, null]"#, "PLACE_NOWHERE");
    check("points", "middle", r#"[[0, 0], [1, "DBL_MAX"]]"#, "{.x = 0.5, .y = 8.988465674311579e307}");
}

#[test]
fn checksums_are_right() {
    check("crc32", "crc32", r#"["123456789", 9]"#, "3421780262");
    check("crc32", "crc32_bitwise", r#"["123456789", 9]"#, "3421780262");
}

#[test]
fn base64_is_decoded() {
    check("base64", "base64_decode", r#"["Zm9v", 4, [0, 0, 0]]"#, "3");
    check("base64", "base64_decode", r#"["Zm9", 3, []]"#, "-1");
    check("base64", "base64_decode", r#"["Zm9 ", 4, [0, 0, 0]]"#, "-2");
    let answer = call(&["run"], "base64", "base64_decode", r#"["Zm9v", 4, [0, 0, 0]]"#);
    assert_eq!(answer.line("changed"), Some(r"*out: {'\0', '\0', '\0'} -> {'f', 'o', 'o'}"));
}

#[track_caller]
fn check_text(out: &str, expected: &Expect) {
    expected.assert_eq(out);
}

#[test]
fn the_report_lists_outcomes_and_distances() {
    let answer = call(&["run"], "triangle", "triangle", "[3, 3, 5]");
    check_text(
        &answer.out,
        &expect![[r#"
        triangle(3, 3, 5)
          returned  2
          hit       9 of 25 outcomes
                    examples/triangle.c:10:11 branch false
                    examples/triangle.c:10:21 branch false
                    examples/triangle.c:10:31 branch false
                    examples/triangle.c:12:15 branch false
                    examples/triangle.c:12:29 branch false
                    examples/triangle.c:12:43 branch false
                    examples/triangle.c:14:11 branch true
                    examples/triangle.c:14:21 branch false
                    examples/triangle.c:16:11 branch true
          missed by 1  examples/triangle.c:12:15 branch true
                    1  examples/triangle.c:14:11 branch false
                    1  examples/triangle.c:16:11 branch false
                    2  examples/triangle.c:14:21 branch true
                    3  examples/triangle.c:10:11 branch true
                    3  examples/triangle.c:10:21 branch true
                    5  examples/triangle.c:10:31 branch true
                    5  examples/triangle.c:12:29 branch true
                    5  examples/triangle.c:12:43 branch true
    "#]],
    );
}

#[test]
fn a_trace_says_which_checks_passed() {
    let answer = call(&["show", "trace"], "triangle", "triangle", "[1, 2, 3]");
    check_text(
        &answer.out,
        &expect![[r#"
        ; path condition of triangle(1, 2, 3)
        ; the run ended: returned
        (set-logic QF_BV)
        (declare-const a (_ BitVec 32))
        (declare-const b (_ BitVec 32))
        (declare-const c (_ BitVec 32))
        (define-fun saddo_32 ((x (_ BitVec 32)) (y (_ BitVec 32))) Bool (let ((r (bvadd ((_ sign_extend 1) x) ((_ sign_extend 1) y)))) (distinct ((_ extract 32 32) r) ((_ extract 31 31) r))))
        ; examples/triangle.c:10:11 branch 1 false
        (assert (not (bvslt a #x00000001)))
        ; examples/triangle.c:10:21 branch 3 false
        (assert (not (bvslt b #x00000001)))
        ; examples/triangle.c:10:31 branch 5 false
        (assert (not (bvslt c #x00000001)))
        ; examples/triangle.c:12:11 check 6 passed (signed overflow in an addition)
        (assert (not (saddo_32 a b)))
        ; examples/triangle.c:12:15 branch 8 true
        (assert (bvsle (bvadd a b) c))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn a_trace_that_ends_in_a_trap_says_which_check_failed() {
    let answer = call(&["show", "trace"], "triangle", "triangle", r#"["INT_MAX", 1, 1]"#);
    let check = "; examples/triangle.c:12:11 check 6 failed (signed overflow in an addition)\n";
    assert!(answer.out.contains(&format!("{check}(assert (saddo_32 a b))\n")), "{}", answer.out);
}

#[test]
fn library_calls_constrain_the_bytes_of_the_text() {
    let answer = call(&["show", "trace"], "strings", "check_setting", r#"["port", "80"]"#);
    // strcmp compares the name with "port" byte by byte, strtol looks at the digits.
    for constraint in [
        "; in strcmp branch ",
        "(assert (= |name[0]| #x70))\n",
        "(assert (= |name[3]| #x74))\n",
        "(assert (= |name[4]| #x00))\n",
        "|value[0]|",
    ] {
        assert!(answer.out.contains(constraint), "{constraint} is missing:\n{}", answer.out);
    }
    let answer = call(&["show", "trace"], "strings", "parse_setting", r#"["port=80"]"#);
    assert!(answer.out.contains("(assert (= |text[0]| #x70))\n"), "{}", answer.out);
    assert!(!answer.out.contains("tw_model"), "{}", answer.out);
    assert!(!answer.out.contains("_ZN"), "{}", answer.out);
}

#[test]
fn doubles_are_symbolic() {
    let case = r#"[{"x": 0.5, "y": 1}, {"low": {"x": 0, "y": 0}, "high": {"x": 1, "y": 1}}]"#;
    let answer = call(&["show", "trace"], "points", "locate", case);
    assert!(answer.out.contains("(set-logic QF_"), "{}", answer.out);
    assert!(answer.out.contains("fp.leq"), "{}", answer.out);
}
