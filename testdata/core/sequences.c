/*
 * Calls before the call under test: what they return, what they change, and what a later call makes of it.
 */
#include "observe.h"
#include <stdlib.h>

struct ring {
    unsigned size, count;
    int items[8];
};

static unsigned made;

struct ring *ring_new(unsigned size)
{
    if (size == 0 || size > 8)
        return NULL;
    struct ring *ring = calloc(1, sizeof *ring);
    ring->size = size;
    made++;
    return ring;
}

int ring_push(struct ring *ring, int item)
{
    if (ring->count == ring->size)
        return -1;
    ring->items[ring->count] = item;
    return (int)++ring->count;
}

void ring_start_with(struct ring *ring, int item) { ring->items[0] = item; }

int scaled(int factor) { return 3 * factor; }

double half(double number) { return number / 2; }

//: ring_last {"calls": [{"call": "ring_new", "args": [2]}, {"call": "ring_push", "args": [{"@call": 0}, 7]}], "args": [{"@call": 0}]} -> 7 | on r1.item
int ring_last(const struct ring *ring)
{
    return ring->count ? (int)observe((unsigned)ring->items[ring->count - 1]) : -1;
}

//: ring_is_full {"calls": [{"call": "ring_new", "args": [1]}, {"call": "ring_push", "args": [{"@call": 0}, 7]}], "args": [{"@call": 0}]} -> 1 | on r0.size
int ring_is_full(const struct ring *ring)
{
    return ring->count == ring->size ? 1 : 0;
}

//: added {"calls": [{"call": "scaled", "args": [5]}, {"call": "scaled", "args": [{"@call": 0}]}], "args": [{"@call": 1}, 2]} -> 47 | on r0.factor b
int added(int a, int b)
{
    return (int)observe((unsigned)(a + b));
}

//: doubled {"calls": [{"call": "half", "args": [5]}], "args": [{"@call": 0}]} -> 5.0 | on r0.number
double doubled(double number)
{
    return number > 1 ? number * 2 : 0;
}

//: count {"calls": [{"call": "ring_new", "args": [1]}, {"call": "ring_new", "args": [2]}], "globals": {"made": 5}, "args": []} -> 7 | on made
unsigned count(void)
{
    return observe(made);
}

//: first {"calls": [{"call": "ring_start_with", "args": [{"@object": 0}, 9]}], "objects": [{"type": "struct ring", "values": [{"size": 4}]}], "args": [{"@object": 0}]} -> 9 | on r0.item
int first(struct ring *ring)
{
    return (int)observe((unsigned)ring->items[0]);
}
