/* Functions that return pointers: to texts, to blocks of the heap, to static variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
    double scale;
    int spare; /* nobody writes it */
};

struct point *point_new(int x, unsigned char y)
{
    struct point *point = malloc(sizeof *point);

    if (point == NULL)
        return NULL;
    point->x = x;
    point->y = y + 1;
    point->scale = 0.5;
    return point;
}

const char *name_of(int kind)
{
    switch (kind) {
    case 1:
        return "one";
    case 2:
        return "two";
    default:
        return "many";
    }
}

char *join(const char *a, const char *b)
{
    char *joined = malloc(strlen(a) + strlen(b) + 2);

    if (joined == NULL)
        return NULL;
    sprintf(joined, "%s-%s", a, b);
    return joined;
}

char *hex_of(unsigned n)
{
    static char text[12];

    sprintf(text, "%x", 2 * n);
    return text;
}

static unsigned total;

unsigned *total_with(unsigned add)
{
    total += add;
    return &total;
}
