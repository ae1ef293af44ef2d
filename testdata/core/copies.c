/*
 * Copies and fills of memory: what is symbolic follows, byte by byte, also where source and target overlap.
 */
#define _GNU_SOURCE
#include "observe.h"
#include <stdint.h>
#include <string.h>

//: copy [[1, 2, 3, 4]] -> 67305985 | on bytes[0] bytes[3]
uint32_t copy(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return (uint32_t)observe(word);
}

//: unaligned [[1, 2, 3, 4, 5, 6, 7, 8, 9]] -> 650777868590383874
uint64_t unaligned(const uint8_t *bytes)
{
    uint64_t word;

    __builtin_memcpy(&word, bytes + 1, sizeof word);
    return observe(word);
}

//: overlap_up [[1, 2, 3, 4, 5]] -> 1025
unsigned overlap_up(uint8_t *bytes)
{
    memmove(bytes + 1, bytes, 4);
    return (unsigned)observe(bytes[1] + bytes[4] * 256u);
}

//: overlap_down [[1, 2, 3, 4, 5]] -> 1282
unsigned overlap_down(uint8_t *bytes)
{
    memmove(bytes, bytes + 1, 4);
    return (unsigned)observe(bytes[0] + bytes[3] * 256u);
}

//: fill [7] -> 117901063 | on value
uint32_t fill(uint8_t value)
{
    uint32_t word;

    memset(&word, value, sizeof word);
    return (uint32_t)observe(word);
}

//: fill_part [[1, 2, 3, 4], 9] -> 67700993
uint32_t fill_part(uint8_t *bytes, uint8_t value)
{
    uint32_t word;

    __builtin_memset(bytes + 1, value, 2);
    __builtin_memcpy(&word, bytes, sizeof word);
    return (uint32_t)observe(word);
}

//: cleared [5] -> 0 | concrete
uint32_t cleared(uint32_t a)
{
    uint32_t cells[2] = {a, a};

    memset(cells, 0, sizeof cells);
    return (uint32_t)observe(cells[1]);
}

//: sized [[1, 2, 3, 4], 2] -> 1
//: sized [[1, 2, 3, 4], 4] -> 3
unsigned sized(const uint8_t *bytes, unsigned n)
{
    uint8_t copy[8] = {0};
    unsigned count = 0;

    if (n > 8)
        return 0;
    memcpy(copy, bytes, n);
    for (int i = 1; i < 8; i++)
        count += copy[i] != 0;
    return count;
}

struct record { char name[12]; int value; double weight; };

//: assign [[{"name": "abc", "value": 5, "weight": 0.5}]] -> 5
int assign(const struct record *r)
{
    struct record copy = *r, list[2];

    list[1] = copy;
    if (list[1].name[0] == 'a' && list[1].weight < 1)
        return (int)observe((unsigned)list[1].value);
    return -1;
}

//: pieces [305419896, 6] -> 432345564333897728
uint64_t pieces(uint32_t a, uint16_t b)
{
    uint8_t cells[8] = {0};
    uint64_t word;

    memcpy(cells + 1, &a, 4);
    memcpy(cells + 3, &b, 2);
    cells[7] = (uint8_t)b;
    memcpy(&word, cells, 8);
    return observe(word);
}

//: compare [[1, 2, 3], [1, 2, 4]] -> -1
//: compare [[1, 2, 3], [1, 2, 3]] -> 0
int compare(const uint8_t *a, const uint8_t *b)
{
    int order = memcmp(a, b, 3);

    return order < 0 ? -1 : order > 0;
}

//: overwritten [5, 6] -> 6
uint32_t overwritten(uint32_t a, uint32_t b)
{
    uint32_t cell = a;
    uint32_t *p = &cell;

    *p = b;
    return (uint32_t)observe(cell);
}

//: byte_in_word [305419896] -> 318723704
uint32_t byte_in_word(uint32_t a)
{
    uint32_t cell = a;

    ((uint8_t *)&cell)[2] = 0xff;
    return (uint32_t)observe(cell);
}

//: append [[65, 66, 67, 0], 3] -> 67 | fixed | keeps address
int append(const char *text, int n)
{
    char buffer[8];
    char *end = mempcpy(buffer, text, (size_t)n);

    *end = '!';
    return (int)observe((unsigned char)end[-1]);
}
