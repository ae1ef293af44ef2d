/*
 * stdlib.h: text to numbers, with every digit symbolic; absolute values and divisions.
 */
#include "observe.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

//: to_int ["-42"] -> -42 | on text[0] text[1] text[2]
int to_int(const char *text) { return (int)observe((unsigned)atoi(text)); }

//: to_long ["  +123x"] -> 123
long to_long(const char *text) { return (long)observe((unsigned long)atol(text)); }

//: to_long_long ["99"] -> 99
long long to_long_long(const char *text) { return (long long)observe((unsigned long long)atoll(text)); }

//: with_end ["12ab"] -> 2
//: with_end ["x"] -> 0
long with_end(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    observe((unsigned long)value);
    return end - text;
}

//: any_base ["0x1f"] -> 31
//: any_base ["017"] -> 15
//: any_base ["9"] -> 9
long any_base(const char *text) { return (long)observe((unsigned long)strtol(text, 0, 0)); }

//: too_large ["99999999999999999999"] -> 34
//: too_large ["5"] -> 0
int too_large(const char *text)
{
    errno = 0;
    strtol(text, 0, 10);
    return errno;
}

//: unsigned_value ["ff", 16] -> 255 | on text[0]
unsigned long unsigned_value(const char *text, int base) { return observe(strtoul(text, 0, base)); }

//: long_values ["-7"] -> 18446744073709551588
unsigned long long_values(const char *text)
{
    return observe((unsigned long)strtoll(text, 0, 10) + strtoull(text, 0, 10) + (unsigned long)strtoimax(text, 0, 8) + strtoumax(text, 0, 36));
}

//: real ["2.5"] -> 2.5 | on text[0] text[2]
//: real ["-1e3"] -> -1000.0
//: real ["0x1p4"] -> 16.0
//: real ["inf"] -> INFINITY
double real(const char *text) { return strtod(text, 0); }

//: large_real ["250"] -> 1
//: large_real ["0.5"] -> 0
int large_real(const char *text) { return atof(text) > 100.0; }

//: single ["0.1"] -> 0.1f
float single(const char *text) { return strtof(text, 0); }

//: real_end ["1.5e"] -> 3
long real_end(const char *text)
{
    char *end;

    strtod(text, &end);
    return end - text;
}

//: absolute [-5] -> 5
int absolute(int a) { return a == -2147483647 - 1 ? 0 : (int)observe((unsigned)abs(a)); }

//: long_absolute [-5] -> 10
long long_absolute(int a) { return (long)observe((unsigned long)(labs(a) + llabs(a))); }

//: divided [17, 5] -> 32 | on a b
int divided(short a, short b)
{
    if (b == 0)
        return 0;
    div_t d = div(a, b);

    return (int)observe((unsigned)(d.quot * 10 + d.rem));
}

//: long_divided [-17, 5] -> -32
long long_divided(long a, int b)
{
    if (b == 0 || b == -1)
        return 0;
    ldiv_t d = ldiv(a, b);
    lldiv_t e = lldiv(a, b);

    return (long)observe((unsigned long)d.quot * 10u + (unsigned long)e.rem);
}
