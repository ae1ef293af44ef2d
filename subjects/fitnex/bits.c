/*
 * Counting bits: two loops look at the bits of two small words, and the counts are compared. The loops end
 * with the highest bit that is set, so more rounds and more ones are gained by different flips.
 */
/* start: [0, 0] */
/* reaches: [63, 7] */
int bits(unsigned x, unsigned y)
{
    unsigned left = 0;
    unsigned right = 0;

    if (x > 255 || y > 255)
        return -1;
    for (; x != 0; x >>= 1) {
        if ((x & 1) == 1)
            left++;
    }
    for (; y != 0; y >>= 1) {
        if ((y & 1) == 1)
            right++;
    }
    if (left == 6 && left == right + 3)
        return 1; /* target */
    return 0;
}
