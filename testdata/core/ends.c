/*
 * How runs end other than by returning: exit, abort, assertions, signals, limits; branches before the end are kept.
 */
#include "observe.h"
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//: leaves [3] ends exit(3) | keeps native exit
//: leaves [0] -> 0
int leaves(unsigned char status)
{
    if (status > 0)
        exit(status);
    return 0;
}

//: leaves_at_once [1] ends exit(4)
int leaves_at_once(int a)
{
    if (a)
        _exit(4);
    return 0;
}

//: gives_up [1] ends abort
int gives_up(int a)
{
    if (a)
        abort();
    return 0;
}

//: asserts [5] ends abort
//: asserts [4] -> 4
int asserts(int a)
{
    assert(a != 5);
    return (int)observe((unsigned)a);
}

//: raises [1] ends signal 8
int raises(int a)
{
    if (a)
        raise(SIGFPE);
    return 0;
}

//: divides [0] ends trapped: division by zero
int divides(int a) { return 100 / a; }

//: wild [1] ends signal 11
int wild(int a)
{
    volatile int *p = (int *)16;

    return a ? *p : 0;
}

static int cleaned;
static void clean(void) { cleaned = 1; }

//: registers [1] ends exit(7)
int registers(int a)
{
    atexit(clean);
    if (a)
        exit(7);
    return 0;
}

static volatile sig_atomic_t caught;
static void handler(int number) { caught = number; }

//: handles [10] -> 10 | own
int handles(int a)
{
    signal(SIGUSR1, handler);
    if (a == SIGUSR1)
        raise(SIGUSR1);
    return caught;
}
