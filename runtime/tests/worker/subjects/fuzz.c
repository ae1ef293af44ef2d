/* A run that depends on everything a run can depend on, and one that overwrites words wherever it is told. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "contract.h"

long syscall(long, ...);

static long numbers[64] = {3, 1, 4, 1, 5, 9, 2, 6};
static long zeros[600];
static long twice(long x) { return 2 * x; }
static long (*function)(long) = twice;

static void clean(long *arguments, long *result)
{
    unsigned long sum = arguments[0];
    hit(sum & 1);
    for (int i = 0; i < 64; i++) sum = sum * 31 + numbers[i]++;
    for (int i = 0; i < 600; i++) sum = sum * 31 + zeros[i]++;
    for (int i = 0; i < 20; i++) {
        unsigned char *zeroed = (unsigned char *)TW_c_calloc(3, 100);
        unsigned char *fresh = (unsigned char *)TW_c_malloc(64);
        for (int k = 0; k < 300; k++) sum = sum * 31 + zeroed[k]++;
        for (int k = 0; k < 64; k++) sum = sum * 31 + fresh[k];
        if (i & 1) TW_c_free((unsigned long)fresh);
    }
    sum = sum * 31 + TW_c_rand();
    sum = sum * 31 + TW_c_time(0);
    sum = sum * 31 + errno;
    sum = sum * 31 + function(sum);
    sum = sum * 31 + strlen("depends on the C library");
    errno = 5;
    step();
    *result = sum;
}

static unsigned long state;
static unsigned long next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void overwrites(long *arguments, long *result)
{
    unsigned long seed = arguments[0], start = arguments[1], words = arguments[2] / 8;
    long count = arguments[3], way = arguments[4];
    state = seed | 1;
    for (long i = 0; i < 8; i++) next();
    if (count == 0)
        memset((void *)start, (int)seed, words * 8);
    for (long i = 0; i < count; i++) {
        unsigned long place = start + next() % words * 8, value = next();
        unsigned long own = state;
        switch (value % 5) {
        case 0: value = 0; break;
        case 1: value = -1ul; break;
        case 2: value = value >> 50; break;
        case 3: value = start + value % (words * 8); break;
        }
        *(volatile unsigned long *)place = value;
        state = own;
    }
    switch (way) {
    case 1: *(volatile int *)8 = 1;
    case 2: for (;;) __asm__ volatile("");
    case 3: syscall(SYS_exit_group, (int)seed);
    case 4: TW_c_exit(seed);
    case 5: TW_c_abort();
    case 6: for (;;) step();
    }
}

ENTRIES(clean, overwrites);
GLOBALS({numbers, sizeof numbers}, {zeros, sizeof zeros}, {&function, sizeof function}, {&state, sizeof state});
NO_TABLES;
NEEDS(4);
