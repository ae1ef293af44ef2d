/*
 * The classic of test generation: which kind of triangle has sides of these lengths? Four decisions of
 * eleven conditions in all, so 22 branch outcomes. The sums may overflow, which is undefined in C:
 * triangle(2147483647, 1, 1) ends in a trap, not in an answer.
 */

/* 0: not a triangle, 1: scalene, 2: isosceles, 3: equilateral */
int triangle(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0)
        return 0;
    if (a + b <= c || a + c <= b || b + c <= a)
        return 0;
    if (a == b && b == c)
        return 3;
    if (a == b || b == c || a == c)
        return 2;
    return 1;
}
