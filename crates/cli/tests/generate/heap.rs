//! The heap in tests: objects that the code frees are allocated, and allocations fail where that shows something.

use crate::support::{Bench, check_success, compilers, sanitizers};

/// Frees what it is given: a list with texts, a buffer that it enlarges; and two that do so wrongly.
const FREEING: &str = "\
#include <stdlib.h>
struct node { int value; char *name; struct node *next; };
void list_free(struct node *list)
{
    while (list != NULL) {
        struct node *next = list->next;
        if (list->value > 10 && next != NULL && next->value == 7)
            free(list->name);
        free(list);
        list = next;
    }
}
char *enlarge(char *text, int by)
{
    if (text != NULL && by > 3 && text[0] == 'x')
        return realloc(text, by);
    return NULL;
}
int twice(char *text, int again) { if (text[0] != 'a') return 0; free(text); if (again == 3) free(text); return 1; }
int after(char *text, int again) { if (text[0] != 'a') return 0; free(text); if (again == 3) return text[0]; return 1; }
";

#[test]
fn what_the_code_frees_is_allocated_and_only_freeing_or_using_it_again_is_a_finding() {
    let bench = Bench::new(FREEING);
    let report = bench.generate(&["--runs", "300"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    let enlarge = bench.function("enlarge");
    assert_eq!(enlarge["branches"]["covered"], enlarge["branches"]["total"], "{report}");
    for name in ["list_free", "enlarge"] {
        assert_eq!(bench.function(name)["findings"].as_array().map(Vec::len), Some(0), "{name}: {report}");
    }
    // It returns nothing, and nothing is left of what it was given.
    assert!(report.contains("met only by a case after which nothing can be asserted"), "{report}");
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("char *text = NEW(char["), "{tests}");
    let findings = bench.read("out/findings.c");
    assert_eq!(findings.matches("FINDING(").count(), 2, "{findings}");
    for (name, kind) in [("twice", "free of something that is not allocated"), ("after", "use after free")] {
        assert_eq!(bench.function(name)["findings"][0]["kind"], kind, "{findings}");
    }
    assert_eq!(findings.matches("char *text = NEW(char[").count(), 2, "{findings}");
    check_success(&bench.make(&["findings", "CC=gcc"]));
    let flags = "CFLAGS=-g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all";
    check_success(&bench.make(&["check", "CC=gcc", flags]));
}

/// Fails in the middle of several allocations, through a pointer to `malloc` too; and never asks.
const ALLOCATING: &str = "\
#include <stdlib.h>
#include <string.h>
struct pair { char *left, *right; };
struct pair *pair_new(const char *left, const char *right)
{
    struct pair *pair = malloc(sizeof *pair);
    if (pair == NULL)
        return NULL;
    pair->left = calloc(strlen(left) + 1, 1);
    pair->right = malloc(strlen(right) + 1);
    if (pair->left == NULL || pair->right == NULL) {
        free(pair->left);
        free(pair->right);
        free(pair);
        return NULL;
    }
    strcpy(pair->left, left);
    strcpy(pair->right, right);
    return pair;
}
static void *(*hook)(size_t) = malloc;
static int hooked(void) { void *p = hook(4); if (!p) return -1; free(p); return 0; }
int copied(const char *name)
{
    char *copy = strdup(name), *start;
    if (copy == NULL)
        return -1;
    start = strndup(copy, 1);
    free(copy);
    if (start == NULL)
        return -2;
    free(start);
    return 0;
}
int careless(int n) { int *p = malloc(sizeof *p); *p = n; if (n > 3) n = *p; free(p); return n; }
int trusting(int n) { int *p = malloc(sizeof *p); *p = n; if (n > 3 && *p < 2) n = 9; free(p); return n; }
";

#[test]
fn allocations_fail_where_the_code_asks_and_code_that_does_not_ask_assumes_that_none_does() {
    let bench = Bench::new(ALLOCATING);
    let report = bench.generate(&["--runs", "200"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    for name in ["pair_new", "hooked", "copied", "careless"] {
        let function = bench.function(name);
        assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{name}: {report}");
        assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{name}: {report}");
    }
    let assumed = |name: &str| bench.function(name)["assumptions"].clone();
    assert_eq!(assumed("trusting")[0]["assumed"], "memory can be allocated", "{report}");
    assert_eq!(assumed("hooked").as_array().map(Vec::len), Some(0), "{report}");
    let tests = bench.read("out/subject_test.c");
    for number in 1..=3 {
        let line = format!("fail_allocation({number});");
        assert!(tests.contains(&line), "{line} is not in {tests}");
    }
    // Optimisers know that a block that is freed at once need not be allocated.
    for compiler in compilers() {
        for flags in ["-O2 -Wall -Wextra -Werror"].into_iter().chain(sanitizers(&compiler)) {
            check_success(&bench.make(&["check", &format!("CC={compiler}"), &format!("CFLAGS={flags}")]));
        }
    }
}

/// Allocates as much as it is told; what it was told is compared with something afterwards.
const SIZED: &str = "\
#include <stdlib.h>
int sized(unsigned long length)
{
    char *block = malloc(length);
    if (block == NULL)
        return -1;
    free(block);
    if (length > 9)
        return 1;
    return 0;
}
";

#[test]
fn a_size_that_must_change_stays_one_that_can_be_allocated() {
    let bench = Bench::new(SIZED);
    let report = bench.generate(&["--runs", "30"]);
    let branches = bench.function("sized")["branches"].clone();
    assert_eq!(branches["covered"], branches["total"], "{report}");
    let tests = bench.read("out/subject_test.c");
    let lengths =
        tests.split("sized(").skip(1).filter_map(|call| call.split(')').next()?.parse::<u64>().ok());
    let lengths: Vec<u64> = lengths.collect();
    assert!(lengths.iter().any(|length| (10..=1 << 16).contains(length)), "{lengths:?} in {tests}");
}
