/* Takes functions as arguments: a comparison, and a filter that may be absent. */
#include <stddef.h>

typedef int (*compare_function)(const void *, const void *);

/* -1, 0 or 1, turned around twice. */
int order(int a, int b, compare_function compare)
{
    int first = compare(&a, &b);
    if (first == 0) {
        return 0;
    }
    int second = compare(&b, &a);
    if ((first < 0) == (second < 0)) {
        return -2;
    }
    return first < 0 ? -1 : 1;
}

unsigned count_if(const unsigned char *bytes, size_t size, _Bool (*filter)(unsigned char))
{
    unsigned count = 0;
    if (filter == NULL) {
        return (unsigned)size;
    }
    for (size_t i = 0; i < size; i++) {
        if (filter(bytes[i])) {
            count++;
        }
    }
    return count;
}
