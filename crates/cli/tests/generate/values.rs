//! Values as people write them, in suites that no compiler warns about.

use crate::support::{Bench, check_success, compilers};

/// Parameters, fields, elements, results, globals and answers of many kinds.
const KINDS: &str = "\
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE };
typedef enum { LOW, HIGH = 7 } level;
enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_RUN = 4 };
struct light { enum colour colour; level level; char name[8]; };
struct outer { struct { int a, b; } in; const char *label; enum colour list[3]; };
struct box { struct { int w, h; } size; int depth; };
struct shelf { struct box box; struct box boxes[2]; int tag; };
union number { int i; unsigned char bytes[4]; };
struct bits { unsigned on : 1; int small : 3; enum colour colour : 4; };
typedef int (*callback)(int, const char *);

enum colour current;
static level levels[4];

extern enum colour read_colour(const volatile int *port);
extern const struct light *find_light(const char *name);
extern int log_text(const char *text, ...);

static int helper(int x) { return x + 1; }
static int keep(int x, const char *text) { return text ? x : 0; }

enum colour next(enum colour c) { return c == BLUE ? GREEN : BLUE; }
int lit(const struct light *l) { return l->colour == BLUE && l->level == HIGH && strcmp(l->name, \"up\") == 0; }
int blues(const enum colour *c, int n) { return n > 1 && c[1] == BLUE; }
enum access may(enum access a) { return a == (ACCESS_READ | ACCESS_RUN) ? ACCESS_READ | ACCESS_WRITE : ACCESS_RUN; }
int brackets(const unsigned char *text, int n) { return n == 2 && text[0] == '[' && text[1] == ']'; }
int extreme(int a, size_t b, int64_t c, unsigned long long d)
{
    if (a == INT_MIN) return 1;
    if (b == SIZE_MAX) return 2;
    if (c == INT64_MIN) return 3;
    return d == ULLONG_MAX ? 4 : 0;
}
int shelved(const struct shelf *s, int n) { return n == 2 && s[1].tag == 3; }
int polled(volatile int *port) { return *port == 3 ? 1 : 0; }
int corner(const int m[2][3]) { return m[1][2] == 9 ? 1 : 0; }
int nested(const struct outer *o) { return o->in.b == 4 || (o->label && o->label[0] == 'x') || o->list[1] == GREEN; }
int handed(callback f, int (*log)(const char *, ...)) { return f(1, \"a\") == 5 && log(\"%d\", 1) == 2; }
int first_byte(const union number *n) { return n->bytes[0] == 7 ? 1 : 0; }
bool opposite(bool b) { return !b; }
double half(double d) { if (d == INFINITY) return NAN; return d > 1e10 ? INFINITY : d / 2; }
int bitty(struct bits b) { return b.on && b.small == -3 && b.colour == BLUE; }
int answered(void)
{
    int port = 1;
    const struct light *l = find_light(\"hall\");
    if (l && l->level == HIGH) return log_text(\"high\");
    return read_colour(&port) == BLUE ? helper(1) : 0;
}
int state(void) { if (levels[1] == HIGH) current = GREEN; return current == BLUE ? 1 : 0; }
void paint(struct light *l, enum colour c) { l->colour = c; if (c == BLUE) strcpy(l->name, \"new\"); }
callback pick(int x) { return x == 3 ? (callback)0 : keep; }
const char *name_of(enum colour c) { return c == RED ? \"red\" : NULL; }
int start(const char *const *names, char **rest) { return names[0] && names[0][0] == 'a' && rest[0] == NULL; }
";

#[test]
fn values_have_the_names_and_qualifiers_of_the_code() {
    let bench = Bench::new(KINDS);
    bench.generate(&["--runs", "400"]);
    let tests = bench.read("out/subject_test.c");
    for written in [
        "next(BLUE)",
        "CHECK_EQ(result, GREEN);",
        "const struct light l = {.colour = BLUE, .level = HIGH, .name = \"up\"};",
        "const enum colour c[] = {RED, BLUE",
        "may(ACCESS_READ | ACCESS_RUN)",
        "CHECK_EQ(result, ACCESS_READ | ACCESS_WRITE);",
        "const unsigned char text[2] = \"[]\";",
        "extreme(INT_MIN, ",
        "SIZE_MAX, ",
        "INT64_MIN, ",
        "ULLONG_MAX)",
        "volatile int port = 3;",
        "const int m[][3] = {{0}, {0, 0, 9}};",
        "handed(handed_f_stub, handed_log_stub)",
        ".colour = BLUE}",
        "read_colour_returns(BLUE);",
        "find_light_points_to({.colour = RED, .level = HIGH, .name = \"\"});",
        "current = BLUE;",
        "CHECK_EQ(l.colour, BLUE);",
        "const char *result = name_of(RED);",
        "CHECK(result == NULL);",
    ] {
        assert!(tests.contains(written), "{written}:\n{tests}");
    }
    assert!(!tests.contains("(void *)"), "nothing is cast:\n{tests}");
    let stubs = bench.read("out/testwright_stubs.h");
    assert!(stubs.contains("read_colour_stub(const volatile int *"), "{stubs}");
}

#[test]
fn no_compiler_warns_about_a_suite() {
    let bench = Bench::new(KINDS);
    bench.generate(&["--runs", "400"]);
    for compiler in compilers() {
        for level in ["-O0", "-O2"] {
            let flags = format!("CFLAGS={level} -Wall -Wextra -Wpedantic -Werror");
            check_success(&bench.make(&["check", &format!("CC={compiler}"), &flags]));
        }
    }
}

#[test]
fn numbers_have_the_names_that_the_code_compares_them_with() {
    let bench = Bench::new(
        "\
#include <errno.h>
#define MODE_FAST 3
#define MODE_SLOW 4
#define CAN_READ 1u
#define CAN_WRITE (1u << 2)
#define STATE_BUSY 7
#define DONE 12
struct job { int state; int other; };

int start(int mode, unsigned flags, int other)
{
    if (mode == MODE_FAST)
        return DONE;
    if (MODE_SLOW == mode && (flags & CAN_READ) && (flags & CAN_WRITE))
        return other == 3 ? 1 : 2;
    return -EINVAL;
}

int run(const struct job *job)
{
    switch (job->state) {
    case STATE_BUSY:
        return job->other == 7 ? 6 : 8;
    default:
        return 5;
    }
}
",
    );
    bench.generate(&["--runs", "100", "--builds", "first"]);
    let tests = bench.read("out/subject_test.c");
    let check = |text: &str| assert!(tests.contains(text), "{text} is not in\n{tests}");
    check("start(MODE_FAST, ");
    check("start(MODE_SLOW, CAN_READ | CAN_WRITE, 3)");
    check(", DONE);");
    check(", -EINVAL);");
    check(".state = STATE_BUSY");
    check(".other = 7");
    bench.check();
}
