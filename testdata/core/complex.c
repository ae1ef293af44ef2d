/*
 * Complex numbers: pairs of floats with operations of their own, passed and returned in vector registers.
 */
#include "observe.h"
#include <complex.h>

//: product [1.0, 2.0, 3.0, 4.0] -> -5.0 | on a d
double product(double a, double b, double c, double d)
{
    double _Complex x = a + b * I, y = c + d * I;

    return observe_double(__real__(x * y));
}

static double _Complex conjugated(double _Complex z) { return __real__ z - __imag__ z * I; }

//: conjugate [1.0, 2.0] -> -2.0
double conjugate(double a, double b)
{
    double _Complex z = conjugated(a + b * I);

    return observe_double(__imag__ z);
}

static float _Complex half(float _Complex z) { return z / 2.0f; }

//: halved [3.0, 5.0] -> 2.5f
float halved(float a, float b)
{
    float _Complex z;

    __real__ z = a;
    __imag__ z = b;
    z = half(z);
    return observe_float(__imag__ z);
}

//: same [1.0, 2.0] -> 1
//: same [1.0, 3.0] -> 0
int same(double a, double b)
{
    double _Complex z = a + b * I;

    return z == 1.0 + 2.0 * I;
}

//: called [1.0, 2.0] -> 1.0 | keeps native creal | concrete
double called(double a, double b) { return creal(a + b * I); }
