/*
 * The functions of math.h that are exact operations: they have expressions of their own, as calls and as builtins.
 */
#include "observe.h"
#include <math.h>

//: absolute [-0.0] -> 0.0 | smt fp.abs
//: absolute [-2.5] -> 2.5
double absolute(double a) { return observe_double(fabs(a)); }

//: root [2.0] -> 1.4142135623730951 | smt fp.sqrt
//: root [-1.0] -> -NAN
double root(double a) { return observe_double(sqrt(a)); }

//: down [-2.5] -> -3.0 | smt fp.roundToIntegral
double down(double a) { return observe_double(floor(a)); }

//: up [-2.5] -> -2.0
double up(double a) { return observe_double(ceil(a)); }

//: cut [-2.5] -> -2.0
double cut(double a) { return observe_double(trunc(a)); }

//: even [2.5] -> 2.0
//: even [3.5] -> 4.0
double even(double a) { return observe_double(rint(a)); }

//: nearby [-0.5] -> -0.0
double nearby(double a) { return observe_double(nearbyint(a)); }

//: away [2.5] -> 3.0
//: away [-0.5] -> -1.0
//: away [0.49999999999999994] -> 0.0
double away(double a) { return observe_double(round(a)); }

//: remainder_of [5.5, -2.0] -> 1.5
//: remainder_of [-1e300, 3.0] -> -0.0
//: remainder_of [1.0, 0.0] -> -NAN
double remainder_of(double a, double b) { return observe_double(fmod(a, b)); }

//: fused [3.0, 5.0, -15.0] -> 0.0 | smt fp.fma
double fused(double a, double b, double c) { return observe_double(fma(a, b, c)); }

//: signed_like [3.0, -0.0] -> -3.0
double signed_like(double a, double b) { return observe_double(copysign(a, b)); }

//: singles [2.5, -1.5] -> -10.0f
float singles(float a, float b)
{
    return observe_float(fabsf(a) + floorf(b) + ceilf(a) * truncf(b) - roundf(a) + rintf(b) + copysignf(a, b));
}

//: single_root [2.0] -> 1.4142135f
float single_root(float a) { return observe_float(sqrtf(a)); }

//: single_remainder [5.5, 2.0] -> 1.5f
float single_remainder(float a, float b) { return observe_float(fmodf(a, b)); }

//: single_fused [0.1, 10.0, -1.0] -> 1.4901161e-8f
float single_fused(float a, float b, float c) { return observe_float(fmaf(a, b, c)); }

//: builtins [-2.5] -> 7.5
double builtins(double a)
{
    return observe_double(__builtin_fabs(a) + __builtin_floor(a) * __builtin_ceil(a) + __builtin_trunc(a) +
                          __builtin_rint(a) - __builtin_round(a));
}

//: builtin_copysign [1.0, -2.0] -> -1.0
double builtin_copysign(double a, double b) { return observe_double(__builtin_copysign(a, b)); }

//: smaller [1.0, 2.0] -> 1.0 | on a b
//: smaller ["nan", 2.0] -> 2.0
double smaller(double a, double b) { return observe_double(fmin(a, b)); }

//: larger [1.0, 2.0] -> 2.0
double larger(double a, double b) { return observe_double(fmax(a, b)); }
