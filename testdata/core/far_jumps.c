/*
 * setjmp and longjmp: a jump out of nested calls, with values that survive it.
 */
#include "observe.h"
#include <setjmp.h>

static jmp_buf place;

static void check(int a)
{
    if (a > 100)
        longjmp(place, 2);
    if (a < 0)
        longjmp(place, 1);
}

//: guarded [5] -> 5
//: guarded [-1] -> -1
//: guarded [101] -> -2
int guarded(int a)
{
    switch (setjmp(place)) {
    case 1:
        return -1;
    case 2:
        return -2;
    }
    check(a);
    return (int)observe((unsigned)a);
}

//: retries [3] -> 3
int retries(unsigned char n)
{
    volatile int count = 0;

    setjmp(place);
    if (count < n) {
        count++;
        longjmp(place, 1);
    }
    return count;
}

static int depth(int n, int limit)
{
    if (n == limit)
        longjmp(place, n + 1);
    return depth(n + 1, limit);
}

//: unwinds [5, 7] -> 13
int unwinds(unsigned char limit, unsigned char after)
{
    int reached = setjmp(place);

    if (reached == 0)
        return depth(0, limit);
    return (int)observe((unsigned)(reached + after));
}
