//! Inputs of every shape: all branches are reached, and the tests compile and pass.

use crate::support::Bench;

/// All branches of all functions are covered, and nothing is called a finding.
#[track_caller]
fn covers_everything(text: &str) -> Bench {
    let bench = Bench::new(text);
    bench.generate_everything(&["--runs", "400"]);
    bench
}

#[test]
fn lists_grow_by_a_node_when_a_run_asks_for_the_next() {
    let bench = covers_everything(
        "struct node { int value; struct node *next; };
        int third(const struct node *n)
        {
            if (!n) return 0;
            if (!n->next) return 1;
            if (!n->next->next) return 2;
            if (n->next->next->value == 33) return 3;
            return 4;
        }",
    );
    assert!(bench.read("out/subject_test.c").contains(".value = 33"));
}

#[test]
fn pointers_that_are_followed_unasked_get_objects_and_are_no_findings() {
    covers_everything(
        "struct inner { int *number; };
        struct outer { int tag; struct inner *inner; };
        int deep(struct outer *o) { return *o->inner->number == 9; }
        int value(int **p) { if (**p > 4) return 1; return 0; }",
    );
}

#[test]
fn null_where_the_code_asks_for_it_and_then_follows_it_is_a_finding() {
    let bench = Bench::new(
        "int first(const int *p) { int seen = 0; if (!p) seen = 1; if (*p == 3) return 1; return seen; }",
    );
    bench.generate(&["--runs", "100"]);
    let findings = bench.function("first")["findings"].clone();
    assert_eq!(findings.as_array().map(Vec::len), Some(1), "{findings}");
}

#[test]
fn trees_and_cycles_are_built() {
    covers_everything(
        "struct tree { int key; struct tree *left, *right; };
        int has(const struct tree *t, int key)
        {
            while (t) {
                if (t->key == key) return 1;
                t = key < t->key ? t->left : t->right;
            }
            return 0;
        }
        int loops(struct tree *t) { return t && t->left == t; }
        int same(int *a, int *b) { return a == b ? 1 : *a == *b ? 2 : 3; }",
    );
}

#[test]
fn buffers_of_unknown_length_grow_until_what_is_read_is_there() {
    covers_everything(
        "int three(const int *a) { return a[0] == 1 && a[1] == 2 && a[2] == 3; }
        int fixed(int a[4]) { return a[3] == 7; }
        int option(int argc, char **argv)
        {
            if (argc < 2) return 1;
            return argv[1][0] == '-' && argv[1][1] == 'v';
        }
        int number(const char *s)
        {
            int v = 0;
            while (*s >= '0' && *s <= '9' && v < 1000) v = v * 10 + (*s++ - '0');
            return v > 100;
        }",
    );
}

#[test]
fn a_stated_length_makes_reading_past_it_a_finding() {
    let bench = Bench::new("int last(const int *a, int top) { return a[top] == 5; }");
    bench.generate(&["--runs", "50"]);
    assert_eq!(
        bench.function("last")["findings"].as_array().map(Vec::len),
        Some(0),
        "nothing says how long it is"
    );
    bench.write("testwright.toml", "[function.last]\nlength = { a = \"top\" }\n");
    bench.generate(&["--runs", "50"]);
    assert_ne!(bench.function("last")["findings"].as_array().map(Vec::len), Some(0), "one past the end");
}

#[test]
fn unions_are_varied_as_a_whole() {
    covers_everything(
        "union u { int i; float f; unsigned char b[8]; };
        int by_value(union u v) { if (v.b[6] == 7) return 1; return v.i == 5; }
        int behind(const union u *v) { if (v->f > 1.5f) return 1; return v->b[5] == 3; }",
    );
}

#[test]
fn globals_that_are_read_are_inputs_and_tables_that_nobody_writes_are_not() {
    let bench = covers_everything(
        "int level = 3;
        static int mode;
        static int table[3] = {4, 5, 6};
        void set_mode(int m) { mode = m; }
        int work(int x) { if (mode == 7 && level > 5) return table[x & 1]; return 0; }",
    );
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("mode = 7;"), "{tests}");
    assert!(!tests.contains("table"), "{tests}");
}

