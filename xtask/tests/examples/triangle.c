/* Every kind of triangle, and the boundary of the triangle inequality. */
#include "../../../examples/triangle.c"
#include "check.h"

int main(void)
{
    CHECK(triangle(3, 4, 5) == 1);
    CHECK(triangle(3, 3, 5) == 2);
    CHECK(triangle(5, 3, 3) == 2);
    CHECK(triangle(3, 5, 3) == 2);
    CHECK(triangle(7, 7, 7) == 3);
    CHECK(triangle(3, 4, 7) == 0);
    CHECK(triangle(7, 3, 4) == 0);
    CHECK(triangle(0, 4, 5) == 0);
    CHECK(triangle(3, 4, -5) == 0);
    return failures;
}
