/*
 * Pointers: arithmetic, comparison, differences, null, structures that point to each other, out of bounds.
 */
#include "observe.h"
#include <stddef.h>
#include <stdint.h>

//: third [[1, 2, 3]] -> 3
int third(const int *p) { return (int)observe((unsigned)*(p + 2)); }

//: null_check [null] -> -1 | own
//: null_check [[5]] -> 5
int null_check(const int *p)
{
    if (!p)
        return -1;
    return (int)observe((unsigned)*p);
}

//: null_read [null] ends signal 11 | concrete
int null_read(const int *p) { return *p; }

/* The load that faults takes no step any more. */
//: past_end [[1, 2, 3], 3] ends signal 11 | concrete
//: past_end [[1, 2, 3], 2] -> 3 | keeps address | concrete
int past_end(const int *p, int i) { return p[i]; }

//: distance [[1, 2, 3, 4, 0]] -> 4
int distance(const int *p)
{
    const int *end = p;

    while (*end)
        end++;
    return (int)(end - p);
}

//: order [[1, 2, 3]] -> 1
int order(const int *p)
{
    const int *q = p + 1;

    if (p[0] > 10)
        q = p;
    return q > p;
}

//: put [[1, 2, 3], 1, 9] -> 9 | keeps address
int put(int *p, unsigned i, int value)
{
    p[i % 3] = value;
    return (int)observe((unsigned)p[i % 3]);
}

//: bounds [[1, 2], 4] ends trapped: array index out of bounds | own
//: bounds [[1, 2], 1] -> 8 | keeps address | own
int bounds(const int *p, int i)
{
    int cells[4] = {7, 8, 9, 10};

    cells[0] = p[0];
    return cells[i];
}

struct node { int value; struct node *next; };

//: list [[{"value": 3, "next": [{"value": 4, "next": [{"value": 5, "next": null}]}]}]] -> 12
int list(const struct node *n)
{
    unsigned sum = 0;

    for (; n; n = n->next)
        sum += (unsigned)n->value;
    return (int)observe(sum);
}

//: cycle {"args": [{"@object": 0, "@offset": 0}], "objects": [{"type": "struct node", "values": [{"value": 2, "next": {"@object": 0, "@offset": 0}}]}]} -> 4 | own
int cycle(const struct node *n)
{
    if (n->next == n)
        return (int)observe((unsigned)n->value + (unsigned)n->next->value);
    return 0;
}

//: alias {"args": [{"@object": 0, "@offset": 0}, {"@object": 0, "@offset": 4}], "objects": [{"type": "int", "values": [1, 2]}]} -> 7 | keeps address
int alias(int *a, int *b)
{
    *b += 5;
    return (int)observe((unsigned)a[1]);
}

//: out [5, [0], [0.0]] -> 0
int out(int a, int *n, double *d)
{
    *n = a > 3 ? a + 1 : -1;
    *d = a * 0.5;
    observe((unsigned)*n);
    return 0;
}

//: twice [[[1, 2], [3, 4]]] -> 4
int twice(int **rows) { return (int)observe((unsigned)rows[1][1]); }

//: matrix [[[1, 2, 3], [4, 5, 6]]] -> 6
int matrix(int (*rows)[3]) { return (int)observe((unsigned)rows[1][2]); }

struct flexible { int count; int cells[]; };

//: offset [3] -> 12
size_t offset(int a)
{
    struct { char c; int array[10]; } s;
    char *base = (char *)&s;

    if (a == 3)
        return (size_t)((char *)&s.array[2] - base);
    return sizeof(struct flexible);
}

//: unaligned [[1, 2, 3, 4, 5]] -> 84148994
uint32_t unaligned(const uint8_t *bytes)
{
    struct __attribute__((packed)) { uint8_t c; uint32_t word; } const *p = (const void *)bytes;

    return (uint32_t)observe(p->word);
}
