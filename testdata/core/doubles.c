/*
 * Arithmetic of doubles: all operations, rounding, infinities, NaN and signed zeros, conversions from and to integers.
 */
#include "observe.h"
#include <stdint.h>

//: add [0.1, 0.2] -> 0.30000000000000004 | smt fp.add
//: add ["inf", "-inf"] -> -NAN
double add(double a, double b) { return observe_double(a + b); }

//: subtract [1.0, 1.0] -> 0.0 | smt fp.sub
//: subtract [-0.0, 0.0] -> -0.0
double subtract(double a, double b) { return observe_double(a - b); }

//: multiply [1e300, 1e10] -> INFINITY | smt fp.mul
//: multiply [1e-300, 1e-300] -> 0.0
double multiply(double a, double b) { return observe_double(a * b); }

//: divide [1.0, 3.0] -> 0.3333333333333333 | smt fp.div
//: divide [1.0, -0.0] -> -INFINITY
//: divide [0.0, 0.0] -> -NAN
double divide(double a, double b) { return observe_double(a / b); }

//: negate [0.0] -> -0.0 | smt fp.neg
double negate(double a) { return observe_double(-a); }

//: polynomial [1.5] -> 3.875
double polynomial(double x) { return observe_double(((x - 2.0) * x + 3.0) * x + 0.5); }

//: to_int [-3.99] -> -3
//: to_int [2147483648.0] ends trapped: float to integer conversion out of range
//: to_int ["nan"] ends trapped: float to integer conversion out of range
int to_int(double a) { return (int)observe((unsigned)(int)a); }

//: to_unsigned [4294967295.5] -> 4294967295
//: to_unsigned [-1.0] ends trapped
unsigned to_unsigned(double a) { return (unsigned)observe((unsigned)a); }

//: to_long [9.2e18] -> 9200000000000000000
long to_long(double a) { return (long)observe((unsigned long)(long)a); }

//: to_unsigned_long [1.8e19] -> 18000000000000000000
unsigned long to_unsigned_long(double a) { return observe((unsigned long)a); }

//: to_char [127.9] -> 127
//: to_char [128.0] ends trapped
signed char to_char(double a) { return (signed char)observe((unsigned char)(signed char)a); }

//: from_int [-2147483648] -> -2147483648.0
double from_int(int a) { return observe_double(a); }

//: from_unsigned_long [18446744073709551615] -> 1.8446744073709552e19
double from_unsigned_long(unsigned long a) { return observe_double((double)a); }

//: from_long [-9223372036854775807] -> -9.223372036854776e18
double from_long(long a) { return observe_double((double)a); }

//: from_short [-32768] -> -32768.0
double from_short(short a) { return observe_double(a); }

//: from_bool [true] -> 1.0
double from_bool(_Bool a) { return observe_double(a); }

//: bits [1.0] -> 4607182418800017408
//: bits [-0.0] -> 9223372036854775808
uint64_t bits(double a)
{
    uint64_t result;

    __builtin_memcpy(&result, &a, sizeof result);
    return observe(result);
}

//: is_integer [3.0] -> 1
//: is_integer [3.5] -> 0
int is_integer(double a) { return a >= -1e9 && a <= 1e9 && (double)(int)a == a; }

//: mean [[1.0, 2.5, 4.0], 3] -> 2.5
double mean(const double *values, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += values[i];
    return observe_double(sum / n);
}

//: sign_of_zero [0.0] -> 1
//: sign_of_zero [-0.0] -> 2
//: sign_of_zero [1.0] -> 0
int sign_of_zero(double a)
{
    if (a == 0)
        return 1 / a > 0 ? 1 : 2;
    return 0;
}
