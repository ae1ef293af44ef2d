//! Globals that calls change: the tests say what they hold afterwards.

use crate::support::Bench;

const STATE: &str = "\
#include <stdlib.h>
struct stats { int count; double sum; };
static struct stats stats;
int total = 3;
static int seen[64];
static unsigned cursor;
char label[8];
int calls_so_far(void) { static int calls; return ++calls; }
void note(int value)
{
    if (value > 10) {
        stats.count++;
        stats.sum += value;
        total += value;
        seen[cursor++ & 63] = value;
    }
}
void rename_to(const char *to)
{
    int i = 0;
    while (to[i] && i < 7) { label[i] = to[i]; i++; }
    label[i] = 0;
}
";

#[track_caller]
fn generated(text: &str) -> (Bench, String) {
    let bench = Bench::new(text);
    let printed = bench.generate(&["--runs", "100"]);
    assert!(printed.contains("compiled, passed twice\n"), "nothing was taken out: {printed}");
    bench.check();
    let tests = bench.read("out/subject_test.c");
    (bench, tests)
}

#[test]
fn what_a_call_writes_to_globals_is_asserted_static_ones_too() {
    let (_, tests) = generated(STATE);
    for line in [
        "CHECK_EQ(stats.count, 1);",
        "CHECK_DOUBLE(stats.sum, 11.0);",
        "CHECK_EQ(total, 11);",
        "CHECK_EQ(seen[0], 11);",
        "CHECK_EQ(cursor, 1);",
        "CHECK_STR(label, \"aaaaaaa\");",
    ] {
        assert!(tests.contains(line), "{line} is not in {tests}");
    }
    assert!(!tests.contains("calls_so_far.calls"), "nobody can name it: {tests}");
}

#[test]
fn a_call_that_leaves_alone_what_others_change_is_asserted_to_do_so() {
    let (_, tests) = generated(STATE);
    assert!(tests.contains("TEST(note_keeps_total_if_value_le_10)"), "{tests}");
    assert!(tests.contains("CHECK_EQ(total, 0);"), "{tests}");
    assert!(tests.contains("CHECK_STR(label, \"\");"), "{tests}");
}

#[test]
fn a_test_fails_when_the_code_writes_something_else() {
    let (bench, _) = generated(STATE);
    bench.write("subject.c", &STATE.replace("total += value", "total -= value"));
    let output = bench.make(&["check"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success() && said.contains("total: expected 11, got -11"), "{said}");
}

#[test]
fn what_differs_from_run_to_run_is_not_asserted() {
    let bench = Bench::new(
        "#include <stdint.h>
        uintptr_t where; int count;
        void remember(int a) { if (a > 5) { where = (uintptr_t)&count; count++; } }",
    );
    let printed = bench.generate(&["--runs", "100"]);
    assert!(printed.contains("compiled, passed twice; 1 that did not compile or hold again"), "{printed}");
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("CHECK_EQ(count, 1);"), "{tests}");
    assert!(!tests.contains("CHECK_EQ(where, 1"), "{tests}");
}

#[test]
fn structs_without_names_behind_static_arrays_are_set_by_the_type_of_the_array() {
    let (bench, tests) = generated(
        "static struct { int key; const char *name; } table[4];
        static struct { int id; struct { char c; } *inner; } *current;
        void set(int i, int key, const char *name, void *other)
        {
            table[i & 3].key = key;
            table[i & 3].name = name;
            current = other;
        }
        int lookup(int key)
        {
            for (int i = 0; i < 4; i++)
                if (table[i].key == key && table[i].name && table[i].name[0] == 'z') return i;
            if (current && current->inner && current->inner->c == 'q') return 100;
            return -1;
        }",
    );
    let branches = &bench.function("lookup")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{tests}");
    assert!(tests.contains("__typeof__(table[0]) table_before["), "{tests}");
    assert!(tests.contains("__typeof__(*(*current).inner) "), "{tests}");
}
