/*
 * A variant of TestLoop with two arrays. The number of hits wanted in the first depends on the number of
 * hits in the second, so progress in one loop alone can take the other condition further away.
 */
/* start: [[0], 1, [0], 1] */
/* reaches: [[15, 15, 15, 15, 15, 15, 15], 7, [0, 1, 2, 3], 4] */
#include <stddef.h>

int test_loop_pair(const int *items, size_t count, const int *y, size_t n)
{
    unsigned left = 0;
    unsigned right = 0;

    for (size_t i = 0; i < count; i++) {
        if (items[i] == 15)
            left++;
    }
    for (size_t i = 0; i < n; i++) {
        if (y[i] == (int)right)
            right++;
    }
    if (right == 4 && left == right + 3)
        return 1; /* target */
    return 0;
}
