/*
 * A variant of TestLoop in which elements count differently: 15 adds one, 9 adds four, 4 takes two away.
 * The flip that gains most is not the one that was tried last, and a step in the wrong direction can be
 * made up for later.
 */
/* start: [0, [0], 1] */
/* reaches: [90, [9, 9, 9, 9, 9, 9, 9, 15, 15, 15], 10] */
#include <stddef.h>

int test_loop_steps(int x, const int *y, size_t n)
{
    unsigned total = 0;

    if (x != 90)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (y[i] == 15)
            total += 1;
        else if (y[i] == 9)
            total += 4;
        else if (y[i] == 4 && total >= 2)
            total -= 2;
    }
    if (total == 31)
        return 1; /* target */
    return 0;
}
