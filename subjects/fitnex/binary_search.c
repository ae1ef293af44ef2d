/*
 * A binary search over an array that must be sorted first. The key is to be found at the fourth probe,
 * which takes an array of at least eight elements and a key in the right place; the number of probes is
 * known only after the loop.
 */
/* start: [[0], 1, 5] */
/* reaches: [[1, 2, 3, 4, 5, 6, 7, 8], 8, 1] */
#include <stddef.h>

int binary_search(const int *items, size_t count, int key)
{
    size_t low = 0;
    size_t high = count;
    unsigned probes = 0;

    for (size_t i = 1; i < count; i++) {
        if (items[i - 1] >= items[i])
            return -1;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        probes++;
        if (items[middle] == key)
            break;
        if (items[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < high && probes == 4)
        return 1; /* target */
    return 0;
}
