/*
 * Memory on the stack: alloca, variable arrays, recursion, addresses of locals handed to callees, stack overflow.
 */
#include "observe.h"
#include <stdint.h>

//: block [4, 7] -> 28 | keeps size
unsigned block(unsigned char n, unsigned value)
{
    unsigned *cells = __builtin_alloca((n + 1u) * sizeof *cells);
    unsigned sum = 0;

    for (int i = 0; i < n; i++)
        cells[i] = value;
    for (int i = 0; i < n; i++)
        sum += cells[i];
    return (unsigned)observe(sum);
}

//: variable [3] -> 3 | keeps size
//: variable [0] ends trapped: length of a variable array not positive
int variable(int n)
{
    if (n > 1000)
        return -1;
    int cells[n];

    for (int i = 0; i < n; i++)
        cells[i] = i * n;
    return n > 1 ? cells[1] : 0;
}

//: grid [2, 3] -> 12 | keeps size | keeps address
int grid(unsigned char rows, unsigned char columns)
{
    rows = rows % 5 + 1;
    columns = columns % 5 + 1;
    int cells[rows][columns];
    int sum = 0;

    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            cells[i][k] = i + k;
    for (int i = 0; i < rows; i++)
        sum += cells[i][columns - 1];
    return sum;
}

//: factorial [5] -> 120
unsigned factorial(unsigned n)
{
    if (n <= 1 || n > 20)
        return 1;
    return n * factorial(n - 1);
}

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

//: is_even [10] -> 1
//: is_even [7] -> 0
int is_even(unsigned char n) { return even(n); }

//: fibonacci [10] -> 55
int fibonacci(unsigned char n) { return n < 2 ? n : n > 15 ? -1 : fibonacci((unsigned char)(n - 1)) + fibonacci((unsigned char)(n - 2)); }

static void swap(int *a, int *b)
{
    int t = *a;

    *a = *b;
    *b = t;
}

//: swapped [1, 2] -> 2
int swapped(int a, int b)
{
    swap(&a, &b);
    return (int)observe((unsigned)a);
}

static unsigned deep(unsigned n)
{
    volatile unsigned char frame[4096];

    frame[n & 4095] = 1;
    return deep(n + 1) + frame[(n + 1) & 4095];
}

//: overflow [1] ends stack overflow | fixed
//: overflow [0] -> 0
unsigned overflow(int a) { return a ? deep(0) : 0; }

//: local_array [2, 9] -> 9
int local_array(unsigned index, int value)
{
    int cells[4] = {1, 2, 3, 4};

    if (index == 2)
        cells[2] = value;
    return (int)observe((unsigned)cells[2]);
}

//: local_struct [3] -> 9
int local_struct(short a)
{
    struct { short x; int y; struct { int z; } in; } s = {a, 2 * a, {0}};
    struct { short x; int y; struct { int z; } in; } *p = (void *)&s;

    p->in.z = s.x + s.y;
    return (int)observe((unsigned)s.in.z);
}

//: compound [3] -> 6
int compound(unsigned short a)
{
    int *p = (int[]){a, a * 2, a * 3};

    return (int)observe((unsigned)p[1]);
}
