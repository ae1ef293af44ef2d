/*
 * Vector types: arithmetic, comparisons, shuffles, elements; traced element by element.
 */
#include "observe.h"
#include <stdint.h>

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned u4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef unsigned char b16 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));
typedef unsigned u8 __attribute__((vector_size(32)));

//: sum [1, 2, 3, 4] -> 20 | on a d
unsigned sum(unsigned a, unsigned b, unsigned c, unsigned d)
{
    u4 v = {a, b, c, d};
    u4 w = v + v;

    return (unsigned)observe(w[0] + w[1] + w[2] + w[3]);
}

//: arithmetic [7, 3] -> 240
unsigned arithmetic(unsigned a, unsigned b)
{
    u4 v = {a, b, a ^ b, 5}, w = {b, 2, a, b};
    u4 x = (v * w - v) ^ (w | 1u) & ~v;

    x = x << 3 | x >> 29;
    return (unsigned)observe(x[0] ^ x[1] ^ x[2] ^ x[3]);
}

//: divide [100, 7] -> 65
int divide(int16_t a, uint8_t b)
{
    v4 v = {a, a + 1, a + 2, a + 3}, w = {b + 1, 2, 3, 4};
    v4 q = v / w, r = v % w;

    return (int)observe((unsigned)(q[0] + q[1] + r[2] + r[3]));
}

//: compare [1, 2] -> -13
int compare(int a, int b)
{
    v4 v = {a, b, a, 0}, w = {b, a, a, 1};
    v4 less = v < w, equal = v == w;

    return less[0] + 2 * less[1] + 4 * less[3] + 8 * equal[2];
}

//: floats [1.5, 2.5] -> 31.24375f
float floats(float a, float b)
{
    f4 v = {a, b, a * b, 1}, w = {2, 4, 8, b};
    f4 x = v * w + v / w - w;

    return observe_float(x[0] + x[1] + x[2] + x[3]);
}

//: doubles [1.5, 2.5] -> 4.0
double doubles(double a, double b)
{
    d2 v = {a, b};

    v = -v * v;
    return observe_double(v[0] - v[1]);
}

#ifdef __clang__
#define SHUFFLE(v, w, ...) __builtin_shufflevector(v, w, __VA_ARGS__)
#else
#define SHUFFLE(v, w, ...) __builtin_shuffle(v, w, (u4){__VA_ARGS__})
#endif

//: shuffle [1, 2, 3, 4] -> 4132
unsigned shuffle(unsigned char a, unsigned char b, unsigned char c, unsigned char d)
{
    u4 v = {a, b, c, d}, w = {0};
    u4 x = SHUFFLE(v, w, 3, 0, 2, 1);

    return (unsigned)observe(x[0] * 1000 + x[1] * 100 + x[2] * 10 + x[3]);
}

//: bytes [200, 100] -> 37064
unsigned bytes(unsigned char a, unsigned char b)
{
    b16 v = {a, b, a, b, 1, 2, 3, 4, a, b, a, b, 5, 6, 7, 8};

    v = v + v;
    return (unsigned)observe(v[0] * 256u + v[9]);
}

//: reinterpret [305419896, 7] -> 1179768
unsigned reinterpret(unsigned a, unsigned b)
{
    u4 v = {a, b, a, b};
    b16 w = (b16)v;

    return (unsigned)observe(w[0] + w[5] * 256u + w[11] * 65536u);
}

//: as_wide [1, 2] -> 8589934594
uint64_t as_wide(unsigned a, unsigned b)
{
    u4 v = {a, b, b, a};
    unsigned __int128 w = (unsigned __int128)v;

    return observe((uint64_t)(w >> 32));
}

//: convert [1, -2] -> 1.0f
float convert(int a, int b)
{
    v4 v = {a, b, 3, 4};
    f4 f = __builtin_convertvector(v, f4);

    return observe_float(f[0] * f[1] + f[2]);
}

static u4 doubled(u4 v) { return v + v; }

//: through_call [1, 2, 3, 4] -> 6
unsigned through_call(unsigned a, unsigned b, unsigned c, unsigned d)
{
    u4 v = doubled((u4){a, b, c, d});

    return (unsigned)observe(v[2]);
}

//: element [[1, 2, 3, 4], 2] -> 3
unsigned element(const unsigned *p, int index)
{
    u4 v;

    __builtin_memcpy(&v, p, sizeof v);
    return (unsigned)observe(v[index & 3]);
}

//: store_element [1, 2, 9] -> 10
unsigned store_element(unsigned a, unsigned b, unsigned c)
{
    u4 v = {a, b, a, b};

    v[2] = c;
    return (unsigned)observe(v[2] + v[0]);
}

//: long_vector [3, 4] -> 27
unsigned long_vector(unsigned a, unsigned b)
{
    u8 v = {a, b, a, b, a, b, a, b};

    v = v * v + 1;
    return (unsigned)observe(v[0] + v[7]);
}

//: shorts [300, -7] -> 24481
int shorts(short a, short b)
{
    s8 v = {a, b, a, b, a, b, a, b}, w = v * v;

    return (int)observe((unsigned)(w[0] ^ w[7]));
}

//: select_lanes [5, 6] -> 6
int select_lanes(int a, int b)
{
    v4 v = {a, b, 0, 0}, w = {b, a, 0, 0};
    v4 m = v > w;
    v4 larger = (v & m) | (w & ~m);

    return (int)observe((unsigned)larger[0]);
}
