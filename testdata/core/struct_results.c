/*
 * Structs as results: in one or two registers of either kind, or in memory of the caller; returned on through calls.
 */
#include "observe.h"
#include <stdint.h>

struct pair { int a, b; };
struct floats { float x, y; };
struct doubles { double x, y; };
struct mixed { int n; double d; };
struct three { float x, y, z; };
struct small { char c; short s; };
struct large { int64_t values[4]; };
struct wide { long a; float f; };

//: make_pair [3, 4] -> {.a = 4, .b = 3} | concrete
struct pair make_pair(int a, int b)
{
    struct pair p = {b, a};

    return p;
}

//: use_pair [3, 4] -> 1
//: use_pair [4, 3] -> 0
int use_pair(int a, int b)
{
    struct pair p = make_pair(a, b);

    observe((unsigned)p.a);
    return p.a > p.b;
}

//: make_floats [1.5, 2.5] -> {.x = 4.0f, .y = -1.0f} | concrete
struct floats make_floats(float x, float y) { return (struct floats){x + y, x - y}; }

//: use_floats [1.5, 2.5] -> 3.0f
float use_floats(float x, float y)
{
    struct floats f = make_floats(x, y);

    return observe_float(f.x + f.y);
}

//: make_doubles [1.5, 2.5] -> {.x = 3.75, .y = 4.0} | concrete
struct doubles make_doubles(double x, double y) { return (struct doubles){x * y, x + y}; }

//: use_doubles [1.5, 2.5] -> 7.75
double use_doubles(double x, double y)
{
    struct doubles d = make_doubles(x, y);

    return observe_double(d.x + d.y);
}

//: make_mixed [3, 0.5] -> {.n = 4, .d = 0.25} | concrete
struct mixed make_mixed(short n, double d) { return (struct mixed){n + 1, d / 2}; }

//: use_mixed [3, 0.5] -> 4.25
double use_mixed(short n, double d)
{
    struct mixed m = make_mixed(n, d);

    return observe_double(m.n + m.d);
}

//: make_three [1.0, 2.0, 3.0] -> {.x = 3.0f, .y = 1.0f, .z = 2.0f} | concrete
struct three make_three(float x, float y, float z) { return (struct three){z, x, y}; }

//: use_three [1.0, 2.0, 3.0] -> 5.0f
float use_three(float x, float y, float z)
{
    struct three t = make_three(x, y, z);

    return observe_float(t.x + t.y * t.z);
}

//: make_small [65, 500] -> {.c = 'B', .s = 499} | concrete
struct small make_small(signed char c, short s)
{
    struct small r = {(char)(c + 1), (short)(s - 1)};

    return r;
}

//: make_large [1, 2] -> {.values = {1, 2, 3, -1}} | concrete
struct large make_large(int a, int b)
{
    struct large l = {{a, b, (int64_t)a + b, (int64_t)a - b}};

    return l;
}

//: use_large [1, 2] -> 3
int64_t use_large(int a, int b)
{
    struct large l = make_large(a, b);

    return (int64_t)observe((uint64_t)l.values[2]);
}

//: make_wide [7, 0.5] -> {.a = 14, .f = 0.5f} | concrete
struct wide make_wide(int a, float f) { return (struct wide){2L * a, f}; }

//: use_wide [7, 0.5] -> 14.5f
float use_wide(int a, float f)
{
    struct wide w = make_wide(a, f);

    return observe_float((float)w.a + w.f);
}

static struct large swap_ends(struct large l)
{
    int64_t t = l.values[0];

    l.values[0] = l.values[3];
    l.values[3] = t;
    return l;
}

//: chain [5, 6] -> 5
int64_t chain(int a, int b)
{
    struct large l = swap_ends(make_large(a, b));

    return (int64_t)observe((uint64_t)l.values[3]);
}

//: choose [1, 3, 4] -> {.a = 4, .b = 3}
//: choose [0, 3, 4] -> {.a = 3, .b = 4}
struct pair choose(int which, int a, int b)
{
    struct pair p = which ? make_pair(a, b) : (struct pair){a, b};

    observe((unsigned)p.a);
    return p;
}

static struct pair (*maker)(int, int) = make_pair;

//: through_pointer [3, 4] -> 4 | fixed
int through_pointer(int a, int b) { return (int)observe((unsigned)maker(a, b).a); }
