/*
 * A matcher for the regular expression (ab|cd+)*e on a whole text. At least five repetitions are asked for,
 * two of them of the second kind: alternatives inside a loop, and a loop inside one of them.
 */
/* start: ["x", 1] */
/* reaches: ["ababababcddcde", 14] */
#include <stddef.h>

int pattern(const char *text, size_t length)
{
    size_t at = 0;
    unsigned first = 0;
    unsigned second = 0;

    while (at + 1 < length) {
        if (text[at] == 'a' && text[at + 1] == 'b') {
            first++;
            at += 2;
        } else if (text[at] == 'c' && text[at + 1] == 'd') {
            second++;
            at += 2;
            while (at < length && text[at] == 'd')
                at++;
        } else {
            return -1;
        }
    }
    if (at + 1 != length || text[at] != 'e')
        return -1;
    if (second == 2 && first + second >= 5)
        return 1; /* target */
    return 0;
}
