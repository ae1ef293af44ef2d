/* Drivers that trace by hand, as a trace build would. */
#include "contract.h"

static int global = 5;

/* The handle of the first argument's four bytes, or what became of it in memory that was moved. */
static unsigned handle_of(void *address) { return TW_load(1, 0, (unsigned long)address, 4, *(unsigned *)address); }

static void moves(long *arguments, long *result)
{
    int *block = (int *)TW_c_malloc(16);
    TW_copy((unsigned long)block, (unsigned long)arguments, 4);
    block[0] = *(int *)arguments;
    unsigned before = handle_of(block);
    block = (int *)TW_c_realloc((unsigned long)block, 4000);
    unsigned after = handle_of(block);
    TW_c_free((unsigned long)block);
    int *fresh = (int *)TW_c_malloc(4000);
    unsigned reused = fresh == block ? handle_of(fresh) : 99;
    *result = (before != 0 && before == after) + 10 * (reused == 0);
}
static void reads_global(long *arguments, long *result) { *result = handle_of(&global) != 0; }
static void time_is_concrete(long *arguments, long *result)
{
    unsigned before = handle_of(arguments);
    TW_c_time((unsigned long)arguments);
    *result = before != 0 && handle_of(arguments) == 0;
}

ENTRIES(moves, reads_global, time_is_concrete);
GLOBALS({&global, sizeof global});
NO_TABLES;
NEEDS(4);
