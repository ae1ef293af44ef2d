/*
 * Euclid's algorithm: the number of rounds depends on the numbers themselves, and both the greatest common
 * divisor and the number of rounds must be right. Every round that is added makes the condition on the
 * inputs harder to solve.
 */
/* start: [0, 0] */
/* reaches: [168, 273] */
unsigned gcd(unsigned a, unsigned b)
{
    unsigned rounds = 0;

    if (a == 0 || b == 0 || a > 500 || b > 500)
        return 0;
    while (b != 0) {
        unsigned rest = a % b;

        a = b;
        b = rest;
        rounds++;
    }
    if (a == 21 && rounds == 6)
        return 1; /* target */
    return 0;
}
