/*
 * The loop of the Fitnex paper with a target that no input reaches, so that a search of it does not end. It looks at 16 elements
 * at most, so that paths stay short.
 */
#include <stddef.h>

int count(int x, const int *y, size_t n)
{
    if (x == 90) {
        for (size_t i = 0; i < n && i < 16; i++) {
            if (y[i] == 15)
                x++;
        }
        if (x < 90)
            return 1;
    }
    return 0;
}
