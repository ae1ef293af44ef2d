/*
 * Bit counting, byte and bit reversal, rotation, absolute value: the builtins that become intrinsics.
 */
#include "observe.h"
#include <stdint.h>

//: ones [255] -> 8 | on a
int ones(unsigned a) { return (int)observe((unsigned)__builtin_popcount(a)); }

//: ones64 [18446744073709551615] -> 64
int ones64(uint64_t a) { return (int)observe((unsigned)__builtin_popcountll(a)); }

//: parity [7] -> 1
int parity(unsigned a) { return __builtin_parity(a) ? 1 : 0; }

//: leading [1] -> 31
//: leading [0] ends trapped: invalid argument of a builtin
int leading(unsigned a) { return (int)observe((unsigned)__builtin_clz(a)); }

//: leading64 [1] -> 63
int leading64(uint64_t a) { return a == 0 ? -1 : (int)observe((unsigned)__builtin_clzl(a)); }

//: trailing [40] -> 3
//: trailing [0] ends trapped: invalid argument of a builtin
int trailing(unsigned a) { return (int)observe((unsigned)__builtin_ctz(a)); }

//: trailing64 [9223372036854775808] -> 63
int trailing64(uint64_t a) { return a == 0 ? -1 : (int)observe((unsigned)__builtin_ctzll(a)); }

//: first_set [0] -> 0
//: first_set [12] -> 3
int first_set(int a) { return (int)observe((unsigned)__builtin_ffs(a)); }

//: sign_bits [-1] -> 31 | own
int sign_bits(int a) { return (int)observe((unsigned)__builtin_clrsb(a)); }

//: swap16 [4660] -> 13330
uint16_t swap16(uint16_t a) { return (uint16_t)observe(__builtin_bswap16(a)); }

//: swap32 [305419896] -> 2018915346
uint32_t swap32(uint32_t a) { return (uint32_t)observe(__builtin_bswap32(a)); }

//: swap64 [1] -> 72057594037927936
uint64_t swap64(uint64_t a) { return observe(__builtin_bswap64(a)); }

//: rotate_left [2147483649, 1] -> 3 | on a n
uint32_t rotate_left(uint32_t a, unsigned n) { return (uint32_t)observe(a << (n & 31) | a >> (-n & 31)); }

#ifdef __clang__
#define ROTATE_LEFT_8 __builtin_rotateleft8
#define ROTATE_RIGHT_16 __builtin_rotateright16
#define ROTATE_LEFT_32 __builtin_rotateleft32
#define ROTATE_RIGHT_64 __builtin_rotateright64
#define REVERSE_8 __builtin_bitreverse8
#define REVERSE_32 __builtin_bitreverse32
#else
#define ROTATE_LEFT_8(a, n) ((uint8_t)((a) << ((n) & 7) | (a) >> (-(n) & 7)))
#define ROTATE_RIGHT_16(a, n) ((uint16_t)((a) >> ((n) & 15) | (a) << (-(n) & 15)))
#define ROTATE_LEFT_32(a, n) ((a) << ((n) & 31) | (a) >> (-(n) & 31))
#define ROTATE_RIGHT_64(a, n) ((a) >> ((n) & 63) | (a) << (-(n) & 63))
static uint32_t reverse(uint32_t a, int width)
{
    uint32_t result = 0;

    for (int i = 0; i < width; i++)
        result |= (a >> i & 1) << (width - 1 - i);
    return result;
}
#define REVERSE_8(a) reverse(a, 8)
#define REVERSE_32(a) reverse(a, 32)
#endif

//: rotate8 [129, 1] -> 3
//: rotate8 [129, 8] -> 129
uint8_t rotate8(uint8_t a, uint8_t n) { return (uint8_t)observe(ROTATE_LEFT_8(a, n)); }

//: rotate16 [1, 1] -> 32768
uint16_t rotate16(uint16_t a, uint16_t n) { return (uint16_t)observe(ROTATE_RIGHT_16(a, n)); }

//: rotate32 [3, 31] -> 2147483649
uint32_t rotate32(uint32_t a, uint32_t n) { return (uint32_t)observe(ROTATE_LEFT_32(a, n)); }

//: rotate64 [1, 0] -> 1
//: rotate64 [1, 1] -> 9223372036854775808
uint64_t rotate64(uint64_t a, uint64_t n) { return observe(ROTATE_RIGHT_64(a, n)); }

//: reverse8 [1] -> 128
uint8_t reverse8(uint8_t a) { return (uint8_t)observe(REVERSE_8(a)); }

//: reverse32 [1] -> 2147483648
uint32_t reverse32(uint32_t a) { return (uint32_t)observe(REVERSE_32(a)); }

//: absolute [-5] -> 5
int absolute(int a) { return a == -2147483647 - 1 ? 0 : (int)observe((unsigned)__builtin_abs(a)); }

//: minimum [3, -4] -> -4
int minimum(int a, int b)
{
    int c = a < b ? a : b;

    return (int)observe((unsigned)c);
}

//: expected [5] -> 1
//: expected [6] -> 0
int expected(int a)
{
    if (__builtin_expect(a == 5, 0))
        return 1;
    return 0;
}

//: constant_p [5] -> 6 | own
int constant_p(int a)
{
    if (__builtin_constant_p(a))
        return 0;
    return (int)observe((unsigned)a + 1);
}

//: object_size [5] -> 5
int object_size(int a)
{
    char buffer[16];

    if (__builtin_object_size(buffer, 0) == 16)
        return (int)observe((unsigned)a);
    return 0;
}

//: unreachable [1] -> 10
//: unreachable [3] ends trapped: an unreachable place was reached
int unreachable(int a)
{
    switch (a) {
    case 1:
        return 10;
    case 2:
        return 20;
    }
    __builtin_unreachable();
}

//: trap [0] -> 1
//: trap [1] ends trapped: trap instruction
int trap(int a)
{
    if (a)
        __builtin_trap();
    return 1;
}
