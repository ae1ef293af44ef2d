//! Sequences: structs that the code makes itself are made by calls, and changed by others.

use crate::support::{Bench, check_success};

const TABLE: &str = "#include <stdlib.h>
struct item { struct item *next; int key; };
struct table { unsigned check, mask; int count; struct item **slots; };
struct table *table_new(unsigned slots)
{
    if (slots == 0 || slots > 4096 || (slots & (slots - 1)))
        return NULL;
    struct table *t = malloc(sizeof *t);
    t->check = slots * 2654435761u;
    t->mask = slots - 1;
    t->count = 0;
    t->slots = calloc(slots, sizeof *t->slots);
    return t;
}
int table_add(struct table *t, int key)
{
    struct item *i = malloc(sizeof *i);
    i->key = key;
    i->next = t->slots[key & t->mask];
    t->slots[key & t->mask] = i;
    return ++t->count;
}
void table_free(struct table *t)
{
    free(t->slots);
    free(t);
}
int table_find(const struct table *t, int key)
{
    if (t->slots[0] && t->slots[0]->key == key * 2 + 40)
        return 2;
    if (t->mask == 63 && t->count == 1)
        return 1;
    return 0;
}
";

#[test]
fn a_struct_is_made_and_changed_by_the_functions_of_the_code() {
    let bench = Bench::new(TABLE);
    let printed = bench.generate(&["--function", "table_find", "--runs", "400"]);
    let function = bench.function("table_find");
    assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{printed}");
    bench.check();
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("    struct table *t = table_new("), "{text}");
    assert!(text.contains("    table_add(t, "), "{text}");
    assert!(!text.contains("table_free"), "what ends the life of a struct does not prepare it: {text}");
    check_success(&bench.verb("replay").arg("out").output().expect("it starts"));
}

#[test]
fn sequences_can_be_left_out() {
    let bench = Bench::new(TABLE);
    bench.generate(&["--function", "table_find", "--runs", "400", "--without", "sequences"]);
    assert!(!bench.read("out/subject_test.c").contains("table_new"));
}

#[test]
fn what_could_not_be_made_is_no_finding() {
    let bench = Bench::new(
        "#include <stdlib.h>\nstruct cell { int value; };\nstruct cell *cell_new(int value)\n{\n    if (value < 3)\n        \
         return NULL;\n    struct cell *c = malloc(sizeof *c);\n    c->value = value;\n    return c;\n}\n\
         int cell_value(const struct cell *c)\n{\n    return c->value == 77 ? 1 : 0;\n}\n",
    );
    let printed = bench.generate(&["--function", "cell_value", "--runs", "300"]);
    let function = bench.function("cell_value");
    assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{printed}");
    assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
}

