/* Drivers with a known number of instructions in a loop, and some that do not return or trap by themselves. */
#include "contract.h"

static void loops(long *arguments, long *result)
{
    long left = arguments[0];
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(left) : : "cc");
    *result = 1;
}
static void exits(long *arguments, long *result) { TW_c_exit(3); }
static void breaks(long *arguments, long *result) { __asm__ volatile("int3"); }
static void returns(long *arguments, long *result) { }

ENTRIES(loops, exits, breaks, returns);
NO_GLOBALS;
NO_TABLES;
NEEDS(0);
