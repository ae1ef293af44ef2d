/*
 * Structs passed by value in all the ways of the x86-64 convention: in general registers, in vector registers, in both, and
 * in memory; from the driver, and between functions.
 */
#include "observe.h"
#include <stdint.h>

struct pair { int a, b; };
struct floats { float x, y; };
struct doubles { double x, y; };
struct mixed { int n; double d; };
struct three { float x, y, z; };
struct four { float x, y, z, w; };
struct chars { char c[3]; };
struct sixteen { int64_t low, high; };
struct large { int64_t values[3]; };
struct nested { struct pair p; struct { short s; char c; } inner; };
struct one { double d; };
struct float_int { float f; int i; };
struct pointer { const int *p; int n; };
struct empty {};
struct packed { char c; int i; } __attribute__((packed));

//: pair [{"a": 3, "b": -4}] -> -1
int pair(struct pair p) { return (int)observe((unsigned)p.a + (unsigned)p.b); }

//: floats [{"x": 1.5, "y": 2.5}] -> 4.0f
float floats(struct floats f) { return observe_float(f.x + f.y); }

//: doubles [{"x": 1.5, "y": 2.5}] -> 3.75
double doubles(struct doubles d) { return observe_double(d.x * d.y); }

//: mixed [{"n": 3, "d": 0.5}] -> 3.5
double mixed(struct mixed m) { return observe_double(m.n + m.d); }

//: three [{"x": 1.0, "y": 2.0, "z": 3.0}] -> 9.0f
float three(struct three t) { return observe_float((t.x + t.y) * t.z); }

//: four [{"x": 1.0, "y": 2.0, "z": 3.0, "w": 4.0}] -> -14.0f
float four(struct four t) { return observe_float(t.x * t.y - t.z * t.w - t.w); }

//: chars [{"c": [1, 2, 3]}] -> 321
int chars(struct chars c) { return (int)observe((unsigned)(c.c[0] + c.c[1] * 10 + c.c[2] * 100)); }

//: sixteen [{"low": 1, "high": 2}] -> -1
int64_t sixteen(struct sixteen s) { return (int64_t)observe((uint64_t)s.low - (uint64_t)s.high); }

//: large [{"values": [1, 2, 3]}] -> 123
int64_t large(struct large l) { return (int64_t)observe((uint64_t)l.values[0] * 100u + (uint64_t)l.values[1] * 10u + (uint64_t)l.values[2]); }

//: nested [{"p": {"a": 1, "b": 2}, "inner": {"s": 3, "c": 4}}] -> 10
int nested(struct nested n) { return (int)observe((unsigned)n.p.a + (unsigned)n.p.b + (unsigned)n.inner.s + (unsigned)n.inner.c); }

//: one [{"d": 2.5}] -> 5.0
double one(struct one o) { return observe_double(o.d * 2); }

//: float_int [{"f": 1.5, "i": 2}] -> 3.5f
float float_int(struct float_int f) { return observe_float(f.f + (float)f.i); }

//: pointer [{"p": [1, 2, 3], "n": 3}] -> 6
int pointer(struct pointer p)
{
    unsigned sum = 0;

    for (int i = 0; i < p.n; i++)
        sum += (unsigned)p.p[i];
    return (int)observe(sum);
}

//: empty [{}, 5] -> 5
int empty(struct empty e, int a) { return (int)observe((unsigned)a); }

//: packed [{"c": 1, "i": 1000}] -> 1001
int packed(struct packed p) { return (int)observe((unsigned)p.c + (unsigned)p.i); }

//: after_registers [1, 2, 3, 4, 5, {"low": 6, "high": 7}, 8] -> 82
int64_t after_registers(int a, int b, int c, int d, int e, struct sixteen s, int f)
{
    return (int64_t)observe((uint64_t)a * 3u + (uint64_t)b * 5u + (uint64_t)c + (uint64_t)d + (uint64_t)e + (uint64_t)s.low * 7u + (uint64_t)s.high + (uint64_t)f);
}

//: many [{"a": 1, "b": 2}, {"x": 3.0, "y": 4.0}, {"values": [5, 6, 7]}, {"n": 8, "d": 9.0}, 10] -> 98.0
double many(struct pair p, struct doubles d, struct large l, struct mixed m, short s)
{
    return observe_double(p.a + p.b * 2.0 + d.x - d.y + (double)l.values[0] + (double)l.values[2] + m.n * m.d + s);
}

static int64_t take_large(struct large l, int k)
{
    l.values[0] += k;
    return l.values[0];
}

/* The callee changes its own copy. */
//: copies [[{"values": [1, 2, 3]}], 5] -> 7 | fixed
int64_t copies(struct large *l, int k)
{
    int64_t changed = take_large(*l, k);

    return (int64_t)observe((uint64_t)changed + (uint64_t)l->values[0]);
}

static int inner_pair(struct pair p, struct chars c) { return p.a < p.b ? c.c[0] : c.c[2]; }

//: passes_on [1, 2, {"c": [7, 8, 9]}] -> 7
//: passes_on [2, 1, {"c": [7, 8, 9]}] -> 9
int passes_on(int a, int b, struct chars c)
{
    struct pair p = {a, b};

    return inner_pair(p, c);
}

static double inner_mixed(struct mixed m, struct three t, struct float_int f) { return m.d * m.n + t.z - t.x + f.f + f.i; }

//: passes_mixed [3, 0.5, 1.0, 4.0] -> 8.5
double passes_mixed(short n, double d, float x, float z)
{
    struct mixed m = {n, d};
    struct three t = {x, 0, z};
    struct float_int f = {x, n};

    return observe_double(inner_mixed(m, t, f));
}

//: by_pointer [[{"x": 1.5, "y": 2.5}]] -> 2.5
double by_pointer(const struct doubles *d)
{
    if (d->x < d->y)
        return observe_double(d->y);
    return observe_double(d->x);
}
