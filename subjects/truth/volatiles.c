/* What others change while the code runs: devices, signal handlers, inline assembly. */

#include <signal.h>

volatile int device;
volatile sig_atomic_t flag;
_Atomic int shared;

int written_then_read(void)
{
    device = 1;
    if (device == 2) // feasible
        return 1;
    return 0;
}

int read_twice(void)
{
    int a = device;
    int b = device;
    if (a != b) // feasible
        return 1;
    return 0;
}

int set_by_a_handler(void)
{
    flag = 0;
    raise(SIGUSR1);
    if (flag) // feasible
        return 1;
    return 0;
}

int atomic(void)
{
    shared = 1;
    if (shared == 2) // feasible
        return 1;
    return 0;
}

int assembly_output(void)
{
    unsigned low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "edx");
    if (low / 16 % 64 == 9) // feasible
        return 1;
    return 0;
}

int assembly_in_between(int x)
{
    int y;
    __asm__("movl %1, %0" : "=r"(y) : "r"(x));
    if (y == 12345) // feasible
        return 1;
    return 0;
}

int assembly_in_memory(void)
{
    unsigned low = 0;
    __asm__ volatile("rdtsc\n\tmovl %%eax, %0" : "=m"(low) : : "eax", "edx");
    if (low / 16 % 64 == 9) // feasible
        return 1;
    return 0;
}
