//! Queries: tests ask the code about objects that only its own functions know.

use crate::support::{Bench, check_success};
use serde_json::Value;

/// A stack that knows where it lies, so that no test can make one field by field.
const HEADER: &str = "struct stack;
struct stack *stack_new(void);
void stack_push(struct stack *s, int value);
void stack_add_all(struct stack *s);
int stack_drop(struct stack *s);
int stack_count(const struct stack *s);
int stack_top(struct stack *s);
const char *stack_state(const struct stack *s);
void stack_give_up(struct stack *s);
";

const STACK: &str = "#include \"stack.h\"
#include <stdint.h>
#include <stdlib.h>
struct stack { uintptr_t seal; int count; int items[16]; };
static void check(const struct stack *s)
{
    if (s->seal != (uintptr_t)s * 2654435761u)
        abort();
}
static void release(void *p) { free(p); }
struct stack *stack_new(void)
{
    struct stack *s = calloc(1, sizeof *s);
    if (s)
        s->seal = (uintptr_t)s * 2654435761u;
    return s;
}
void stack_push(struct stack *s, int value)
{
    check(s);
    s->items[s->count++ & 15] = value;
}
int stack_drop(struct stack *s)
{
    check(s);
    return s->count ? s->items[--s->count & 15] : -1;
}
int stack_count(const struct stack *s)
{
    check(s);
    return s->count;
}
int stack_top(struct stack *s)
{
    check(s);
    if (s->count == 0)
        abort();
    return s->items[(s->count - 1) & 15];
}
const char *stack_state(const struct stack *s)
{
    check(s);
    return s->count ? \"filled\" : \"empty\";
}
void stack_give_up(struct stack *s)
{
    check(s);
    release(s);
}
";

fn bench() -> Bench {
    let bench = Bench::new(STACK);
    bench.write("stack.h", HEADER);
    bench
}

/// The bodies of the tests in which a function is called under test, after the empty line.
fn bodies(text: &str, call: &str) -> Vec<String> {
    let tests = text.split("TEST(").skip(1);
    tests.filter(|test| test.contains(&format!("\n\n    {call}"))).map(str::to_owned).collect()
}

#[test]
fn what_a_function_does_to_an_object_that_a_call_made_is_asked() {
    let bench = bench();
    let printed = bench.generate(&["--runs", "300"]);
    bench.check();
    let text = bench.read("out/subject_test.c");
    let push = bodies(&text, "stack_push(s, ").join("");
    assert!(push.contains("    struct stack *s = stack_new();\n\n    stack_push(s, "), "{printed}\n{text}");
    assert!(push.contains("    CHECK_EQ(stack_count(s), 1);\n"), "{text}");
    assert!(push.contains("    CHECK_STR(stack_state(s), \"filled\");\n"), "{text}");
    assert!(push.contains("    CHECK_EQ(stack_top(s), "), "{text}");
    // It aborts where there is nothing on top, and what drops an element is no question.
    let emptied = bodies(&text, "int result = stack_drop(s);").join("");
    assert!(emptied.contains("CHECK_EQ(stack_count(s), 0);"), "{text}");
    assert!(!emptied.contains("stack_top") && !text.contains("(stack_drop(s)"), "{text}");
    // Nothing is left to be asked.
    assert!(bodies(&text, "stack_give_up(s);").is_empty(), "{text}");
    check_success(&bench.verb("replay").arg("out").output().expect("it starts"));

    let broken = STACK.replace("s->items[s->count++ & 15] = value", "s->items[s->count & 15] = value");
    assert_ne!(broken, STACK);
    bench.write("subject.c", &broken);
    assert!(!bench.make(&["check", "CC=gcc"]).status.success(), "what is asked has changed");
    let replayed = bench.verb("replay").arg("out").output().expect("it starts");
    assert_eq!(replayed.status.code(), Some(2));
    let told = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(told.contains("stack_push leaves what stack_count returns as 0, before 1"), "{told}");
}

#[test]
fn the_same_seed_asks_the_same() {
    let texts = [bench(), bench()].map(|bench| {
        bench.generate(&["--runs", "300"]);
        bench.read("out/subject_test.c")
    });
    assert!(texts[0].contains("stack_count(s), 1") && texts[0] == texts[1]);
}

#[test]
fn queries_can_be_left_out_and_older_suites_have_none() {
    let bench = bench();
    bench.generate(&["--function", "stack_push", "--runs", "300"]);
    let path = "out/cases/index.json";
    let mut index: Value = serde_json::from_str(&bench.read(path)).expect("the index is JSON");
    let cases = index["cases"].as_array_mut().expect("a list of cases");
    let removed: Vec<Value> =
        cases.iter_mut().filter_map(|case| case.as_object_mut()?.remove("queries")).collect();
    assert_eq!(removed.len(), 1, "{removed:?}");
    assert_eq!(removed[0][0]["function"], "stack_count");
    bench.write(path, &index.to_string());
    check_success(&bench.verb("replay").arg("out").output().expect("it starts"));

    let output = bench
        .verb("generate")
        .args(["subject.c", "--function", "stack_push", "--runs", "300", "--criteria", "branch"])
        .args(["--without", "queries", "--out", "without"])
        .output()
        .expect("it starts");
    check_success(&output);
    assert!(!bench.read("without/subject_test.c").contains("stack_count"));
}

#[test]
fn all_formats_ask_and_a_static_function_of_another_file_is_not_asked() {
    let bench = Bench::new(
        "#include \"stack.h\"\nvoid stack_add_all(struct stack *s)\n{\n    stack_push(s, 3);\n    stack_push(s, 4);\n}\n",
    );
    bench.write(
        "stack.h",
        &HEADER.replace("struct stack;", "struct stack { unsigned long seal; int count; int items[16]; };"),
    );
    let inner = "struct stack { uintptr_t seal; int count; int items[16]; };\n";
    let hidden = "static int stack_hidden(const struct stack *s) { return s->count * 2; }\n\
                  int stack_twice(const struct stack *s) { return stack_hidden(s); }\n";
    bench.write("made.c", &(STACK.replace(inner, "") + hidden));
    let output = bench
        .verb("generate")
        .args(["subject.c", "made.c", "--function", "stack_add_all", "--runs", "300", "--out", "out"])
        .args(["--criteria", "branch", "--format", "plain,cmocka,gtest"])
        .output()
        .expect("it starts");
    let printed = check_success(&output);
    bench.check();
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("CHECK_EQ(stack_count(s), 2);"), "{printed}\n{text}");
    assert!(text.contains("CHECK_STR(stack_state(s), \"filled\");"), "{text}");
    assert!(!text.contains("stack_hidden"), "{text}");
    let cmocka = bench.read("out/subject_cmocka.c");
    assert!(cmocka.contains("assert_int_equal(stack_count(s), 2);"), "{cmocka}");
}
