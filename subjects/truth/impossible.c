/* Goals that no call can reach. */

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern unsigned sample(void);
extern void report(int code);

static const short steps[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static int mode = 3;
int setting;

struct point {
    unsigned x;
    unsigned y;
};

int clamped(int x)
{
    if (x > 10)
        x = 10;
    if (x > 20) // infeasible
        return 1;
    return 0;
}

int even(unsigned x)
{
    if (x * 2 % 2 == 1) // infeasible
        return 1;
    return 0;
}

int remainder_of_four(unsigned x)
{
    if (x % 4 == 5) // infeasible
        return 1;
    return 0;
}

int between(double x)
{
    if (x > 1.0) {
        if (x < 0.5) // infeasible
            return 1;
    }
    return 0;
}

int ordered(double x)
{
    if (x > 1.0) {
        if (x != x) // infeasible
            return 1;
    }
    return 0;
}

int byte(unsigned char c)
{
    if (c + 1 > 256) // infeasible
        return 1;
    return 0;
}

int table_entry(unsigned i)
{
    if (steps[i & 7] == 8) // infeasible
        return 1;
    return 0;
}

int local_array(unsigned x)
{
    unsigned a[3] = {1, 2, 3};
    if (a[x % 3] == 4) // infeasible
        return 1;
    return 0;
}

int bounded_loop(unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < (n & 3); i++)
        sum += i;
    if (sum == 2) // infeasible
        return 1;
    return 0;
}

static int limited(int x)
{
    return x < 0 ? 0 : x > 100 ? 100 : x;
}

int after_a_callee(int x)
{
    if (limited(x) == 101) // infeasible
        return 1;
    return 0;
}

int length_of_a_constant(int x)
{
    if (strlen(x > 3 ? "abc" : "abcd") == 5) // infeasible
        return 1;
    return 0;
}

int switched(unsigned x)
{
    switch (x & 3) {
    case 2:
        return 0;
    default:
        if ((x & 3) == 2) // infeasible
            return 1;
        return 0;
    }
}

int never_changed(int x)
{
    if (x > mode) {
        if (mode == 4) // infeasible
            return 1;
    }
    return 0;
}

int sample_in_range(void)
{
    unsigned level = sample() & 7;
    if (level == 9) // infeasible
        return 1;
    return 0;
}

int doubled(short s)
{
    long twice = (long)s * 2;
    if (twice == 7) // infeasible
        return 1;
    return 0;
}

int root(double x)
{
    if (x >= 0.0) {
        if (sqrt(x) < 0.0) // infeasible
            return 1;
    }
    return 0;
}

int by_value(unsigned x)
{
    struct point point = {x % 10, x % 5};
    if (point.x + point.y == 14) // infeasible
        return 1;
    return 0;
}

int cancelled(unsigned x)
{
    if ((x ^ x) == 1) // infeasible
        return 1;
    return 0;
}

int counted(unsigned n)
{
    unsigned i = 0;
    if (n > 5)
        return 0;
    while (i < n)
        i++;
    if (i != n) // infeasible
        return 1;
    return 0;
}

int before_a_report(unsigned x)
{
    int found = 0;
    if (x % 8 == 9) // infeasible
        found = 1;
    report(setting);
    return found;
}

int after_an_exit(int x)
{
    if (x < 0)
        exit(1);
    if (x < -5) // infeasible
        return 1;
    return 0;
}

int digits(int c)
{
    if (isdigit(c)) {
        if (c == 'x') // infeasible
            return 1;
    }
    return 0;
}

int global_twice(void)
{
    int a = setting;
    if (a > 5) {
        if (setting < 5) // infeasible
            return 1;
    }
    return 0;
}
