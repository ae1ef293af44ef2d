/*
 * Variadic functions of the subject: integers, doubles, pointers and small structs, in registers and on the stack.
 */
#include "observe.h"
#include <stdarg.h>
#include <stdint.h>

static unsigned sum_ints(int n, ...)
{
    va_list list;
    unsigned sum = 0;

    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, unsigned) * (unsigned)(i + 1);
    va_end(list);
    return sum;
}

//: ints [1, 2, 3] -> 14 | on a c
unsigned ints(unsigned a, unsigned b, unsigned c) { return (unsigned)observe(sum_ints(3, a, b, c)); }

//: many_ints [1, 2, 3, 4] -> 129 | on a d
unsigned many_ints(unsigned a, unsigned b, unsigned c, unsigned d)
{
    return (unsigned)observe(sum_ints(10, a, b, c, d, a, b, c, d, a, b));
}

static double sum_doubles(int n, ...)
{
    va_list list;
    double sum = 0;

    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double) * (i + 1);
    va_end(list);
    return sum;
}

//: doubles [1.0, 2.0] -> 5.0 | on a b
double doubles(double a, double b) { return observe_double(sum_doubles(2, a, b)); }

//: many_doubles [1.0, 2.0] -> 96.0
double many_doubles(double a, double b)
{
    return observe_double(sum_doubles(11, a, b, a, b, a, b, a, b, a, b, a));
}

//: promoted [1.5, -3] -> -4.5
double promoted(float a, signed char b) { return observe_double(sum_doubles(2, a, (double)b)); }

static double read_mixed(const char *kinds, ...)
{
    va_list list;
    double sum = 0;

    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': sum = sum * 2 + va_arg(list, int); break;
        case 'l': sum = sum * 2 + (double)va_arg(list, long); break;
        case 'd': sum = sum * 2 + va_arg(list, double); break;
        case 'p': sum = sum * 2 + *va_arg(list, int *); break;
        }
    va_end(list);
    return sum;
}

//: mixed [1, 2.5, 3, 4] -> 28.0 | on a b c d
double mixed(int a, double b, long c, int d) { return observe_double(read_mixed("idlp", a, b, c, &d)); }

//: mixed_overflow [1, 2.5, 3] -> 230087532.0 | on a b c
double mixed_overflow(int a, double b, long c)
{
    return observe_double(read_mixed("idlidlidlidlidlidlidlidlidl", a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c));
}

struct pair { int a, b; };
struct doubles { double x, y; };
struct large { long values[3]; };

static long read_structs(int n, ...)
{
    va_list list;
    long sum = 0;

    va_start(list, n);
    struct pair p = va_arg(list, struct pair);
    struct doubles d = va_arg(list, struct doubles);
    struct large l = va_arg(list, struct large);
    int last = va_arg(list, int);
    va_end(list);
    if (d.x < d.y)
        sum = 1;
    return (long)((unsigned long)sum + (unsigned long)p.a * 3u + (unsigned long)p.b + (unsigned long)l.values[2] * 5u + (unsigned long)last);
}

//: structs [{"a": 1, "b": 2}, {"x": 1.0, "y": 2.0}, {"values": [3, 4, 5]}, 6] -> 37 | on p.a d.x l.values[2] last
long structs(struct pair p, struct doubles d, struct large l, int last)
{
    return (long)observe((unsigned long)read_structs(4, p, d, l, last));
}

static unsigned twice(int n, ...)
{
    va_list list, again;
    unsigned sum = 0;

    va_start(list, n);
    sum += va_arg(list, unsigned);
    va_copy(again, list);
    for (int i = 1; i < n; i++)
        sum += va_arg(list, unsigned);
    for (int i = 1; i < n; i++)
        sum += va_arg(again, unsigned) * 10;
    va_end(again);
    va_end(list);
    return sum;
}

//: copied [1, 2, 3] -> 56 | on a b c
unsigned copied(unsigned a, unsigned b, unsigned c) { return (unsigned)observe(twice(3, a, b, c)); }

static unsigned from_list(int n, va_list list)
{
    unsigned sum = 0;

    while (n-- > 0)
        sum = sum * 3 + va_arg(list, unsigned);
    return sum;
}

static unsigned forward(int n, ...)
{
    va_list list;
    unsigned result;

    va_start(list, n);
    result = from_list(n, list);
    va_end(list);
    return result;
}

//: forwarded [1, 2, 3] -> 18 | on a b c
unsigned forwarded(unsigned a, unsigned b, unsigned c) { return (unsigned)observe(forward(3, a, b, c)); }

static int with_fixed(double x, int a, const char *name, ...)
{
    va_list list;
    int result;

    va_start(list, name);
    result = va_arg(list, int);
    double y = va_arg(list, double);
    va_end(list);
    return x < y ? (result > a ? 1 : 2) : name[0];
}

//: fixed_first [0.5, 1, 2, 3.5] -> 1
//: fixed_first [4.5, 1, 2, 3.5] -> 110
int fixed_first(double x, int a, int b, double y) { return with_fixed(x, a, "name", b, y); }

static __int128 read_wide(int n, ...)
{
    va_list list;
    __int128 value;

    va_start(list, n);
    value = va_arg(list, __int128);
    va_end(list);
    return value;
}

//: wide [5, 6] -> 11 | on high low
uint64_t wide(uint64_t high, uint64_t low)
{
    __int128 value = read_wide(1, (__int128)((unsigned __int128)high << 64 | low));

    return observe((uint64_t)value + (uint64_t)(value >> 64));
}

struct floats { float x, y; };
struct aligned { __int128 n; int k; };

static double read_odd(int n, ...)
{
    va_list list;

    va_start(list, n);
    struct floats f = va_arg(list, struct floats);
    int between = va_arg(list, int);
    struct aligned a = va_arg(list, struct aligned);
    struct floats g = va_arg(list, struct floats);
    va_end(list);
    if (a.n == 7 && a.k < between)
        return f.x - f.y;
    return f.y + g.x;
}

//: odd [{"x": 1.5, "y": 2.5}, 4, {"n": 7, "k": 3}] -> -1.0 | on f.x f.y between a.n a.k
//: odd [{"x": 1.5, "y": 2.5}, 4, {"n": 8, "k": 3}] -> 4.0
double odd(struct floats f, int between, struct aligned a) { return observe_double(read_odd(4, f, between, a, f)); }
