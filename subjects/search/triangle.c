/*
 * Triangle classification as the literature on search-based testing has it: equal sides are first counted in a number, which
 * decides later. A search that looks at one decision at a time sees nothing but that number, and no slope in it.
 */

/* function: triangle */
enum kind { NOT_A_TRIANGLE, SCALENE, ISOSCELES, EQUILATERAL };

enum kind triangle(int a, int b, int c)
{
    int equal = 0;
    if (a <= 0 || b <= 0 || c <= 0)
        return NOT_A_TRIANGLE;
    if (a == b)
        equal += 1;
    if (a == c)
        equal += 2;
    if (b == c)
        equal += 3;
    if (equal == 0) {
        /* Differences instead of sums, which could overflow. */
        if (c - b >= a || a - c >= b || b - a >= c)
            return NOT_A_TRIANGLE;
        return SCALENE;
    }
    if (equal > 3)
        return EQUILATERAL;
    if (equal == 1 && c - a < b)
        return ISOSCELES;
    if (equal == 2 && b - a < c)
        return ISOSCELES;
    if (equal == 3 && a - b < c)
        return ISOSCELES;
    return NOT_A_TRIANGLE;
}
