/*
 * Integer arithmetic in every width of C: addition to remainder, bitwise operations, comparisons, shifts.
 */
#include "observe.h"
#include <stdint.h>

//: add8 [100, 27] -> 127
//: add8 [100, 28] -> -128
int8_t add8(int8_t a, int8_t b) { return (int8_t)observe((uint8_t)(a + b)); }

//: mix8 [200, 100] -> 168 | on a b
//: mix8 [0, 255] -> 254
uint8_t mix8(uint8_t a, uint8_t b) { return (uint8_t)observe((uint8_t)((a * b) ^ (a - b) ^ (a | b))); }

//: mix16 [-32768, 3] -> -1
int16_t mix16(int16_t a, int16_t b) { return (int16_t)observe((uint16_t)((a ^ b) - (a & b) * 2 + ~(a | b))); }

//: add32 [2147483646, 1] -> 2147483647
//: add32 [2147483647, 1] ends trapped: signed overflow in an addition
int add32(int a, int b) { return (int)observe((unsigned)(a + b)); }

//: sub32 [-2147483648, 1] ends trapped: signed overflow in a subtraction
//: sub32 [5, 7] -> -2 | smt bvsub
int sub32(int a, int b) { return (int)observe((unsigned)(a - b)); }

//: mul32 [65536, 32768] ends trapped: signed overflow in a multiplication
//: mul32 [-7, 6] -> -42 | smt bvmul
int mul32(int a, int b) { return (int)observe((unsigned)(a * b)); }

//: neg32 [-2147483648] ends trapped: signed overflow in a negation
//: neg32 [17] -> -17
int neg32(int a) { return (int)observe((unsigned)-a); }

//: div32 [-7, 2] -> -3 | smt bvsdiv | on a b
//: div32 [7, 0] ends trapped: division by zero
//: div32 [-2147483648, -1] ends trapped: division by zero or overflow
int div32(int a, int b) { return (int)observe((unsigned)(a / b)); }

//: rem32 [-7, 2] -> -1 | smt bvsrem
//: rem32 [7, 0] ends trapped
int rem32(int a, int b) { return (int)observe((unsigned)(a % b)); }

//: udiv32 [4294967295, 7] -> 613566756 | smt bvudiv
unsigned udiv32(unsigned a, unsigned b) { return (unsigned)observe(a / b + a % b * 0); }

//: urem64 [18446744073709551615, 1000] -> 615 | smt bvurem
uint64_t urem64(uint64_t a, uint64_t b) { return observe(a % b); }

//: div64 [-9223372036854775808, 3] -> -3074457345618258602
//: div64 [-9223372036854775808, -1] ends trapped
long div64(long a, long b) { return (long)observe((uint64_t)(a / b)); }

//: div8 [-128, -1] -> -128
int8_t div8(int8_t a, int8_t b) { return b == 0 ? 0 : (int8_t)observe((uint8_t)(a / b)); }

//: mul64 [4294967297, 4294967297] -> 8589934593
uint64_t mul64(uint64_t a, uint64_t b) { return observe(a * b); }

//: shl32 [1, 31] -> 2147483648 | smt bvshl
//: shl32 [1, 32] ends trapped: shift out of range
unsigned shl32(unsigned a, unsigned n) { return (unsigned)observe(a << n); }

//: shr32 [-8, 1] -> -4 | smt bvashr
//: shr32 [-8, 33] ends trapped: shift out of range
int shr32(int a, int n) { return (int)observe((unsigned)(a >> n)); }

//: shr64 [9223372036854775808, 63] -> 1 | smt bvlshr
uint64_t shr64(uint64_t a, int n) { return observe(a >> n); }

//: shl8 [129, 1] -> 2
uint8_t shl8(uint8_t a, uint8_t n) { return (uint8_t)observe((uint8_t)(a << (n & 7))); }

//: bits64 [255, 3855] -> 18446744073709543455
uint64_t bits64(uint64_t a, uint64_t b) { return observe((a & b) | (~a ^ b) << 1); }

//: signed_orders [1, 2] -> 19 | on a b
//: signed_orders [-1, 1] -> 19
//: signed_orders [3, 3] -> 46
int signed_orders(int a, int b)
{
    return (a < b) | (a <= b) << 1 | (a >= b) << 3 | (a == b) << 2 | (a != b) << 4 | (a == b) << 5;
}

//: unsigned_orders [1, 2] -> 19
//: unsigned_orders [18446744073709551615, 1] -> 24 | smt bvult
int unsigned_orders(uint64_t a, uint64_t b)
{
    int result = 0;

    if (a < b)
        result |= 1;
    if (a <= b)
        result |= 2;
    if (a == b)
        result |= 4;
    if (a >= b)
        result |= 8;
    if (a != b)
        result |= 16;
    return result;
}

//: narrow_orders [-1, 255] -> 1
int narrow_orders(int8_t a, uint8_t b) { return a < b ? 1 : a > (int16_t)b ? 2 : 3; }

//: widen [-1, 255, 65535] -> 65789
int widen(int8_t a, uint8_t b, uint16_t c) { return (int)observe((unsigned)(a + b + c)); }

//: narrow [305419896] -> 4568159
unsigned narrow(unsigned a) { return (unsigned)observe((unsigned)(int8_t)a * 17u + (uint16_t)(a >> 4) * 257u); }
