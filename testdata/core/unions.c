/*
 * Unions: the same bytes under several types, also of different sizes.
 */
#include "observe.h"
#include <stdint.h>

union number {
    uint32_t word;
    uint8_t bytes[4];
    uint16_t halves[2];
    float single;
};

union wide {
    uint64_t word;
    double real;
    struct {
        int32_t low, high;
    } parts;
};

//: swap_bytes [305419896] -> 2018915346
uint32_t swap_bytes(uint32_t word)
{
    union number n = {.word = word};
    uint8_t t = n.bytes[0];

    n.bytes[0] = n.bytes[3];
    n.bytes[3] = t;
    t = n.bytes[1];
    n.bytes[1] = n.bytes[2];
    n.bytes[2] = t;
    return (uint32_t)observe(n.word);
}

//: by_value [{"word": 1065353216}] -> 1.0f
//: by_value [{"single": 2.5}] -> 2.5f
float by_value(union number n) { return observe_float(n.single); }

//: exponent [1.0] -> 0
//: exponent [1024.0] -> 10
//: exponent [0.1] -> -4
int exponent(double x)
{
    union wide w = {.real = x};

    return (int)observe((w.word >> 52 & 0x7ff) - 1023);
}

//: make [1, 2] -> {.word = 8589934593}
union wide make(int low, int high)
{
    union wide w;

    w.parts.low = low;
    w.parts.high = high;
    observe(w.word);
    return w;
}

//: half [[{"halves": [1, 2]}], 1] -> 2
int half(const union number *n, int which)
{
    return (int)observe(which == 0 ? n->halves[0] : n->halves[1]);
}
