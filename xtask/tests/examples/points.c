/* Each place of a point, a box that grows, and NaN. */
#include <math.h>

#include "../../../examples/points.c"
#include "check.h"

static enum place place_of(double x, double y)
{
    struct box box = {{0, 0}, {2, 1}};
    struct point point = {x, y};

    return locate(point, &box);
}

int main(void)
{
    struct box box = {{0, 0}, {2, 1}};
    struct box swapped = {{2, 0}, {0, 1}};
    struct point corner = {3, -1};

    CHECK(place_of(1, 0.5) == PLACE_INSIDE);
    CHECK(place_of(2, 0.5) == PLACE_EDGE);
    CHECK(place_of(2.5, 0.5) == PLACE_OUTSIDE);
    CHECK(place_of(NAN, 0.5) == PLACE_NOWHERE);
    CHECK(locate(corner, NULL) == PLACE_NOWHERE);
    CHECK(locate(corner, &swapped) == PLACE_NOWHERE);
    CHECK(extend(&box, corner) == 2);
    CHECK(locate(corner, &box) == PLACE_EDGE);
    CHECK(extend(&box, corner) == 0);
    CHECK(middle(box.low, box.high).x == 1.5);
    CHECK(middle(box.low, box.high).y == 0);
    return failures;
}
