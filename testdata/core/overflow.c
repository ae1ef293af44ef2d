/*
 * The builtins that tell of overflow, for every type and also where the operands and the result differ in type.
 */
#include "observe.h"
#include <stdint.h>

#define CHECKED(name, type, builtin)                                                                                   \
    int name(type a, type b)                                                                                           \
    {                                                                                                                  \
        type result;                                                                                                   \
        int over = builtin(a, b, &result);                                                                             \
                                                                                                                       \
        observe((uint64_t)result);                                                                                     \
        if (over)                                                                                                      \
            return 1;                                                                                                  \
        return 0;                                                                                                      \
    }

//: add_i8 [127, 1] -> 1 | on a b
//: add_i8 [1, 1] -> 0
CHECKED(add_i8, int8_t, __builtin_add_overflow)
//: add_u8 [255, 1] -> 1
CHECKED(add_u8, uint8_t, __builtin_add_overflow)
//: sub_i16 [-32768, 1] -> 1
CHECKED(sub_i16, int16_t, __builtin_sub_overflow)
//: mul_u16 [256, 256] -> 1
CHECKED(mul_u16, uint16_t, __builtin_mul_overflow)
//: add_i32 [2147483647, 1] -> 1
CHECKED(add_i32, int32_t, __builtin_add_overflow)
//: sub_i32 [0, -2147483648] -> 1
CHECKED(sub_i32, int32_t, __builtin_sub_overflow)
//: mul_i32 [65536, 32768] -> 1
//: mul_i32 [3, -4] -> 0
CHECKED(mul_i32, int32_t, __builtin_mul_overflow)
//: add_u32 [4294967295, 1] -> 1
CHECKED(add_u32, uint32_t, __builtin_add_overflow)
//: sub_u32 [0, 1] -> 1
CHECKED(sub_u32, uint32_t, __builtin_sub_overflow)
//: mul_u32 [65536, 65536] -> 1
CHECKED(mul_u32, uint32_t, __builtin_mul_overflow)
//: add_i64 [9223372036854775807, 1] -> 1
CHECKED(add_i64, int64_t, __builtin_add_overflow)
//: sub_i64 [-9223372036854775808, 1] -> 1
CHECKED(sub_i64, int64_t, __builtin_sub_overflow)
//: mul_i64 [4294967296, 2147483648] -> 1
CHECKED(mul_i64, int64_t, __builtin_mul_overflow)
//: add_u64 [18446744073709551615, 1] -> 1
CHECKED(add_u64, uint64_t, __builtin_add_overflow)
//: sub_u64 [1, 2] -> 1
CHECKED(sub_u64, uint64_t, __builtin_sub_overflow)
//: mul_u64 [4294967296, 4294967296] -> 1
CHECKED(mul_u64, uint64_t, __builtin_mul_overflow)
//: add_i128 ["170141183460469231731687303715884105727", 1] -> 1
CHECKED(add_i128, __int128, __builtin_add_overflow)
//: sub_u128 [0, 1] -> 1
CHECKED(sub_u128, unsigned __int128, __builtin_sub_overflow)
//: mul_u128 ["340282366920938463463374607431768211455", 2] -> 1
CHECKED(mul_u128, unsigned __int128, __builtin_mul_overflow)
//: mul_i128 [3, -5] -> 0
CHECKED(mul_i128, __int128, __builtin_mul_overflow)
//: add_bool_like [1, 1] -> 0
CHECKED(add_bool_like, unsigned char, __builtin_add_overflow)

//: mixed_signs [-1, 5] -> 0
//: mixed_signs [-10, 5] -> 1
int mixed_signs(int a, unsigned b)
{
    unsigned result;

    if (__builtin_add_overflow(a, b, &result))
        return 1;
    observe(result);
    return 0;
}

//: mixed_widths [100, 1000] -> 1
//: mixed_widths [1, 2] -> 0
int mixed_widths(int a, long b)
{
    signed char result;

    if (__builtin_mul_overflow(a, b, &result))
        return 1;
    observe((unsigned char)result);
    return 0;
}

//: named [2147483647, 1] -> 1
int named(int a, int b)
{
    int result;

    return __builtin_sadd_overflow(a, b, &result) || __builtin_smul_overflow(a, b, &result);
}

//: predicate [2147483647, 1] -> 1
//: predicate [5, 1] -> 0
int predicate(int a, int b)
{
    int result;

    return (int)observe(__builtin_add_overflow(a, b, &result) ? 1 : 0);
}
