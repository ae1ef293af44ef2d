/* Tiny functions for batches. */
#include "contract.h"

static int triangle(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0) { hit(0); return 0; }
    if (a + b <= c || b + c <= a || a + c <= b) { hit(1); return 1; }
    if (a == b && b == c) { hit(2); return 3; }
    if (a == b || b == c || a == c) { hit(3); return 2; }
    hit(4);
    return 4;
}
static void drive_triangle(long *arguments, long *result) { *result = triangle(arguments[0], arguments[1], arguments[2]); }

/* Every way to end, chosen by a small number. */
static void drive_ends(long *arguments, long *result)
{
    switch (arguments[0] & 7) {
    case 0: TW_trap(10, 1);
    case 1: TW_trap(11, 1);
    case 2: TW_c_exit(2);
    case 3: TW_c_abort();
    case 4: for (;;) step();
    case 5: hit(5); *result = 5; break;
    default: *result = 6;
    }
}
/* A fault at a value that a draw hits only now and then. */
static void drive_fault(long *arguments, long *result)
{
    hit(6);
    if (arguments[0] == 3) *(volatile int *)0 = 1;
}
/* Writes to its object; news if it ever sees what an earlier iteration has left there. */
static void drive_object(long *arguments, long *result)
{
    long *object = (long *)arguments[1];
    if (object[0] != 1234) hit(7);
    object[0] = arguments[0];
    hit(8);
}
/* Every iteration brings news: to fill the list. */
static void drive_news(long *arguments, long *result) { TW_NEWS++; }

ENTRIES(drive_triangle, drive_ends, drive_fault, drive_object, drive_news);
NO_GLOBALS;
NO_TABLES;
NEEDS(0);
