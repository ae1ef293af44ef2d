/* Places in memory that no variable of the code names, and bytes that are read as something else. */

#include <setjmp.h>
#include <stdlib.h>

union word {
    int number;
    float fraction;
    unsigned char bytes[4];
};

union padded {
    struct {
        char a;
        int b;
    } parts;
    unsigned long all;
};

union extended {
    long double value;
    unsigned char bytes[16];
};

union word word;
union padded padded;
union extended extended;
static int hidden;
int *const gate = &hidden;
static int cell;
jmp_buf back;
extern void jump(void);

int number_as_pointer(unsigned long address)
{
    if (address == 0)
        return 0;
    if (*(int *)address == 3) // feasible
        return 1;
    return 0;
}

int fixed_address(void)
{
    if (*(unsigned *)0x10000000 == 5) // feasible
        return 1;
    return 0;
}

int fixed_address_after_a_write(int x)
{
    *(unsigned *)0x10000004 = (unsigned)x;
    if (*(unsigned *)0x10000000 == 5) // feasible
        return 1;
    return 0;
}

int union_local(int x)
{
    union word local;
    local.number = x;
    if (local.fraction == 1.5f) // feasible
        return 1;
    return 0;
}

int union_global(void)
{
    if (word.bytes[2] == 7) // feasible
        return 1;
    return 0;
}

int union_parameter(union word given)
{
    if (given.fraction == 1.5f) // feasible
        return 1;
    return 0;
}

int union_padding(void)
{
    if (padded.all == 0x1234567890abcdef) // feasible
        return 1;
    return 0;
}

int union_extended(void)
{
    if (extended.bytes[12] == 7) // feasible
        return 1;
    return 0;
}

int bits_of_a_double(double x)
{
    union {
        double value;
        unsigned long bits;
    } both = {x};
    if (both.bits == 0x3ff8000000000000) // feasible
        return 1;
    return 0;
}

int changed_through_a_gate(void)
{
    if (hidden == 5) // feasible
        return 1;
    return 0;
}

int *slot(void)
{
    return &cell;
}

int changed_through_a_result(void)
{
    if (cell == 5) // feasible
        return 1;
    return 0;
}

int returns_twice(void)
{
    if (setjmp(back)) // feasible
        return 1;
    jump();
    return 0;
}

int environment(void)
{
    if (getenv("TESTWRIGHT_TRUTH") != NULL) // feasible
        return 1;
    return 0;
}
