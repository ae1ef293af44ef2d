/*
 * Structs by value and by pointer, an enumeration and doubles. Comparisons of doubles have three ways to go, because
 * NaN is neither less, equal nor greater; a point with a NaN coordinate lies nowhere.
 */
#include <stddef.h>

struct point {
    double x;
    double y;
};

struct box {
    struct point low;
    struct point high;
};

enum place { PLACE_NOWHERE, PLACE_INSIDE, PLACE_EDGE, PLACE_OUTSIDE };

/* Where `point` lies with respect to `box`; nowhere if there is no box or its corners are swapped. */
enum place locate(struct point point, const struct box *box)
{
    if (box == NULL || !(box->low.x <= box->high.x) || !(box->low.y <= box->high.y))
        return PLACE_NOWHERE;
    if (point.x != point.x || point.y != point.y)
        return PLACE_NOWHERE;
    if (point.x < box->low.x || point.x > box->high.x || point.y < box->low.y || point.y > box->high.y)
        return PLACE_OUTSIDE;
    if (point.x == box->low.x || point.x == box->high.x || point.y == box->low.y || point.y == box->high.y)
        return PLACE_EDGE;
    return PLACE_INSIDE;
}

/* Grows `box` until it holds `point`; returns how many of its four sides moved. */
int extend(struct box *box, struct point point)
{
    int moved = 0;

    if (point.x < box->low.x) {
        box->low.x = point.x;
        moved++;
    }
    if (point.x > box->high.x) {
        box->high.x = point.x;
        moved++;
    }
    if (point.y < box->low.y) {
        box->low.y = point.y;
        moved++;
    }
    if (point.y > box->high.y) {
        box->high.y = point.y;
        moved++;
    }
    return moved;
}

/* The point halfway between two others, by value. */
struct point middle(struct point a, struct point b)
{
    struct point result = {a.x + (b.x - a.x) / 2, a.y + (b.y - a.y) / 2};

    return result;
}
