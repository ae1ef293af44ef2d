#include "endings.c"
#include "witness.h"
#include <limits.h>
#include <sys/mman.h>

int main(void)
{
    mmap((void *)0x20000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    SHOW(fault_before(7));
    SHOW(overflow_before(INT_MAX));
    SHOW(overflow_in_a_callee(1000000000));
    SHOW(past_a_table(3));
    SHOW(deep_recursion(60000));
    SHOW(long_loop(5));
    SHOW(much_memory());
    return 0;
}
