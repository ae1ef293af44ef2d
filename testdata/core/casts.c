/*
 * Conversions between integers of all widths and signs, and pointers as integers.
 */
#include "observe.h"
#include <stdbool.h>
#include <stdint.h>

//: sign_extend [-128] -> -128 | smt sign_extend
int64_t sign_extend(int8_t a) { return (int64_t)observe((uint64_t)(int64_t)a); }

//: zero_extend [255] -> 255
int64_t zero_extend(uint8_t a) { return (int64_t)observe((uint64_t)a); }

//: cut [-1] -> 65535
uint16_t cut(int64_t a) { return (uint16_t)observe((uint16_t)a); }

//: through [65535] -> -1
int through(int a) { return (int)observe((unsigned)(int)(int16_t)(uint16_t)a); }

//: to_bool [256] -> true
//: to_bool [0] -> false
bool to_bool(int a) { return observe((bool)a); }

//: byte_to_bool [128] -> true
bool byte_to_bool(uint8_t a) { return observe((bool)a); }

//: from_bool [true, false] -> 2 | on a b
//: from_bool [true, true] -> 3
int from_bool(bool a, bool b) { return (int)observe((unsigned)(a * 2 + b)); }

//: not_bool [true] -> false
//: not_bool [false] -> true
bool not_bool(bool a)
{
    if (!a)
        return true;
    return false;
}

//: double_to_bool [0.5] -> true
//: double_to_bool [-0.0] -> false
//: double_to_bool ["nan"] -> true
bool double_to_bool(double a) { return a; }

//: char_sign [-61] -> -61
//: char_sign [65] -> 65
int char_sign(char c) { return c < 0 ? c : (int)observe((unsigned char)c); }

//: ternary_types [1, -1, 4294967295] -> 4294967295
//: ternary_types [0, -1, 7] -> 7
int64_t ternary_types(int which, int a, unsigned b) { return (int64_t)observe((uint64_t)(int64_t)(which ? a : b)); }

//: pointer_bits [[7]] -> 0 | own
int pointer_bits(int *p)
{
    uintptr_t bits = (uintptr_t)p;
    int *again = (int *)(bits ^ 0);

    return again != p || (bits & 3) != 0;
}

//: integer_as_pointer [4096] -> 1
//: integer_as_pointer [0] -> 0
int integer_as_pointer(uintptr_t a)
{
    void *p = (void *)a;

    if (p == 0)
        return 0;
    return (uintptr_t)p == a;
}

enum color { RED, GREEN = 5, BLUE = -3 };

//: next_color ["RED"] -> GREEN
//: next_color ["GREEN"] -> BLUE
//: next_color ["BLUE"] -> RED
enum color next_color(enum color c)
{
    switch (c) {
    case RED:
        return GREEN;
    case GREEN:
        return BLUE;
    default:
        return RED;
    }
}

//: enum_arithmetic ["BLUE", 2] -> -6
int enum_arithmetic(enum color c, int16_t n) { return (int)observe((unsigned)(c * n)); }

//: volatile_sum [3, 4] -> 7
int volatile_sum(int a, int b)
{
    volatile int x = a;
    volatile int y = b;

    return (int)observe((unsigned)x + (unsigned)y);
}
