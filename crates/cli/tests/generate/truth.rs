//! Nothing is called infeasible that something outside of the search could bring about.

use crate::support::Bench;

/// One function per line, each with one goal that is feasible natively, and what is said about it.
const FEASIBLE: &[(&str, &str)] = &[
    (
        "extern void fill(int *); int f0(void) { int a[4] = {0, 0, 0, 0}; fill(a); if (a[2] == 77) return 1; return 0; }",
        "all that `fill` may write behind the pointers it is given: it is not defined in these files",
    ),
    (
        "int g1; extern void bump(void); int f1(void) { g1 = 0; bump(); if (g1 == 5) return 1; return 0; }",
        "what `bump` may change in global variables: it is not defined in these files",
    ),
    (
        "static int g2; static void on(int x) { g2 = x; } extern void each(void (*)(int)); int f2(void) { g2 = 0; each(on); if (g2 == 9) return 1; return 0; }",
        "calls that `each` may make of the functions it is given",
    ),
    (
        "extern void *get(void); int f3(void) { int *p = get(); int x = p ? *p : 0; if (x == 3) return 1; return 0; }",
        "all that `get` may return",
    ),
    (
        "extern const int limit; int f4(void) { if (limit == 4) return 1; return 0; }",
        "other values of `limit`: it is only declared, name the file that defines it",
    ),
    (
        "extern const int sizes[]; int f5(void) { if (sizes[20] == 4) return 1; return 0; }",
        "all elements of `sizes`: it is declared without a length",
    ),
    (
        "int f6(unsigned long a) { if (*(int *)(a | 8) == 3) return 1; return 0; }",
        "other memory behind the number used as a pointer on line 7",
    ),
    (
        "int f7(void) { *(unsigned *)0x40021000 = 1; if (*(unsigned *)0x40021000 == 5) return 1; return 0; }",
        "other values at the fixed address 0x40021000 on line 8",
    ),
    (
        "union u8 { struct { char a; int b; } parts; struct { short c; int d; } others; } g8; int f8(void) { if (*(long *)&g8 == 0x1234567890abcdef) return 1; return 0; }",
        "other values of global variables",
    ),
    (
        "volatile int g9; int f9(void) { g9 = 1; if (g9 == 2) return 1; return 0; }",
        "other values of what is volatile on line 10",
    ),
    (
        "long double g10; int f10(void) { if (g10 > 3.0L) return 1; return 0; }",
        "other values of type `long double` on line 11",
    ),
    (
        "int f11(void) { unsigned t; __asm__ volatile(\"movl $0, %0\" : \"=r\"(t)); if (t == 9) return 1; return 0; }",
        "other results of the inline assembly on line 12",
    ),
    (
        "int f12(int x) { int y = x + 1; if (y < x) return 1; return 0; }",
        "what would follow where runs ended badly on line 13 (signed overflow in an addition)",
    ),
    (
        "__attribute__((weak)) int policy(void) { return 0; } int f13(void) { if (policy() == 5) return 1; return 0; }",
        "another definition of `policy`, which is weak",
    ),
    (
        "static int g14; int *const gate = &g14; int f14(void) { if (g14 == 5) return 1; return 0; }",
        "other values of `g14`, which a pointer leads to",
    ),
    (
        "int f15(int x) { int a[2]; a[x & 1] = 1; if (a[1] == 7) return 1; return 0; }",
        "other values of a variable that may not be set on line 16",
    ),
];

#[test]
fn what_others_may_bring_about_is_never_proved_infeasible() {
    let lines: Vec<&str> = FEASIBLE.iter().map(|(line, _)| *line).collect();
    let bench = Bench::new(&lines.join("\n"));
    bench.generate(&["--runs", "40"]);
    for (index, (line, expected)) in FEASIBLE.iter().enumerate() {
        let uncovered = bench.uncovered(&format!("f{index}"));
        let goal = uncovered.iter().rfind(|(_, outcome, _)| outcome == "true");
        let (_, _, reason) = goal.unwrap_or_else(|| panic!("{line}: all is covered"));
        assert!(reason.contains(expected), "{line}\n`{reason}` should tell of `{expected}`");
        assert!(!reason.contains("proved"), "{line}\n{reason}");
    }
}

#[test]
fn what_comes_before_a_doubt_is_proved_all_the_same() {
    let text = "
extern void report(int *code);
int check(unsigned x)
{
    int code = 0;
    if (x % 8 == 9)
        code = 1;
    report(&code);
    if (code == 2)
        return 1;
    return 0;
}
";
    let bench = Bench::new(text);
    bench.generate(&["--runs", "50"]);
    let uncovered = bench.uncovered("check");
    let first = uncovered.iter().find(|(line, ..)| *line == 6).expect("no remainder is 9");
    assert_eq!(first.2, "proved infeasible: every path was explored");
    assert!(uncovered.iter().all(|(line, _, reason)| *line == 6 || !reason.contains("proved")));
}

#[test]
fn code_that_is_followed_completely_is_still_proved() {
    let text = "
#include <string.h>
static const short steps[8] = {3, 1, 4, 1, 5, 9, 2, 6};
extern unsigned sample(void);
static int limited(int x) { return x < 0 ? 0 : x > 100 ? 100 : x; }
int table(unsigned i) { if (steps[i & 7] == 8) return 1; return 0; }
int array(unsigned x) { unsigned a[3] = {1, 2, 3}; if (a[x % 3] == 4) return 1; return 0; }
int callee(int x) { if (limited(x) == 101) return 1; return 0; }
int length(int x) { if (strlen(x > 3 ? \"abc\" : \"abcd\") == 5) return 1; return 0; }
int answer(void) { unsigned level = sample() & 7; if (level == 9) return 1; return 0; }
int between(double x) { if (x > 1.0) { if (x < 0.5) return 1; } return 0; }
";
    let bench = Bench::new(text);
    bench.generate(&["--runs", "60"]);
    for function in ["table", "array", "callee", "length", "answer", "between"] {
        let uncovered = bench.uncovered(function);
        let reasons: Vec<&str> = uncovered.iter().map(|(_, _, reason)| reason.as_str()).collect();
        assert_eq!(reasons, ["proved infeasible: every path was explored"], "{function}");
    }
}
