/*
 * Types that are rare: integers of odd widths, long double in a struct, structs of odd sizes, unions by value, zero-sized and
 * flexible arrays.
 */
#include "observe.h"
#include <stdint.h>

#ifdef __clang__
typedef unsigned _BitInt(37) u37;
typedef _BitInt(7) i7;
typedef unsigned _BitInt(100) u100;

//: odd_sum [137438953471, 5] -> 4 | own
uint64_t odd_sum(uint64_t a, uint64_t b)
{
    u37 x = (u37)a, y = (u37)b;

    return observe((uint64_t)(u37)(x + y));
}

//: odd_sign [100] -> -28 | own
int odd_sign(int a)
{
    i7 x = (i7)a;

    return (int)observe((unsigned)(int)x);
}

//: odd_product [1099511627776, 1099511627777] -> 17592186044432 | own
uint64_t odd_product(uint64_t a, uint64_t b)
{
    u100 x = (u100)a * (u100)b;

    if (x > (u100)1 << 90)
        return 0;
    return observe((uint64_t)(x >> 36));
}

//: odd_order [5, 6] -> 1 | own
int odd_order(int a, int b)
{
    i7 x = (i7)a, y = (i7)b;

    if (x < y)
        return 1;
    return x == y ? 2 : 3;
}
#endif

struct measured { int n; long double value; };

//: long_result [2.5] -> 1 | keeps unsupported | own | concrete
int long_result(double a)
{
    long double x = a;
    struct measured m = {1, x * 2}, copy = m;

    return copy.value == 5.0L;
}

typedef int empty_array[0];

//: nothing_between [1, 2] -> 3
int nothing_between(int a, int b)
{
    struct { int x; empty_array none; int y; } s = {a, {}, b};

    return (int)observe((unsigned)s.x + (unsigned)s.y);
}

struct tail { short count; char text[]; };

//: flexible [[3, 0, 97, 98, 99]] -> 294
int flexible(const unsigned char *bytes)
{
    const struct tail *t = (const void *)bytes;
    int sum = 0;

    for (int i = 0; i < 3 && i < t->count; i++)
        sum += (unsigned char)t->text[i];
    return (int)observe((unsigned)sum);
}

union either { int i; float f; };

//: either_way [{"i": 5}, 0] -> 5
//: either_way [{"f": 1.0}, 1] -> 1
int either_way(union either e, int real)
{
    if (real)
        return e.f > 0.5f;
    return (int)observe((unsigned)e.i);
}

struct five { char c[5]; };

static struct five rotated(struct five f) { return (struct five){{f.c[1], f.c[2], f.c[3], f.c[4], f.c[0]}}; }

//: five_bytes [{"c": [1, 2, 3, 4, 5]}] -> 1
int five_bytes(struct five f) { return (int)observe((unsigned char)rotated(rotated(f)).c[3]); }

struct six { short a, b, c; };

//: six_bytes [{"a": 1, "b": -2, "c": 3}] -> 83
int six_bytes(struct six s) { return (int)observe((unsigned)(s.a * 100 + s.b * 10 + s.c)); }

typedef struct { double d[2]; } two_doubles;
typedef struct { float f[4]; int i; } twenty;

static double mix(two_doubles a, twenty t, int k) { return a.d[k & 1] + (double)t.f[3] + t.i; }

//: arrays_inside [{"d": [1.5, 2.5]}, {"f": [1.0, 2.0, 3.0, 4.0], "i": 5}] -> 11.5
double arrays_inside(two_doubles a, twenty t) { return observe_double(mix(a, t, 1)); }
