/*
 * Comparisons of floats and doubles: all six with their opposites, where NaN is neither less, equal nor greater, and
 * the classification macros.
 */
#include "observe.h"
#include <math.h>

//: branches [1.0, 2.0] -> 19 | smt fp.lt
//: branches [2.0, 2.0] -> 14 | smt fp.eq
//: branches [0.0, -0.0] -> 14
//: branches [3.0, 2.0] -> 56
//: branches ["nan", 2.0] -> 16
//: branches ["inf", "inf"] -> 14
int branches(double a, double b)
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
    if (a > b)
        result |= 32;
    return result;
}

//: opposites [1.0, 2.0] -> 44
//: opposites ["nan", "nan"] -> 47
int opposites(float a, float b)
{
    int result = 0;

    if (!(a < b))
        result |= 1;
    if (!(a <= b))
        result |= 2;
    if (!(a == b))
        result |= 4;
    if (!(a >= b))
        result |= 8;
    if (!(a != b))
        result |= 16;
    if (!(a > b))
        result |= 32;
    return result;
}

//: values [1.0, 2.0] -> 19
//: values [1.0, "nan"] -> 16
int values(float a, float b)
{
    return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a >= b) << 3 | (a != b) << 4 | (a > b) << 5;
}

//: builtins [1.0, 2.0] -> 28
//: builtins [1.0, "nan"] -> 32
int builtins(double a, double b)
{
    return isgreater(a, b) | isgreaterequal(a, b) << 1 | isless(a, b) << 2 | islessequal(a, b) << 3 |
           islessgreater(a, b) << 4 | isunordered(a, b) << 5;
}

//: builtin_branches [1.0, "nan"] -> 5
//: builtin_branches [1.0, 2.0] -> 2
//: builtin_branches [2.0, 2.0] -> 4
//: builtin_branches [3.0, 2.0] -> 3
int builtin_branches(double a, double b)
{
    if (__builtin_isunordered(a, b))
        return 5;
    if (__builtin_islessgreater(a, b))
        return __builtin_isless(a, b) ? 2 : 3;
    return 4;
}

//: classes [1.0] -> 12
//: classes ["nan"] -> 1
//: classes ["-inf"] -> 18
//: classes [5e-324] -> 4
//: classes [-0.0] -> 20
int classes(double a)
{
    int result = 0;

    if (isnan(a))
        result |= 1;
    if (isinf(a))
        result |= 2;
    if (isfinite(a))
        result |= 4;
    if (isnormal(a))
        result |= 8;
    if (signbit(a))
        result |= 16;
    return result;
}

//: classify [1.0] -> 4
//: classify ["inf"] -> 1
//: classify [1e-310] -> 3
//: classify [0.0] -> 2
int classify(double a) { return fpclassify(a) == FP_NAN ? -1 : fpclassify(a); }

//: float_classes ["nan"] -> 1
//: float_classes [1e-40] -> 4
int float_classes(float a) { return !!isnan(a) | !!isinf(a) << 1 | !!isfinite(a) << 2 | !!isnormal(a) << 3 | !!signbit(a) << 4; }

//: constant [0.5] -> 1
//: constant [0.25] -> 2
int constant(float a)
{
    if (a > 0.3)
        return 1;
    return a == 0.25f ? 2 : 3;
}

//: sort_three [3.0, 1.0, 2.0] -> 1.0
double sort_three(double a, double b, double c)
{
    double t;

    if (a > b)
        t = a, a = b, b = t;
    if (b > c)
        t = b, b = c, c = t;
    if (a > b)
        t = a, a = b, b = t;
    return observe_double(a);
}
