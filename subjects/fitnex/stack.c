/*
 * A bounded stack driven by an array of operations: 1 to 9 push that number, 0 adds the upper two, -1
 * doubles the top. Five numbers must be on the stack and the top must be 15, which no single push can give.
 */
/* start: [[-2], 1] */
/* reaches: [[1, 1, 1, 1, 9, 6, 0], 7] */
#include <stddef.h>

int stack(const int *items, size_t count)
{
    unsigned values[8];
    size_t depth = 0;

    for (size_t i = 0; i < count; i++) {
        if (items[i] >= 1 && items[i] <= 9) {
            if (depth == 8)
                return -1;
            values[depth] = (unsigned)items[i];
            depth++;
        } else if (items[i] == 0) {
            if (depth < 2)
                return -1;
            depth--;
            values[depth - 1] += values[depth];
        } else if (items[i] == -1) {
            if (depth < 1)
                return -1;
            values[depth - 1] *= 2;
        }
    }
    if (depth == 5 && values[4] == 15)
        return 1; /* target */
    return 0;
}
