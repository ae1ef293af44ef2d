/*
 * Several things at once: structs through function pointers, callbacks from native code, symbolic data that moves through
 * memory in pieces, cleanup attributes, state machines.
 */
#include "observe.h"
#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct large { long values[4]; };
struct pair { double x; int n; };
typedef struct large (*changer)(struct large, struct pair);

static struct large added(struct large l, struct pair p)
{
    l.values[p.n & 3] = (long)((unsigned long)l.values[p.n & 3] + 10);
    return l;
}

static struct large negated(struct large l, struct pair p)
{
    if (p.x < 0)
        l.values[0] = 7;
    return l;
}

static const changer changers[2] = {added, negated};

//: through_table [0, {"values": [1, 2, 3, 4]}, 0.5, 2] -> 13 | keeps callee | keeps address
//: through_table [1, {"values": [1, 2, 3, 4]}, -0.5, 0] -> 7 | keeps callee | keeps address
long through_table(unsigned which, struct large l, double x, int n)
{
    struct pair p = {x, n};

    l = changers[which & 1](l, p);
    return (long)observe((unsigned long)l.values[n & 3]);
}

static int same(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }

/* lfind is called natively and calls back: what it is told decides. */
//: called_back [[4, 5, 6], 6] -> 2 | keeps native lfind
int called_back(const int *list, int key)
{
    size_t count = 3;
    const int *found = lfind(&key, list, &count, sizeof *list, same);

    return found ? (int)(found - list) : -1;
}

static void increment(int *p) { ++*p; }

//: cleaned [5] -> 5
int cleaned(short a)
{
    int cell = a;
    {
        int scoped __attribute__((cleanup(increment))) = cell;

        cell = scoped;
    }
    return (int)observe((unsigned)cell);
}

enum state { START, NUMBER, DONE, BAD };

//: machine ["12;"] -> 12
//: machine ["1x"] -> -1
int machine(const char *text)
{
    enum state state = START;
    int value = 0;

    for (; state != DONE && state != BAD; text++)
        switch (state) {
        case START:
            state = *text >= '0' && *text <= '9' ? NUMBER : BAD;
            value = *text - '0';
            break;
        case NUMBER:
            if (*text == ';' || *text == 0)
                state = DONE;
            else if (*text >= '0' && *text <= '9' && value < 100000)
                value = value * 10 + *text - '0';
            else
                state = BAD;
            break;
        default:
            abort();
        }
    return state == DONE ? value : -1;
}

//: checksum [[72, 105, 33, 10]] -> 44761309
uint32_t checksum(const uint8_t *bytes)
{
    uint32_t a = 1, b = 0;

    for (int i = 0; i < 4; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return (uint32_t)observe(b << 16 | a);
}

//: endian [[1, 2, 3, 4]] -> 16909060
uint32_t endian(const uint8_t *p)
{
    return (uint32_t)observe((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
}

//: reassembled [81985529216486895] -> 9920249030613615975
uint64_t reassembled(uint64_t a)
{
    uint8_t bytes[8];
    uint32_t words[2];
    uint64_t result;

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(a >> (8 * i));
    memcpy(words, bytes + 4, 4);
    memcpy(words + 1, bytes, 4);
    memcpy(&result, words, 8);
    return observe(result);
}

//: fixed_point [3.75] -> 240
int fixed_point(double x)
{
    if (!(x > -1000 && x < 1000))
        return 0;
    return (int)observe((unsigned)(int)(x * 64 + (x < 0 ? -0.5 : 0.5)) & 0xffffu);
}

static int apply(int n, int (*f)(int, va_list), ...)
{
    va_list list;
    int result;

    va_start(list, f);
    result = f(n, list);
    va_end(list);
    return result;
}

static int smallest(int n, va_list list)
{
    int best = 2147483647;

    while (n-- > 0) {
        int next = va_arg(list, int);

        if (next < best)
            best = next;
    }
    return best;
}

//: minimum_of [5, -3, 8, 1] -> -3
int minimum_of(int a, int b, int c, int d) { return (int)observe((unsigned)apply(4, smallest, a, b, c, d)); }

struct tree { int key; struct tree *left, *right; };

static struct tree *insert(struct tree *t, int key)
{
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else if (key > t->key) {
        t->right = insert(t->right, key);
    }
    return t;
}

static int height(const struct tree *t)
{
    if (!t)
        return 0;
    int left = height(t->left), right = height(t->right);

    return 1 + (left > right ? left : right);
}

//: grown [5, 3, 8] -> 2
//: grown [1, 2, 3] -> 3
int grown(int a, int b, int c) { return height(insert(insert(insert(NULL, a), b), c)); }

//: matrix_product [{"values": [1, 2, 3, 4]}, {"values": [5, 6, 7, 8]}] -> 162999
unsigned long matrix_product(struct large a, struct large b)
{
    unsigned long sum = 0;

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            sum = sum * 31 + (unsigned long)a.values[i * 2 + k] * (unsigned long)b.values[k * 2 + i];
    return observe(sum);
}

//: swapped_halves [1.5, -2.25] -> -2.25
double swapped_halves(double a, double b)
{
    double cells[2] = {a, b};
    unsigned long words[2];

    memcpy(words, cells, sizeof words);
    words[0] ^= words[1];
    words[1] ^= words[0];
    words[0] ^= words[1];
    memcpy(cells, words, sizeof words);
    return observe_double(cells[0]);
}
