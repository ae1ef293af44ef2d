/*
 * The heap: allocation of constant and symbolic sizes, growth, release, and what goes wrong with it.
 */
#define _GNU_SOURCE
#include "observe.h"
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

//: cell [5] -> 5 | on a
int cell(int a)
{
    int *p = malloc(sizeof *p);

    *p = a;
    int result = (int)observe((unsigned)*p);
    free(p);
    return result;
}

//: sized [4, 9] -> 36 | keeps size
unsigned sized(unsigned char n, unsigned value)
{
    unsigned *p = malloc((n + 1u) * sizeof *p), sum = 0;

    for (int i = 0; i < n; i++)
        p[i] = value;
    for (int i = 0; i < n; i++)
        sum += p[i];
    free(p);
    return (unsigned)observe(sum);
}

//: zeros [3] -> 0 | keeps size | keeps address | concrete
int zeros(unsigned char n)
{
    int *p = calloc(n + 1u, sizeof *p);
    int result = p[n / 2];

    free(p);
    return result;
}

//: grown [1, 2] -> 3 | on a b
unsigned grown(unsigned a, unsigned b)
{
    unsigned *p = malloc(sizeof *p);

    p[0] = a;
    p = realloc(p, 100 * sizeof *p);
    p[1] = b;
    unsigned result = (unsigned)observe(p[0] + p[1]);
    free(p);
    return result;
}

//: array [7] -> 7
unsigned array(unsigned a)
{
    unsigned *p = reallocarray(NULL, 10, sizeof *p);

    p[9] = a;
    p = reallocarray(p, 20, sizeof *p);
    return (unsigned)observe(p[9]);
}

//: aligned [6] -> 6
unsigned aligned(unsigned a)
{
    unsigned *p = aligned_alloc(64, 64), *q = memalign(32, 32);
    void *r;

    if (((uintptr_t)p & 63) != 0 || ((uintptr_t)q & 31) != 0)
        return 0;
    if (posix_memalign(&r, 128, 100) != 0 || ((uintptr_t)r & 127) != 0)
        return 0;
    *p = a;
    *q = *p;
    *(unsigned *)r = *q;
    return (unsigned)observe(*(unsigned *)r);
}

struct node { int value; struct node *next; };

//: built [1, 2, 3] -> 321
unsigned built(unsigned char a, unsigned char b, unsigned char c)
{
    int values[3] = {a, b, c};
    struct node *list = NULL;
    unsigned result = 0;

    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);

        n->value = values[i];
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *next = list->next;

        result = result * 10 + (unsigned)list->value;
        free(list);
        list = next;
    }
    return (unsigned)observe(result);
}

//: twice [1] ends free of something that is not allocated
//: twice [0] -> 0
int twice(int a)
{
    char *p = malloc(8);

    free(p);
    if (a)
        free(p);
    return 0;
}

//: inside [1] ends free of something that is not allocated
int inside(int a)
{
    char *p = malloc(8);

    if (a)
        free(p + 1);
    return 0;
}

//: too_much [1] ends out of memory
int too_much(int a)
{
    char *p = a == 1 ? malloc((size_t)1 << 62) : malloc(1);

    return p == NULL;
}

//: nothing [1] -> 1
int nothing(int a)
{
    free(NULL);
    return a != 0;
}

//: all_of_it [1] ends out of memory
//: all_of_it [0] -> 0
int all_of_it(int a)
{
    while (a)
        memset(malloc(1 << 20), 1, 1 << 20);
    return 0;
}

//: usable [5] -> 1 | keeps size
int usable(unsigned char n) { return malloc_usable_size(malloc(n)) >= n; }
