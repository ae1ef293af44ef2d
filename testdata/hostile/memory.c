/* Harm to memory, its own and that of others. */
#include "hostile.h"

/* Fills the heap. says: out of memory */
int fills_heap(int x)
{
    if (x > 3)
        for (int count = 0; count < 4096; count++) {
            char *block = malloc(1 << 20);
            if (!block) return -1;
            memset(block, x, 1 << 20);
        }
    return x;
}
/* Fills memory past the heap. says: segmentation fault */
int fills_memory(int x)
{
    if (x > 3)
        for (int count = 0; count < 64; count++) {
            char *block = mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memset(block, x, 64 << 20);
        }
    return x;
}
/* Wipes what the host shares with it, and crashes. says: overwrote memory */
int wipes_segment(int x)
{
    if (x > 3) {
        memset((void *)SEGMENT, 0xff, 1 << 20);
        *(volatile int *)16 = x;
    }
    return x;
}
/* Writes the number of a process wherever the host might look for one, and loops. says: timeout */
int points_to_victim(int x)
{
    if (x > 3) {
        volatile int *words = (volatile int *)SEGMENT;
        for (int index = 0; index < 1 << 16; index++)
            words[index] = VICTIM;
        for (;;)
            pause();
    }
    return x;
}
/* Takes away all memory. says: segmentation fault */
int unmaps_everything(int x)
{
    if (x > 3) {
        munmap((void *)0x1000, 0x7ffffffff000ul - 0x1000);
        munmap((void *)0x750000000000ul, 0x0afffffff000ul);
    }
    return x;
}
