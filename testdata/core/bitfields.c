/*
 * Bit-fields: reads and writes of parts of a byte and across bytes, signed and unsigned, by value and in memory.
 */
#include "observe.h"
#include <stdint.h>

struct flags {
    unsigned low : 3;
    unsigned middle : 7;
    unsigned high : 22;
};

struct odd {
    int a : 5;
    unsigned b : 1;
    int64_t c : 40;
    uint8_t d : 4;
    _Bool e : 1;
};

//: pack [5, 100, 4000000] -> 4096000805
uint32_t pack(unsigned low, unsigned middle, unsigned high)
{
    struct flags f = {0};
    uint32_t bits;

    f.low = low;
    f.middle = middle;
    f.high = high;
    __builtin_memcpy(&bits, &f, sizeof bits);
    return (uint32_t)observe(bits);
}

//: sum [{"low": 7, "middle": 127, "high": 4194303}] -> 4194437
int sum(struct flags f) { return (int)observe(f.low + f.middle + f.high); }

//: bump [[{"low": 7, "middle": 5, "high": 9}]] -> 0
int bump(struct flags *f)
{
    f->low++;
    f->middle = f->middle * 3u;
    f->high -= f->middle;
    return (int)observe(f->low);
}

//: signs [15, 1, -5, 9, 1] -> 108
//: signs [16, 0, 549755813888, 31, 2] -> -1649267441566
int64_t signs(int a, unsigned b, int64_t c, int d, int e)
{
    struct odd o = {a, b, c, (uint8_t)d, e != 0};

    if (o.a < 0)
        o.b ^= 1;
    return (int64_t)observe((uint64_t)(o.a + o.b * 100 + (int64_t)o.c * 3 + o.d - o.e));
}

//: signed_field [[{"a": -16, "b": 1, "c": -1, "d": 15, "e": 1}]] -> -1
int signed_field(const struct odd *o)
{
    if (o->c == -1 && o->e)
        return (int)observe((unsigned)(o->a + o->d));
    return o->b ? 1 : 2;
}
