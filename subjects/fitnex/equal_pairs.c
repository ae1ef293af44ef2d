/*
 * A nested loop over the input feeds a later condition: pairs of equal elements are counted, and the number
 * of pairs grows faster than the number of equal elements. Fifteen pairs need six elements that are all the
 * same.
 */
/* start: [[0], 1] */
/* reaches: [[7, 7, 7, 7, 7, 7], 6] */
#include <stddef.h>

int equal_pairs(const int *items, size_t count)
{
    unsigned pairs = 0;

    for (size_t i = 0; i < count; i++) {
        if (items[i] < 1)
            continue;
        for (size_t j = i + 1; j < count; j++) {
            if (items[i] == items[j])
                pairs++;
        }
    }
    if (count < 8 && pairs == 15)
        return 1; /* target */
    return 0;
}
