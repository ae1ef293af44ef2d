/*
 * The loop of Figure 1 of the Fitnex paper. Only `x == 90` opens the loop, and only an array with exactly
 * twenty elements equal to 15 leads to `x == 110`: the array must grow, and every step towards the target
 * looks like the one before except for the distance at the last condition.
 */
/* start: [0, [0], 1] */
/* reaches: [90, [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15], 20] */
#include <stddef.h>

int test_loop(int x, const int *y, size_t n)
{
    if (x == 90) {
        for (size_t i = 0; i < n; i++) {
            if (y[i] == 15)
                x++;
        }
        if (x == 110)
            return 1; /* target */
    }
    return 0;
}
