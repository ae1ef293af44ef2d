/*
 * Arithmetic of floats: single precision rounds by itself, and converts from and to double and integers.
 */
#include "observe.h"
#include <stdint.h>

//: add [16777216.0, 1.0] -> 16777216.0f
float add(float a, float b) { return observe_float(a + b); }

//: mixed [0.1, 0.2, 3.0] -> -29.98f
float mixed(float a, float b, float c) { return observe_float(a * b - c / a); }

//: negate [-0.0] -> 0.0f
float negate(float a) { return observe_float(-a); }

//: widen [0.1] -> 0.10000000149011612
//: widen ["-inf"] -> -INFINITY
double widen(float a) { return observe_double(a); }

//: narrow [0.1] -> 0.1f
//: narrow [1e300] -> INFINITY
//: narrow ["nan"] -> NAN
float narrow(double a) { return observe_float((float)a); }

//: double_rounding [1.00000005960464477540] -> 1.0000001f
float double_rounding(double a) { return observe_float((float)(a * 1.0000001)); }

//: to_int [-2147483648.0] -> -2147483648
//: to_int [2147483648.0] ends trapped
int to_int(float a) { return (int)observe((unsigned)(int)a); }

//: to_long [-9.2e18] -> -9200000267938955264
long to_long(float a) { return (long)observe((unsigned long)(long)a); }

//: to_byte [255.5] -> 255
//: to_byte [256.0] ends trapped
uint8_t to_byte(float a) { return (uint8_t)observe((uint8_t)a); }

//: from_int [16777217] -> 16777216.0f
float from_int(int a) { return observe_float((float)a); }

//: from_unsigned_long [18446744073709551615] -> 1.8446744e19f
float from_unsigned_long(unsigned long a) { return observe_float((float)a); }

//: from_unsigned [4294967295] -> 4294967300.0f
float from_unsigned(unsigned a) { return observe_float((float)a); }

//: from_byte [255] -> 255.0f
float from_byte(unsigned char a) { return observe_float(a); }

//: clamp [5.0, 0.0, 1.0] -> 1.0f
//: clamp [0.5, 0.0, 1.0] -> 0.5f
//: clamp ["nan", 0.0, 1.0] -> NAN
float clamp(float x, float low, float high)
{
    if (x < low)
        return observe_float(low);
    if (x > high)
        return observe_float(high);
    return observe_float(x);
}

//: through_memory [1.5, 2.5] -> 6.5f
float through_memory(float a, float b)
{
    float cells[2] = {a, b};
    float copy[2];

    __builtin_memcpy(copy, cells, sizeof copy);
    return observe_float(copy[0] + copy[1] * 2);
}

//: promoted [1.5] -> 3.0f
float promoted(float a)
{
    double d = a;

    d = d * 2.0;
    return observe_float((float)d);
}
