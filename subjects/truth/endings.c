/* Runs that end before the goal here, and go on elsewhere. */

#include <stdlib.h>

int fault_before(int x)
{
    if (x > 3)
        *(int *)0x20000000 = 1;
    if (x == 7) // feasible
        return 1;
    return 0;
}

int overflow_before(int x)
{
    int y = x + 1;
    if (y < x) // feasible
        return 1;
    return 0;
}

static int scaled(int x)
{
    return x * 3;
}

int overflow_in_a_callee(int x)
{
    if (x < 1000000000)
        return 0;
    if (scaled(x) < 0) // feasible
        return 1;
    return 0;
}

int past_a_table(unsigned i)
{
    static const int table[2][2] = {{1, 2}, {3, 4}};
    const int *row = table[0];
    if (i != 3)
        return 0;
    if (row[i] == 4) // feasible
        return 1;
    return 0;
}

static unsigned depth(unsigned n)
{
    return n == 0 ? 0 : 1 + depth(n - 1);
}

int deep_recursion(unsigned n)
{
    if (n != 60000)
        return 0;
    if (depth(n) == n) // feasible
        return 1;
    return 0;
}

int long_loop(unsigned n)
{
    unsigned i = 0;
    while (i < 24000000)
        i++;
    if (n == 5) // feasible
        return 1;
    return 0;
}

int much_memory(void)
{
    char *p = malloc((size_t)3 << 30);
    if (p != NULL) { // feasible
        free(p);
        return 1;
    }
    return 0;
}
