/* State that a run can change, each shown by one driver. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "contract.h"

static int counter = 40;
static char text[8] = "old";
static char big[1 << 20];

static void globals(long *arguments, long *result)
{
    *result = ++counter + (text[0] == 'o') + 2 * (big[500000] == 0) + 4 * (big[0] == 0) + 8 * (big[sizeof big - 1] == 0);
    text[0] = 'n';
    big[0] = big[500000] = big[sizeof big - 1] = 1;
}
/* Addresses and contents of fresh memory, as a checksum. */
static void heap(long *arguments, long *result)
{
    unsigned long sum = 0, blocks[20];
    for (int i = 0; i < 20; i++) {
        unsigned long size = arguments[0] * i + 1;
        blocks[i] = i % 3 ? TW_c_malloc(size) : TW_c_calloc(size, 1);
        sum = sum * 31 + blocks[i];
        unsigned char *bytes = (unsigned char *)blocks[i];
        for (unsigned long k = 0; k < size; k++) {
            if (bytes[k] != (i % 3 ? 0xaa : 0)) { *result = -1; return; }
            bytes[k] = 0x55;
        }
        if (i % 2) TW_c_free(blocks[i / 2 * 2]);
    }
    blocks[1] = TW_c_realloc(blocks[1], 200000);
    unsigned char *bytes = (unsigned char *)blocks[1];
    if (bytes[0] != 0x55 || bytes[199999] != 0xaa) { *result = -2; return; }
    if (TW_c_malloc_usable_size(blocks[1]) < 200000) { *result = -3; return; }
    unsigned long aligned = TW_c_aligned_alloc(4096, 100);
    if (aligned % 4096) { *result = -4; return; }
    *result = (sum * 31 + blocks[1] * 7 + aligned) >> 1;
}
static void odd_sizes(long *arguments, long *result)
{
    errno = 0;
    *result = TW_c_malloc(-1ul) == 0 && errno == ENOMEM;
    *result = *result * 2 + (TW_c_calloc(1ul << 33, 1ul << 33) == 0);
    *result = *result * 2 + (TW_c_malloc(0) != TW_c_malloc(0));
    *result = *result * 2 + (TW_c_realloc(TW_c_malloc(5), 0) == 0);
    unsigned long place = 1;
    *result = *result * 2 + (TW_c_posix_memalign((unsigned long)&place, 3, 8) == EINVAL && place == 1);
    TW_c_free(0);
}
static void sets_errno(long *arguments, long *result) { *result = errno; errno = 33; }
static void rounding(long *arguments, long *result)
{
    *result = fegetround() == FE_TONEAREST && !fetestexcept(FE_ALL_EXCEPT);
    fesetround(FE_UPWARD);
    feraiseexcept(FE_INEXACT);
}
static void rounding_then_trap(long *arguments, long *result) { fesetround(FE_UPWARD); TW_trap(1, 1); }
static void clocks(long *arguments, long *result)
{
    struct timespec now;
    TW_c_clock_gettime(CLOCK_MONOTONIC, (unsigned long)&now);
    *result = TW_c_time(0) * 1000 + now.tv_nsec / 1000000 % 1000;
    TW_c_sleep(100);
    long later = TW_c_time((unsigned long)&now.tv_sec);
    if (later - *result / 1000 != 100 || now.tv_sec != later) *result = -1;
}
static void randoms(long *arguments, long *result)
{
    long first = TW_c_rand(), second = TW_c_random();
    TW_c_srand(7); long a = TW_c_rand();
    TW_c_srand(7); long b = TW_c_rand();
    *result = a == b && first != second ? first : -1;
}
/* Opens a file, and leaves it open in another folder with another locale and environment. */
static void files(long *arguments, long *result)
{
    struct stat found;
    int number = open("left-over", O_CREAT | O_EXCL | O_RDWR, 0644);
    mode_t mask = umask(0777);
    *result = number * 1000 + (stat("folder", &found) != 0) + 10 * (getenv("LEFT") == 0) + 100 * (mask == 022);
    mkdir("folder", 0755);
    close(creat("folder/inside", 0644));
    setenv("LEFT", "over", 1);
    chdir("/");
    close(1);
    alarm(1);
}
static void prints(long *arguments, long *result) { printf("out %ld\n", arguments[0]); fprintf(stderr, "err\n"); }
static void prints_then_exits(long *arguments, long *result) { printf("before exit"); TW_c_exit(0); }
static void floods(long *arguments, long *result) { char block[4096]; memset(block, 'x', sizeof block); for (;;) if (write(1, block, sizeof block) < 0) step(); }
static int is_set;
static void set_by_host(long *arguments, long *result) { *result = is_set; is_set = 99; }
/* What an uninitialised variable would see of earlier runs. */
static void stack(long *arguments, long *result)
{
    volatile unsigned char frame[4096];
    *result = 0;
    for (int i = 0; i < 4000; i++) *result += frame[i];
    for (int i = 0; i < 4096; i++) frame[i] = 0x77;
}

ENTRIES(globals, heap, odd_sizes, sets_errno, rounding, rounding_then_trap, clocks, randoms, files, prints,
        prints_then_exits, floods, set_by_host, stack);
GLOBALS({&counter, sizeof counter}, {text, sizeof text}, {big, sizeof big}, {&is_set, sizeof is_set});
NO_TABLES;
NEEDS(15);
