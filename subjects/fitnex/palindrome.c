/*
 * A palindrome of letters, of odd length, in which no two neighbours are equal. Comparisons tie characters
 * of both ends together, the ends move when the length changes, and five pairs are wanted.
 */
/* start: ["x", 1] */
/* reaches: ["abcdexedcba", 11] */
#include <ctype.h>
#include <stddef.h>

int palindrome(const char *text, size_t length)
{
    unsigned pairs = 0;

    if (length < 10 || length % 2 == 0)
        return -1;
    for (size_t i = 0; i < length / 2; i++) {
        if (!islower((unsigned char)text[i]))
            return -1;
        if (text[i] != text[length - 1 - i])
            return -1;
        if (text[i] == text[i + 1])
            return -1;
        pairs++;
    }
    if (pairs == 5)
        return 1; /* target */
    return 0;
}
