/*
 * The functions of math.h that appear in expressions by name.
 */
#include "observe.h"
#include <math.h>

//: sine [0.0] -> 0 | smt libm_sin
//: sine [1.0] -> 1 | smt libm_sin | on x
int sine(double x)
{
    if (sin(x) > 0.5)
        return 1;
    return 0;
}

//: trigonometry [0.5] -> 2.742639350667978
double trigonometry(double x) { return observe_double(sin(x) + cos(x) * tan(x) - asin(x / 4) + acos(x / 4) + atan(x)); }

//: hyperbolic [0.5] -> -0.38415441907618825
double hyperbolic(double x) { return observe_double(sinh(x) - cosh(x) + tanh(x) * asinh(x)); }

//: inverse_hyperbolic [1.5] -> 1.5117297944532617
double inverse_hyperbolic(double x) { return observe_double(acosh(x) + atanh(x - 1)); }

//: exponentials [0.75] -> 3.9955626362285503 | smt libm_exp
double exponentials(double x) { return observe_double(exp(x) + exp2(x) * expm1(x)); }

//: logarithms [8.0] -> 11.179756106008 | smt libm_log
//: logarithms [-1.0] -> NAN
double logarithms(double x) { return observe_double(log(x) + log2(x) + log10(x) + log1p(x) + logb(x)); }

//: powers [2.0, 10.0] -> 1024.0 | smt libm_pow | on x y
//: powers [-8.0, 0.5] -> -NAN
double powers(double x, double y) { return observe_double(pow(x, y)); }

//: two [3.0, 4.0] -> 4.643501108793284 | smt libm_hypot
double two(double x, double y) { return observe_double(hypot(x, y) + atan2(x, y) + remainder(x, y) + fdim(x, y)); }

//: special [0.5] -> 4.746892641805303
double special(double x) { return observe_double(cbrt(x) + erf(x) + erfc(x) + tgamma(x) + j0(x) + j1(x)); }

//: gamma_and_bessel [2.5] -> 0.9286713680549368
double gamma_and_bessel(double x) { return observe_double(lgamma(x) + y0(x) + y1(x)); }

//: scaled [1.5, 4] -> 24.0 | smt libm_ldexp | on x n
double scaled(double x, int n) { return observe_double(ldexp(x, n)); }

//: scaled_again [1.5, -1] -> 0.75
double scaled_again(double x, int n) { return observe_double(scalbn(x, n)); }

//: exponent_of [1024.0] -> 10 | smt libm_ilogb
int exponent_of(double x) { return (int)observe((unsigned)ilogb(x)); }

//: rounded [2.5] -> 3 | smt libm_lround
long rounded(double x) { return (long)observe((unsigned long)lround(x)); }

//: rounded_even [2.5] -> 2
long rounded_even(double x) { return (long)observe((unsigned long)lrint(x)); }

//: next [1.0, 2.0] -> 1.0000000000000002
double next(double x, double y) { return observe_double(nextafter(x, y)); }

//: singles [0.5] -> 3.6542728f | smt libm_sinf
float singles(float x) { return observe_float(sinf(x) + cosf(x) * tanf(x) + expf(x) - logf(x) + powf(x, 1.5f)); }

//: more_singles [0.25, 3.0] -> 9.7857895f
float more_singles(float x, float y)
{
    return observe_float(atan2f(x, y) + hypotf(x, y) + fminf(x, y) + fmaxf(x, y) + cbrtf(y) + ldexpf(x, 3));
}

//: builtin [1.0] -> 4.559752813266941 | smt libm_sin
double builtin(double x) { return observe_double(__builtin_sin(x) + __builtin_exp(x) + __builtin_log(x) + __builtin_pow(x, x)); }

/* Functions with a pointer for a second result are called natively: what they return is concrete. */
//: split [3.25] -> 0.25 | keeps native modf | concrete
double split(double x)
{
    double whole;

    return modf(x, &whole);
}

//: mantissa [8.0] -> 0.5 | keeps native frexp | concrete
double mantissa(double x)
{
    int exponent;

    return frexp(x, &exponent);
}
