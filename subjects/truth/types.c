/* Types that are hard to follow. */

#include <stdarg.h>

typedef int four __attribute__((vector_size(16)));
enum color { RED, GREEN };

long double level;
four lanes;
double _Complex wave;
struct {
    unsigned a : 3;
    unsigned b : 5;
} flags;

int extended_global(void)
{
    if (level > 3.0L) // feasible
        return 1;
    return 0;
}

int extended_parameter(long double x)
{
    if (x > 3.0L) // feasible
        return 1;
    return 0;
}

int extended_in_between(int x)
{
    long double half = (long double)x * 0.5L;
    if (half == 1.5L) // feasible
        return 1;
    return 0;
}

int vector(void)
{
    if (lanes[2] == 5) // feasible
        return 1;
    return 0;
}

int complex_number(void)
{
    if (__imag__ wave == 2.0) // feasible
        return 1;
    return 0;
}

int outside_the_enumeration(enum color color)
{
    if ((int)color == 77) // feasible
        return 1;
    return 0;
}

int bit_field(void)
{
    if (flags.b == 17) // feasible
        return 1;
    return 0;
}

int wide(__int128 x)
{
    if (x == (__int128)1 << 100) // feasible
        return 1;
    return 0;
}

int more_arguments(int count, ...)
{
    va_list list;
    va_start(list, count);
    int x = count > 0 ? va_arg(list, int) : 0;
    va_end(list);
    if (x == 42) // feasible
        return 1;
    return 0;
}

int variable_length(unsigned n)
{
    if (n < 1)
        return 0;
    if (n > 8)
        return 0;
    int a[n];
    for (unsigned i = 0; i < n; i++)
        a[i] = (int)(i * n);
    if (a[n - 1] == 30) // feasible
        return 1;
    return 0;
}
