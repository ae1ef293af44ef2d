/*
 * A check for a sorted stretch: the longest run of strictly rising elements must have ten of them. Elements
 * are compared with their neighbours, so a new one that fits at the end is better than a change in the
 * middle.
 */
/* start: [[0], 1] */
/* reaches: [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 10] */
#include <stddef.h>

int ascending(const int *items, size_t count)
{
    unsigned run = 1;
    unsigned longest = 1;

    for (size_t i = 1; i < count; i++) {
        if (items[i] > items[i - 1])
            run++;
        else
            run = 1;
        if (run > longest)
            longest = run;
    }
    if (longest == 10)
        return 1; /* target */
    return 0;
}
