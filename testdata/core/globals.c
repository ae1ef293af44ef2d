/*
 * Global variables: set by the case, kept within a run, reset between runs; static locals; initialisers that point.
 */
#include "observe.h"
#include <stdint.h>

int counter = 5;
static int64_t hidden = -1;
double ratio = 0.5;
uint8_t bytes[4] = {1, 2, 3, 4};
struct setting { int level; const char *name; short pair[2]; } setting = {3, "default", {7, 8}};
_Thread_local int own = 11;
static int *pointer = &counter;

//: read_counter {"args": [1], "globals": {"counter": 41}} -> 42 | on counter
//: read_counter [1] -> 6
int read_counter(short a) { return (int)observe((unsigned)counter + (unsigned)a); }

//: bump [2] -> 7
//: bump [3] -> 8
int bump(short n)
{
    counter += n;
    return counter > 1000 ? 1000 : counter;
}

//: write_hidden {"args": [4], "globals": {"hidden": 10}} -> 14 | on hidden
int64_t write_hidden(int a)
{
    hidden = (int64_t)((uint64_t)hidden + (uint64_t)a);
    return (int64_t)observe((uint64_t)hidden);
}

//: scaled {"args": [3.0], "globals": {"ratio": 2.0}} -> 6.0 | on ratio a
double scaled(double a) { return observe_double(a * ratio); }

//: total {"args": [], "globals": {"bytes": [10, 20, 30, 40]}} -> 100 | on bytes[3]
//: total [] -> 10
int total(void) { return (int)observe((unsigned)(bytes[0] + bytes[1] + bytes[2] + bytes[3])); }

//: level {"args": [], "globals": {"setting": {"level": 9, "name": null, "pair": [1, 2]}}} -> 11 | own | fixed
int level(void)
{
    if (!setting.name)
        return (int)observe((unsigned)setting.level + (unsigned)setting.pair[1]);
    return 0;
}

//: initial [] -> 111
int initial(void) { return setting.name[0] + setting.level + setting.pair[1]; }

static int calls(int step)
{
    static int count = 10;

    count += step;
    return count;
}

//: static_local [2] -> 14
int static_local(signed char step)
{
    calls(step);
    return (int)observe((unsigned)calls(step));
}

//: per_thread [1] -> 12
int per_thread(short a) { return (int)observe((unsigned)(own += a)); }

//: through_pointer [3] -> 3
int through_pointer(int a)
{
    *pointer = a;
    return (int)observe((unsigned)counter);
}
