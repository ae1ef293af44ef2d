/*
 * Function pointers: tables, callbacks, comparisons; a symbolic choice of the callee is kept as it was.
 */
#include "observe.h"

typedef unsigned (*operation)(unsigned, unsigned);

static unsigned plus(unsigned a, unsigned b) { return a + b; }
static unsigned minus(unsigned a, unsigned b) { return a - b; }
static unsigned times(unsigned a, unsigned b) { return a * b; }

static const operation operations[] = {plus, minus, times};
static operation current = plus;

//: apply [2, 6, 7] -> 42 | keeps callee
//: apply [0, 6, 7] -> 13 | keeps callee
//: apply [5, 6, 7] -> 0
unsigned apply(unsigned which, unsigned a, unsigned b)
{
    if (which >= 3)
        return 0;
    return (unsigned)observe(operations[which](a, b));
}

static unsigned twice(operation f, unsigned a) { return f(f(a, a), a); }

//: callback [5] -> 125
unsigned callback(unsigned a) { return (unsigned)observe(twice(times, a)); }

//: chosen [1, 9, 4] -> 5
//: chosen [0, 9, 4] -> 13
unsigned chosen(int which, unsigned a, unsigned b)
{
    operation f = plus;

    if (which)
        f = minus;
    return (unsigned)observe(f(a, b));
}

//: assigned [3, 4] -> 12 | fixed
unsigned assigned(unsigned a, unsigned b)
{
    current = times;
    return (unsigned)observe(current(a, b));
}

//: default_operation [3, 4] -> 7
unsigned default_operation(unsigned a, unsigned b) { return (unsigned)observe(current(a, b)); }

//: same [1] -> 1
//: same [0] -> 0
int same(int which) { return (which ? plus : minus) == plus; }

struct shape { double (*area)(const struct shape *); double a, b; };

static double rectangle(const struct shape *s) { return s->a * s->b; }
static double triangle(const struct shape *s) { return s->a * s->b / 2; }

//: area [1, 3.0, 4.0] -> 6.0 | keeps callee
//: area [0, 3.0, 4.0] -> 12.0 | keeps callee
double area(int kind, double a, double b)
{
    struct shape s = {kind ? triangle : rectangle, a, b};

    return observe_double(s.area(&s));
}

/* A null callee is a crash. */
//: null_call [0] ends signal 11 | keeps callee
//: null_call [1] -> 5 | keeps callee
unsigned null_call(int which)
{
    operation f = which ? plus : 0;

    return f(2, 3);
}

static int depth;
static int step(int (*next)(void *, int), int n) { return n <= 0 ? depth : (depth++, next((void *)next, n - 1)); }
static int bounce(void *self, int n) { return step((int (*)(void *, int))self, n); }

//: mutual [5] -> 5
int mutual(signed char n) { return bounce((void *)bounce, n); }
