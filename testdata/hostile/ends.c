/* Runs that do not come back, or not as usual. */
#include "hostile.h"
#include <setjmp.h>
#include <sys/time.h>

static jmp_buf nowhere;

/* Raises a signal that nobody can catch. says: signal */
int kills_itself(int x)
{
    if (x > 3) raise(SIGKILL);
    return x;
}
/* Stops itself. says: timeout */
int stops_itself(int x)
{
    if (x > 3) raise(SIGSTOP);
    return x;
}
static void again(int number)
{
    (void)number;
}
/* Handles a fault by returning to it. says: segmentation fault */
int survives_fault(int x)
{
    if (x > 3) {
        signal(SIGSEGV, again);
        *(volatile int *)16 = x;
    }
    return x;
}
/* Rings a clock that ends it. says: signal */
int rings(int x)
{
    if (x > 3) {
        struct itimerval soon = {{0, 1000}, {0, 1000}};
        setitimer(ITIMER_REAL, &soon, 0);
        pause();
    }
    return x;
}
/* Sleeps for a day. says: wants to sleep */
int sleeps(int x)
{
    if (x > 3) sleep(86400);
    return x;
}
/* Waits for a signal that never comes. says: timeout */
int waits(int x)
{
    if (x > 3) pause();
    return x;
}
/* Loops for ever. says: step limit */
int loops(int x)
{
    volatile int count = 0;
    if (x > 3)
        for (;;)
            count++;
    return x;
}
static int deeper(volatile int *place, int x)
{
    volatile int own = x + *place;
    return x < 0 ? 0 : deeper(&own, x) + own;
}
/* Calls itself for ever. says: stack overflow */
int recurses(int x)
{
    volatile int start = 1;
    if (x > 3) return deeper(&start, 0);
    return x;
}
/* Jumps to where nobody has been. says: segmentation fault */
int jumps(int x)
{
    if (x > 3) longjmp(nowhere, x);
    return x;
}
static void at_end(void)
{
    remove(CANARY);
}
/* Ends the process, which deletes a file. says: wants to delete files */
int exits(int x)
{
    if (x > 3) {
        atexit(at_end);
        exit(0);
    }
    return x;
}
/* Ends the process at once. says: 2 tests */
int exits_at_once(int x)
{
    if (x > 3) _exit(0);
    return x;
}
/* Ends the process quickly. says: 2 tests */
int exits_quickly(int x)
{
    if (x > 3) quick_exit(7);
    return x;
}
/* Gives up. says: abort */
int aborts(int x)
{
    if (x > 3) abort();
    return x;
}
