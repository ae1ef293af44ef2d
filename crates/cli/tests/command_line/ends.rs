//! Every kind of end is told from the others, with its place where there is one.

use crate::support::{call, run};

#[track_caller]
fn check(function: &str, case: &str, expected: &str) {
    let answer = run("ends.c", function, case);
    let line = answer.line("ended").map_or_else(
        || format!("returned {}", answer.line("returned").unwrap_or("?")).trim_end().to_owned(),
        str::to_owned,
    );
    assert_eq!(line, expected);
}

#[test]
fn a_return_shows_the_value() {
    check("returns", "[41]", "returned 42");
    check("returns_nothing", "[]", "returned");
}

#[test]
fn undefined_behaviour_is_a_trap_with_its_kind_and_place() {
    check("adds", r#"["INT_MAX", 1]"#, "trapped: signed overflow in an addition, at ends.c:13:35");
    check("divides", "[1, 0]", "trapped: division by zero or overflow in a division, at ends.c:14:38");
    check("shifts", "[1, 32]", "trapped: shift out of range, at ends.c:15:38");
    check("converts", "[1e20]", "trapped: float to integer conversion out of range, at ends.c:16:33");
    check("indexes", "[4]", "trapped: array index out of bounds, at ends.c:17:29");
    check("traps", "[]", "trapped: trap instruction, at ends.c:18:20");
}

#[test]
fn a_bad_access_is_a_segmentation_fault_with_its_address_and_place() {
    check("reads", "[null]", "segmentation fault (signal 11, address 0x0), at ends.c:19:34");
    let answer = run("ends.c", "writes", r#"[{"size": 8}, 8]"#);
    let end = answer.line("ended").expect("one byte past the end of an object cannot be written");
    assert!(end.starts_with("segmentation fault (signal 11, address 0x"), "{end}");
    assert!(end.ends_with(", at ends.c:20:36"), "{end}");
    check("writes", r#"[{"size": 8}, 7]"#, "returned");
}

#[test]
fn other_signals_are_named_by_number() {
    check("raises", "[10]", "signal 10, at ends.c:21:27");
}

#[test]
fn exit_keeps_its_status() {
    check("exits", "[3]", "exit(3)");
    check("exits_at_once", "[255]", "exit(255)");
}

#[test]
fn abort_and_a_failed_assertion_are_aborts() {
    check("aborts", "[]", "abort");
    check("asserts", "[1]", "returned");
    let answer = run("ends.c", "asserts", "[0]");
    assert_eq!(answer.line("ended"), Some("abort"));
    assert_eq!(answer.line("printed"), Some("ends.c:25: void asserts(int): Assertion `n > 0' failed."));
}

#[test]
fn endless_recursion_is_a_stack_overflow() {
    check("recurses", "[1000000]", "stack overflow");
    check("recurses", "[3]", "returned 6");
}

#[test]
fn a_double_free_is_told() {
    check("frees_twice", "[]", "free of something that is not allocated");
}

#[test]
fn what_the_code_prints_is_shown() {
    let answer = run("ends.c", "prints", r#"["you"]"#);
    assert!(answer.out.contains("  printed   hello you\n"), "{}", answer.out);
    assert!(answer.out.contains("  printed   to error\n"), "{}", answer.out);
}

#[track_caller]
fn check_limit(function: &str, case: &str, flag: [&str; 2], expected: &str) {
    let answer = call(&["run", "ends.c", "--function", function, "--case", case, flag[0], flag[1]]);
    assert_eq!(answer.status, 0, "{answer:?}");
    assert_eq!(answer.line("ended").or(answer.line("returned")), Some(expected), "{}", answer.out);
}

#[test]
fn the_step_limit_ends_a_loop() {
    check_limit("spins", "[1]", ["--steps", "1000"], "step limit");
    let answer = call(&["run", "ends.c", "-f", "spins", "--case", "[1]", "--steps", "1000"]);
    assert_eq!(answer.line("used"), Some("1000 steps"), "{}", answer.out);
    check_limit("spins", "[0]", ["--steps", "1000"], "0");
}

#[test]
fn the_wall_clock_limit_ends_a_wait() {
    check_limit("waits", "[]", ["--wall", "0.2"], "timeout");
}

#[test]
fn the_memory_limit_ends_a_run_that_takes_more() {
    check_limit("allocates", "[20]", ["--memory", "8"], "out of memory");
    check_limit("allocates", "[20]", ["--memory", "64"], "20");
}
