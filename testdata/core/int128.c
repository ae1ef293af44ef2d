/*
 * 128-bit integers: the widest values an expression can have, and pieces of them.
 */
#include "observe.h"
#include <stdint.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

static uwide both(uwide value)
{
    observe((uint64_t)value);
    observe((uint64_t)(value >> 64));
    return value;
}

//: build [1, 2] -> 18446744073709551618 | smt concat | on high low
uwide build(uint64_t high, uint64_t low) { return both((uwide)high << 64 | low); }

//: add [9223372036854775808, 9223372036854775808] -> 18446744073709551616
uwide add(uwide a, uwide b) { return both(a + b); }

//: subtract [0, 1] -> 340282366920938463463374607431768211455
uwide subtract(uwide a, uwide b) { return both(a - b); }

//: multiply [18446744073709551615, 18446744073709551615] -> 340282366920938463426481119284349108225
uwide multiply(uint64_t a, uint64_t b) { return both((uwide)a * b); }

//: signed_multiply [-5, 7] -> -35
//: signed_multiply ["-170141183460469231731687303715884105728", 2] ends trapped: signed overflow
wide signed_multiply(wide a, wide b) { return (wide)both((uwide)(a * b)); }

//: divide [340282366920938463463374607431768211455, 10] -> 34028236692093846346337460743176821145 | smt bvudiv
//: divide [1, 0] ends trapped
uwide divide(uwide a, uwide b) { return both(a / b); }

//: signed_remainder [-100000000000000000000000, 7] -> -5 | smt bvsrem
wide signed_remainder(wide a, wide b) { return (wide)both((uwide)(a % b)); }

//: shift_left [1, 100] -> 1267650600228229401496703205376
//: shift_left [1, 128] ends trapped: shift out of range
uwide shift_left(uwide a, int n) { return both(a << n); }

//: shift_right [-170141183460469231731687303715884105728, 127] -> -1
wide shift_right(wide a, unsigned n) { return (wide)both((uwide)(a >> n)); }

//: bitwise [340282366920938463463374607431768211455, 12345] -> 340282366920938463463374607431768211453
uwide bitwise(uwide a, uwide b) { return both((a & ~b) ^ (b | 3)); }

//: order [1, 2] -> 1
//: order [-1, 340282366920938463463374607431768211455] -> 3
int order(wide a, uwide b)
{
    if (a >= 0 && (uwide)a < b)
        return 1;
    if (a < 0 && -a > 5)
        return 2;
    if ((uwide)a == b)
        return 3;
    return 4;
}

//: narrow [340282366920938463463374607431768211455] -> 65789
int narrow(uwide a) { return (int)observe((uint8_t)a + (uint16_t)(a >> 60) + (unsigned)(a >> 90)); }

//: extend [-5] -> -5
wide extend(int8_t a) { return (wide)both((uwide)(wide)a); }

//: to_double [18446744073709551616] -> 1.8446744073709552e19
double to_double(uwide a) { return observe_double((double)a); }

//: signed_to_float [-3] -> -3.0f
float signed_to_float(wide a) { return observe_float((float)a); }

//: from_double [1e20] -> 100000000000000000000
//: from_double [-1.0] ends trapped: float to integer conversion out of range
uwide from_double(double a) { return both((uwide)a); }

//: choose [1, 5, 6] -> 5
//: choose [0, 5, 6] -> 6
uwide choose(int which, uwide a, uwide b)
{
    uwide result = which ? a : b;

    return both(result);
}

//: branch [18446744073709551616] -> 1
//: branch [5] -> 0
int branch(uwide a)
{
    switch (a >> 64) {
    case 1:
        return 1;
    case 2:
        return 2;
    default:
        return 0;
    }
}

//: big_switch [18446744073709551619] -> 3
//: big_switch [7] -> 7
//: big_switch [8] -> -1
int big_switch(uwide a)
{
    switch (a) {
    case ((uwide)1 << 64) + 3:
        return 3;
    case 7:
        return 7;
    default:
        return -1;
    }
}

//: through_memory [123456789012345678901234567890] -> 3279151343
uint32_t through_memory(uwide a)
{
    uwide cells[2] = {a, a ^ 1};
    uint32_t words[8];

    __builtin_memcpy(words, cells, sizeof cells);
    return (uint32_t)observe(words[1] ^ words[7]);
}