#[test]
fn a_case_lists_the_calls_before() {
    let bench = Bench::new(TABLE);
    let run = |case: &str| {
        let mut command = bench.verb("run");
        command.args(["subject.c", "--function", "table_find", "--case", case]);
        let output = command.output().expect("it starts");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let made = r#"{"call": "table_new", "args": [1]}"#;
    let printed = run(&format!(
        r#"{{"calls": [{made}, {{"call": "table_add", "args": [{{"@call": 0}}, 46]}}], "args": [{{"@call": 0}}, 3]}}"#
    ));
    assert!(printed.starts_with("r0 = table_new(1); table_add(r0, 46); table_find(r0, 3)\n"), "{printed}");
    assert!(printed.contains("returned  2"), "{printed}");
    let wrong = [
        (r#"{"calls": [], "args": [{"@call": 0}, 3]}"#, "0 is none of the 0 calls before"),
        (r#"{"calls": [{"call": "table_mew", "args": [1]}], "args": [{"@call": 0}, 3]}"#, "table_new"),
        (r#"{"calls": [{"args": [1]}], "args": [null, 3]}"#, "a call is written"),
    ];
    for (case, told) in wrong {
        let printed = run(case);
        assert!(printed.contains("does not fit") && printed.contains(told), "{printed}");
    }
}

/// A world of objects that need each other, in two files.
const WORLD: [(&str, &str); 3] = [
    (
        "world.h",
        "typedef struct { int open; struct node *first; } world;
struct node { struct node *next; int value; world *home; };
typedef struct { world *w; struct node *n; int mode; } state;
world *world_new(void);
struct node *node_new(world *w, int value);
",
    ),
    (
        "made.c",
        "#include <stdlib.h>
#include \"world.h\"
world *world_new(void)
{
    world *w = calloc(1, sizeof *w);
    w->open = (int)((unsigned)rand() | 1);
    return w;
}
struct node *node_new(world *w, int value)
{
    if (!(w->open & 1))
        return NULL;
    struct node *n = malloc(sizeof *n);
    n->next = w->first;
    n->value = value;
    n->home = w;
    w->first = n;
    return n;
}
",
    ),
    (
        "subject.c",
        "#include \"world.h\"
int node_sum(const struct node *n)
{
    int sum = 0;
    for (; n; n = n->next)
        sum += n->home->first ? n->value % 64 : 0;
    return sum > 30 ? 1 : 0;
}
int state_step(state *s)
{
    if (s->n->home != s->w)
        return -2;
    return s->mode == 5 && s->n->value > 3;
}
",
    ),
];

#[test]
fn what_a_creator_needs_is_made_first_and_objects_lead_to_what_was_made() {
    let bench = Bench::new("");
    for (name, text) in WORLD {
        bench.write(name, text);
    }
    let mut command = bench.verb("generate");
    let options = ["--function", "node_sum", "--function", "state_step", "--runs", "300", "--out", "out"];
    command.args(["subject.c", "made.c"]).args(options).args(["--criteria", "branch"]);
    let output = command.output().expect("it starts");
    check_success(&output);
    bench.check();
    let text = bench.read("out/subject_test.c");
    let nested = "    world *w = world_new();\n    struct node *n = node_new(w, ";
    assert!(text.contains(nested), "{text}");
    let linked = "    world *w = world_new();\n    s.w = w;\n    struct node *s_n = node_new(w, ";
    assert!(text.contains(linked), "{text}");
    check_success(&bench.verb("replay").arg("out").output().expect("it starts"));
}

#[test]
fn an_object_gets_its_first_state_from_the_function_that_is_named_for_it() {
    let bench = Bench::new(
        "#include <stdlib.h>
struct queue { const int *order; unsigned mask; int count; };
static const int plain;
int queue_init(struct queue *q, unsigned size)
{
    if (size == 0 || (size & (size - 1)))
        return -1;
    q->order = &plain;
    q->mask = size - 1;
    q->count = 0;
    return 0;
}
int queue_is_large(const struct queue *q)
{
    if (q->order == &plain && q->mask == 127)
        return 1;
    return 0;
}
",
    );
    let printed = bench.generate(&["--function", "queue_is_large", "--runs", "400"]);
    let function = bench.function("queue_is_large");
    assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{printed}");
    bench.check();
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("    queue_init(&q, 128);\n"), "{text}");
}

#[test]
fn a_call_before_that_does_not_return_says_nothing_of_the_function_under_test() {
    let bench = Bench::new(
        "#include <stdlib.h>
struct cell { int value; };
struct cell *cell_new(int value)
{
    struct cell *c = malloc(sizeof *c);
    c->value = 100 / (value - 2);
    if (value > 5)
        exit(3);
    while (value == 5)
        ;
    return c;
}
int cell_value(const struct cell *c)
{
    return c->value == -50 ? 1 : 0;
}
",
    );
    let run = |given: i32| {
        let case =
            format!(r#"{{"calls": [{{"call": "cell_new", "args": [{given}]}}], "args": [{{"@call": 0}}]}}"#);
        let mut command = bench.verb("run");
        let output = command.args(["subject.c", "--function", "cell_value", "--case", &case]).output();
        String::from_utf8_lossy(&output.expect("it starts").stdout).into_owned()
    };
    assert!(run(0).contains("returned  1"), "{}", run(0));
    for given in [2, 5, 6] {
        let printed = run(given);
        assert!(printed.contains("ended     a call before it did not return"), "{printed}");
        assert!(printed.contains("hit       0 of "), "nothing is covered: {printed}");
    }
    let printed = bench.generate(&["--function", "cell_value", "--runs", "300"]);
    let function = bench.function("cell_value");
    assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{printed}");
    assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    bench.check();
}

#[test]
fn static_functions_of_other_files_make_nothing() {
    let bench =
        Bench::new("#include \"cell.h\"\nint cell_value(struct cell *c)\n{\n    return c->value == 7;\n}\n");
    bench.write("cell.h", "struct cell { int value; };\nint cell_keep(int value);\n");
    bench.write(
        "cell.c",
        "#include \"cell.h\"
static struct cell kept;
static void cell_init(struct cell *c, int value)
{
    c->value = value;
}
int cell_keep(int value)
{
    cell_init(&kept, value);
    return kept.value;
}
",
    );
    let mut command = bench.verb("generate");
    command.args(["subject.c", "cell.c", "--function", "cell_value", "--runs", "200", "--out", "out"]);
    check_success(&command.output().expect("it starts"));
    bench.check();
    let text = bench.read("out/subject_test.c");
    assert!(!text.contains("cell_init"), "{text}");
    assert!(text.contains("TEST("), "{text}");
}
