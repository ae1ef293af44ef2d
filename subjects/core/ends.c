/*
 * Six ways in which a function does not return: the crash benchmark takes them in turn, and each must be
 * recognised for what it is.
 */
#include <stdlib.h>

static int deep(int n)
{
    volatile char frame[4096];

    frame[0] = (char)n;
    return deep(n + 1) + frame[0];
}

int end(int kind)
{
    volatile int zero = 0;
    int *nowhere = NULL;

    switch (kind) {
    case 0:
        return *nowhere;
    case 1:
        return 1 / zero;
    case 2:
        abort();
    case 3:
        return deep(0);
    case 4:
        for (;;)
            zero = 0;
    case 5:
        exit(3);
    default:
        return kind;
    }
}
