/* One driver for each way a run can end. */
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "contract.h"

static void returns(long *arguments, long *result) { hit(0); *result = arguments[0] + arguments[1]; }
static void traps(long *arguments, long *result) { hit(1); TW_trap(77, 3); }
static void null_write(long *arguments, long *result) { hit(2); TW_SITE = 5; *(volatile int *)8 = 1; }
static void exits(long *arguments, long *result) { TW_c_exit(arguments[0]); }
static void aborts(long *arguments, long *result) { TW_c_abort(); }
static int depth(int n) { volatile char frame[200]; frame[n % 200] = n; return n == 0 ? 0 : depth(n + 1) + frame[n % 200]; }
static void recurses(long *arguments, long *result) { *result = depth(1); }
static void loops(long *arguments, long *result) { for (;;) step(); }
static void allocates(long *arguments, long *result) { for (;;) TW_c_malloc(1000); }
static void double_free(long *arguments, long *result) { unsigned long p = TW_c_malloc(10); TW_c_free(p); TW_c_free(p); }
static void hangs(long *arguments, long *result) { for (;;) __asm__ volatile(""); }
static void divides(long *arguments, long *result) { volatile int zero = 0; *result = 12345 / zero; }
static void native_abort(long *arguments, long *result) { abort(); }
static void illegal(long *arguments, long *result) { __builtin_trap(); }
static void asserts(long *arguments, long *result) { TW_c___assert_fail((unsigned long)"x > 0", (unsigned long)"file.c", 12, (unsigned long)"f"); }
static void free_of_stack(long *arguments, long *result) { int x; TW_c_free((unsigned long)&x & ~15ul); }
static void big_frame(long *arguments, long *result) { volatile char *frame = alloca(arguments[0]); frame[0] = 1; *result = frame[0]; }
static long order;
static void first(void) { order = order * 10 + 1; }
static void second(void) { order = order * 10 + 2; TW_c_atexit((unsigned long)first); }
static void at_exit(long *arguments, long *result)
{
    order = 0;
    TW_c_atexit((unsigned long)first);
    TW_c_atexit((unsigned long)second);
    TW_c_exit(4);
}
static void order_seen(long *arguments, long *result) { *result = order; }
static void raises(long *arguments, long *result) { raise(arguments[0]); *result = 1; }
static long handled;
static void handler(int number) { handled = number; }
static void raises_handled(long *arguments, long *result)
{
    TW_c_signal(SIGUSR1, (unsigned long)handler);
    *result = TW_c_signal(SIGUSR1, (unsigned long)handler) == (unsigned long)handler;
    raise(SIGUSR1);
    *result = *result * 100 + handled;
}
static void reads(long *arguments, long *result) { *result = *(volatile char *)arguments[0]; }
static void exits_in_handler(int number) { TW_c_exit(9); }
static void exits_from_signal(long *arguments, long *result) { TW_c_signal(SIGUSR2, (unsigned long)exits_in_handler); raise(SIGUSR2); }
static void free_inside(long *arguments, long *result) { unsigned long p = TW_c_malloc(100); TW_c_free(p + 16); }
static void frees(long *arguments, long *result)
{
    long i;

    for (i = 0; i < arguments[1]; i++)
        TW_c_free(arguments[0]);
    *result = arguments[2] ? *(volatile char *)arguments[0] : 1;
}
static void reallocates(long *arguments, long *result) { *result = *(char *)TW_c_realloc(arguments[0], 32); }
static void calls_stubs(long *arguments, long *result)
{
    *result = TW_c_tw_stub_call(3);
    *result += 10 * TW_c_tw_stub_call(1);
    *result += 100 * TW_c_tw_stub_call(3);
}

ENTRIES(returns, traps, null_write, exits, aborts, recurses, loops, allocates, double_free, hangs, divides,
        native_abort, illegal, asserts, free_of_stack, big_frame, at_exit, order_seen, raises, raises_handled, reads,
        0, exits_from_signal, free_inside, frees, reallocates, calls_stubs);
NO_GLOBALS;
NO_TABLES;
NEEDS(0);
