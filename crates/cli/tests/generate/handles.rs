//! Handles: structs that a file only declares come from the functions that return them.

use crate::support::{Bench, check_success};

const HEADER: &str = "typedef struct stack stack;
stack *stack_new(int capacity);
stack *stack_of(const char *text);
int stack_pop(stack *s, int *value);
int stack_size(const stack *s);
";

const STACK: &str = "#include \"stack.h\"
#include <stdlib.h>
#include <string.h>
struct stack { int size, capacity; int items[20]; };
stack *stack_new(int capacity)
{
    stack *s = capacity > 0 && capacity <= 20 ? calloc(1, sizeof *s) : NULL;
    if (s)
        s->capacity = capacity;
    return s;
}
stack *stack_of(const char *text)
{
    size_t length = strlen(text);
    stack *s = length > 20 ? NULL : stack_new((int)length);
    for (size_t i = 0; s && i < length; i++)
        s->items[s->size++] = text[i];
    return s;
}
int stack_pop(stack *s, int *value)
{
    if (s->size == 0)
        return 0;
    *value = s->items[--s->size];
    return 1;
}
int stack_size(const stack *s) { return s->size; }
";

const USER: &str = "#include \"stack.h\"
int top_two(stack *s, int limit)
{
    int a, b;
    if (!s)
        return -1;
    if (stack_size(s) < 2)
        return -2;
    stack_pop(s, &a);
    stack_pop(s, &b);
    if (a == 'x' && b == 'y')
        return 7;
    return a + b > limit;
}
";

/// A file that uses stacks, with one that knows what they are.
fn bench(user: &str) -> Bench {
    let bench = Bench::new(user);
    bench.write("stack.h", HEADER);
    bench.write("stack.c", STACK);
    bench
}

#[test]
fn a_struct_that_the_file_only_declares_is_made_by_functions_that_return_it() {
    let bench = bench(USER);
    let printed = bench.generate(&["stack.c", "--function", "top_two", "--runs", "400"]);
    let function = bench.function("top_two");
    assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{printed}");
    assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    bench.check();
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("    stack *s = stack_of(text);\n\n    int result = top_two(s, "), "{text}");
    assert!(text.contains("    const char text[] = \"yx\";\n"), "{text}");
    assert!(text.contains("stack *s = stack_new("), "{text}");
    assert!(!text.contains("how"), "how it is said in cases is nothing for tests: {text}");
    check_success(&bench.verb("replay").arg("out").output().expect("it starts"));
}

#[test]
fn a_handle_that_could_not_be_made_is_no_finding() {
    let bench = bench(
        "#include \"stack.h\"\nint top_is(stack *s, int wanted)\n{\n    int top;\n    if (!stack_pop(s, &top))\n        \
         return -1;\n    return top == wanted;\n}\n",
    );
    let printed = bench.generate(&["stack.c", "--function", "top_is", "--runs", "300"]);
    let function = bench.function("top_is");
    assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{printed}");
    assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    assert!(printed.contains("s is not null"), "{printed}");
}

#[test]
fn a_handle_that_is_stated_to_be_there_is_never_null() {
    let bench = bench(USER);
    bench.write("testwright.toml", "[function.top_two]\nnon_null = [\"s\"]\n");
    let printed = bench.generate(&["stack.c", "--function", "top_two", "--runs", "400"]);
    let left = bench.uncovered("top_two");
    let lines: Vec<(u64, &str)> = left.iter().map(|(line, outcome, _)| (*line, outcome.as_str())).collect();
    assert_eq!(lines, [(5, "false")], "{printed}");
    bench.check();
}

#[test]
fn a_case_says_who_makes_a_handle() {
    let bench = bench(USER);
    let case = r#"{"s": {"how": "stack_of", "stack_of": {"text": "yx"}}, "limit": 0}"#;
    let mut command = bench.verb("run");
    command.args(["subject.c", "stack.c", "--function", "top_two", "--case", case]);
    let printed = check_success(&command.output().expect("it starts"));
    assert!(printed.starts_with("top_two(stack_of(\"yx\"), 0)\n  returned  7\n"), "{printed}");
}