#[test]
fn all_classes_of_floats_are_reached() {
    covers_everything(
        "#include <math.h>
        int classify(double d)
        {
            if (isnan(d)) return 1;
            if (isinf(d)) return d > 0 ? 2 : 3;
            if (d != 0 && fabs(d) < 2.2250738585072014e-308) return 4;
            if (d == 0 && signbit(d)) return 5;
            return 0;
        }",
    );
}

#[test]
fn no_case_breaks_a_contract() {
    let bench = Bench::new(
        "int pick(const int *data, int how_many, int mode, int *out)
        {
            int large = 0;
            for (int i = 0; i < how_many; i++) large += data[i] > 4;
            if (!out) return -9;
            *out = large;
            if (mode > 3 || mode < 0) return -8;
            return large >= 2 ? mode : 0;
        }",
    );
    bench.write(
        "testwright.toml",
        "[function.pick]\nlength = { data = \"how_many\" }\nrange = { mode = [1, 3] }\nnon_null = [\"out\"]\n",
    );
    bench.generate(&["--runs", "200"]);
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("pick("), "{tests}");
    for never in ["-9", "-8", ", 0, &out", "NULL)"] {
        assert!(!tests.contains(never), "{never}: {tests}");
    }
    assert_eq!(bench.function("pick")["findings"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_contract_that_makes_no_sense_is_refused_with_its_line_and_a_hint() {
    let refused = |config: &str| {
        let bench = Bench::new(
            "int f(const char *name, double *out, unsigned char mode) { return *name > mode && out; }",
        );
        bench.write("testwright.toml", config);
        bench.refused(&["--runs", "5"])
    };
    let check = |config: &str, expected: &str| {
        let message = refused(config);
        assert!(message.contains(expected), "{message}");
    };
    check("[function.g]\n", "testwright.toml:1: there is no function `g`");
    check(
        "[function.f]\nnon_null = [\"oat\"]\n",
        "testwright.toml:2: `f` has no parameter `oat`; did you mean `out`?",
    );
    check(
        "[function.f]\nrange = { out = [0, 1] }\n",
        "testwright.toml:2: `out` is of type `double *`; this promise needs an integer",
    );
    check(
        "[function.f]\nrange = { mode = [3, 1] }\n",
        "testwright.toml:2: the range of `mode` is empty: write the smaller number first",
    );
    check(
        "[function.f]\nrange = { mode = [0, 300] }\n",
        "testwright.toml:2: the range of `mode` exceeds its type: 0 to 255",
    );
    check("[function.f]\nnull_terminated = [\"out\"]\n", "this promise needs a pointer to characters");
    check("[function.f]\nlenght = { out = \"mode\" }\n", "testwright.toml:2: unknown field `lenght`");
}

#[test]
fn handles_that_the_code_cannot_look_into_are_objects_all_the_same() {
    let bench = covers_everything(
        "struct db;
        int db_read(struct db *db, int key);
        int lookup(struct db *db, int key)
        {
            if (!db) return -1;
            if (db_read(db, key) == 7) return 1;
            return 0;
        }",
    );
    assert!(bench.read("out/subject_test.c").contains("lookup((void *)db, "));
}

#[test]
fn the_end_of_a_buffer_lies_in_the_buffer() {
    let bench = covers_everything(
        "int tag(const unsigned char **p, const unsigned char *end)
        {
            if (end - *p < 3) return -1;
            if ((*p)[0] != 48 || (*p)[2] != 7) return 0;
            *p += 3;
            return *p == end ? 1 : 2;
        }
        int digits(const char *first, const char *last)
        {
            int count = 0;
            while (first < last)
                if (*first++ == '7') count++;
            return count == 2;
        }",
    );
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("tag(&p, p_value + 3)"), "{tests}");
    assert!(tests.contains("digits(first, first + "), "{tests}");
}

#[test]
fn reading_behind_the_end_of_a_buffer_is_told_apart_from_findings() {
    let bench = Bench::new(
        "int sum(const int *from, const int *to)
        {
            int sum = 0;
            while (from <= to) sum += *from++;
            return sum;
        }",
    );
    let report = bench.generate(&["--runs", "50"]);
    assert!(report.contains("assumes  from or to has all elements that are read"), "{report}");
    let findings = bench.function("sum")["findings"].clone();
    assert_eq!(findings.as_array().map(Vec::len), Some(0), "{report}");
}

#[test]
fn what_is_declared_vaguely_is_the_struct_that_the_code_takes_it_for() {
    let bench = covers_everything(
        "struct hidden { int dummy; };
        struct state { void *owner; int mode; int left; };
        struct stream { int id; struct hidden *hidden; };
        struct counter { int step; int limit; };
        typedef struct { int level; } gauge;
        int read_gauge(void *context) { return ((gauge *)context)->level > 3 ? 1 : 0; }
        int advance(struct stream *stream)
        {
            struct state *state = (struct state *)stream->hidden;
            if (state == 0 || state->owner != (void *)stream) return -1;
            return state->left == 12 ? state->mode : 0;
        }
        int visit(void *context, int key)
        {
            struct counter *counter = context;
            if (counter->limit == 10 && counter->step == key) return 1;
            return 0;
        }",
    );
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("struct counter context = {"), "{tests}");
    assert!(tests.contains("struct state stream_hidden = {"), "{tests}");
    assert!(tests.contains("gauge context = {"), "{tests}");
}

