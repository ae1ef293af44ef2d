/*
 * A matrix of four rows in one array: ones are counted on the main diagonal and twos on the other one.
 * First the number of elements must be right, then eight elements that lie far apart.
 */
/* start: [[0], 1] */
/* reaches: [[1, 0, 0, 2, 0, 1, 2, 0, 0, 2, 1, 0, 2, 0, 0, 1], 16] */
#include <stddef.h>

int diagonal(const int *items, size_t count)
{
    unsigned ones = 0;
    unsigned twos = 0;

    if (count != 16)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        if (items[i * 4 + i] == 1)
            ones++;
        if (items[i * 4 + 3 - i] == 2)
            twos++;
    }
    if (ones == 4 && twos == 4)
        return 1; /* target */
    return 0;
}
