#include "memory.c"
#include "witness.h"
#include <sys/mman.h>

void jump(void) { longjmp(back, 1); }

int main(void)
{
    static int three = 3;
    unsigned *page = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page != (unsigned *)0x10000000)
        return 1;
    *page = 5;
    word.bytes[2] = 7;
    padded.all = 0x1234567890abcdef;
    extended.bytes[12] = 7;
    *gate = 5;
    *slot() = 5;
    setenv("TESTWRIGHT_TRUTH", "1", 1);
    SHOW(number_as_pointer((unsigned long)&three));
    SHOW(fixed_address());
    SHOW(fixed_address_after_a_write(1));
    union word given = {.fraction = 1.5f};
    SHOW(union_local(given.number));
    SHOW(union_global());
    SHOW(union_parameter(given));
    SHOW(union_padding());
    SHOW(union_extended());
    SHOW(bits_of_a_double(1.5));
    SHOW(changed_through_a_gate());
    SHOW(changed_through_a_result());
    SHOW(returns_twice());
    SHOW(environment());
    return 0;
}