/// Follows one of many pointers of a struct: from its end backwards, to a field far behind its start, and to what is
/// declared elsewhere.
const FOLLOWING: &str = "\
struct real { char padding[5000]; int mode; };
struct wide { int *a, *b, *c; struct hidden *state; struct real *far; unsigned count; };
int last(struct wide *w) { if (w->count != 1) return -1; int *p = w->c + w->count; if (*--p > 5) return 1; return 0; }
int mode(struct wide *w) { struct real *real = (struct real *)w->state; if (real->padding[1] == 7) return 1; return 0; }
int far_away(struct wide *w) { if (w->far->mode == 7) return 1; return 0; }
";

#[test]
fn of_many_pointers_that_are_null_the_one_that_a_run_follows_gets_an_object() {
    let bench = Bench::new(FOLLOWING);
    let report = bench.generate(&["--runs", "30"]);
    assert!(report.contains("compiled, passed twice"), "{report}");
    for (name, pointer) in [("last", "w[0].c"), ("mode", "w[0].state"), ("far_away", "w[0].far")] {
        let function = bench.function(name);
        assert_eq!(function["branches"]["covered"], function["branches"]["total"], "{name}: {report}");
        let assumed = function["assumptions"].to_string();
        assert!(assumed.contains(&format!("{pointer} is not null")), "{name}: {assumed}");
        assert!(!assumed.contains("one of"), "{name}: {assumed}");
    }
}

#[test]
fn of_many_null_pointers_the_one_that_is_followed_gets_an_object() {
    covers_everything(
        "struct big { int *unused[40]; int *number; };
        struct tree { int *nodes; };
        int f(struct big *b, struct tree *t)
        {
            if (*b->number > 5) return 1;
            if (t->nodes[2] == 7) return 2;
            return 0;
        }",
    );
}

#[test]
fn a_branch_that_first_shows_in_a_run_that_ends_badly_is_looked_for_in_others() {
    covers_everything(
        "int bits(int *words, unsigned shift)
        {
            int n = 0;
            if (shift >= 32) { n = words[1]; shift -= 32; }
            return shift < 8 ? words[0] + n : 0;
        }",
    );
}

#[test]
fn a_parameter_taken_for_a_length_has_the_values_that_a_branch_asks_for_and_is_not_blamed() {
    let bench = Bench::new(
        "#include <stddef.h>
        int sum(const int *v, int n)
        {
            unsigned s = 0;
            if (n < 0) return -1;
            for (int i = 0; i < n; i++) s += (unsigned)v[i];
            return s > 100;
        }
        int last(const unsigned char *data, size_t size)
        {
            if (size > 100000) return data[size - 4] == 7;
            return 0;
        }
        int limited(const unsigned char *data, size_t size)
        {
            if (size > 100000) return -1;
            return size > 0 && data[0] == 7;
        }",
    );
    bench.generate(&["--runs", "200"]);
    for (name, left) in [("sum", 0), ("last", 1), ("limited", 0)] {
        let (function, uncovered) = (bench.function(name), bench.uncovered(name));
        assert_eq!(uncovered.len(), left, "{name}: {uncovered:?}");
        assert_eq!(function["findings"].as_array().map(Vec::len), Some(0), "{name}");
    }
}
