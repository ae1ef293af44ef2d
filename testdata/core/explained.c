/*
 * What has no expression is said, not silently made concrete: inline assembly, atomics, long double, computed jumps,
 * functions of other libraries, 256-bit integers.
 */
#include "observe.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

//: assembly [3, 4] -> 7 | keeps unsupported inline assembly | concrete
unsigned assembly(unsigned a, unsigned b)
{
    unsigned sum;

    __asm__("addl %2, %0" : "=r"(sum) : "0"(a), "r"(b));
    return sum;
}

//: assembly_memory [3] -> 4 | keeps unsupported inline assembly | concrete
unsigned assembly_memory(unsigned a)
{
    unsigned cell = a;

    __asm__("incl %0" : "+m"(cell));
    return cell;
}

//: barrier [3] -> 3
unsigned barrier(unsigned a)
{
    __asm__ volatile("" ::: "memory");
    return (unsigned)observe(a);
}

//: counted [5] -> 5 | keeps unsupported atomic operation | concrete
int counted(int a)
{
    atomic_int counter = 0;

    atomic_fetch_add(&counter, a);
    return atomic_load(&counter);
}

//: incremented [5] -> 6 | keeps unsupported atomic operation | concrete
int incremented(int a)
{
    atomic_int counter = a % 1000;

    atomic_fetch_add(&counter, 1);
    return counter;
}

//: exchanged [5, 6] -> 1 | keeps unsupported atomic operation | concrete
int exchanged(int a, int b)
{
    _Atomic int cell = 5;
    int expected = a;

    atomic_compare_exchange_strong(&cell, &expected, b);
    return cell == 6;
}

//: extended [2.0, 3.0] -> 6.0 | keeps unsupported | concrete
double extended(double a, double b)
{
    long double product = (long double)a * b;

    return (double)product;
}

//: extended_int [7] -> 3 | keeps unsupported | concrete
int extended_int(int a)
{
    long double half = a / 2.0L;

    return (int)half;
}

//: computed [2] -> 30 | keeps native computed | concrete | own
int computed(unsigned a)
{
    static void *const places[] = {&&zero, &&one, &&two};

    goto *places[a % 3];
zero:
    return 10;
one:
    return 20;
two:
    return 30;
}

//: calls_computed [1] -> 20 | keeps native computed | concrete | own
int calls_computed(unsigned a) { return computed(a); }

//: environment ["PATH_THAT_IS_NOT_SET"] -> 0 | keeps native getenv | own | concrete
int environment(const char *name) { return getenv(name) != NULL; }

//: native_number [5] -> 1 | keeps native sysconf | concrete | own | fixed
int native_number(int a) { return sysconf(a) != 12345; }
