/*
 * An accumulator with a threshold: deposits of at most 250 and withdrawals that must be covered. The
 * balance must come to 1000 although two withdrawals are asked for, so the array needs several elements of
 * both signs in a workable order.
 */
/* start: [[0], 1] */
/* reaches: [[250, 250, 250, 250, 250, -1, -1], 7] */
#include <stddef.h>

int account(const int *items, size_t count)
{
    long balance = 0;
    unsigned withdrawals = 0;

    for (size_t i = 0; i < count; i++) {
        if (items[i] > 250)
            return -1;
        if (items[i] < 0) {
            withdrawals++;
            if (balance + items[i] < 0)
                return -2;
        }
        balance += items[i];
    }
    if (withdrawals == 2 && balance >= 1000)
        return 1; /* target */
    return 0;
}
