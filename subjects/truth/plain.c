/* Code that can be followed completely: every goal here is to be covered. */

#include <ctype.h>
#include <string.h>

static const short steps[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int setting;

int equation(unsigned x, unsigned y)
{
    if (x * 7 + y == 4242) { // feasible
        return 1;
    }
    return 0;
}

int table_entry(unsigned i)
{
    if (steps[i % 8] == 9) // feasible
        return 1;
    return 0;
}

int fraction(double x)
{
    if (x * x - 2.0 * x == 8.0) // feasible
        return 1;
    return 0;
}

int single(float x)
{
    if (x / 3.0f == 2.5f) // feasible
        return 1;
    return 0;
}

int loop(unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < (n & 7); i++)
        sum += i * i;
    if (sum == 55) // feasible
        return 1;
    return 0;
}

int narrow(signed char c, short s)
{
    if ((long)c * s == -3000) // feasible
        return 1;
    return 0;
}

int setting_and_digit(int c)
{
    if (setting != 99)
        return 0;
    if (isdigit(c)) // feasible
        return 1;
    return 0;
}

int text(const char *given)
{
    if (strcmp(given, "open") == 0) // feasible
        return 1;
    return 0;
}
