/*
 * A tokeniser: names, numbers and operators are recognised by inner loops and counted. The counts wanted
 * are those of an assignment such as `a=b+1*2`; two names or two numbers do not stand apart without
 * something between them.
 */
/* start: ["?", 1] */
/* reaches: ["a=b+1*2", 7] */
#include <ctype.h>
#include <stddef.h>

int tokens(const char *text, size_t length)
{
    unsigned names = 0;
    unsigned numbers = 0;
    unsigned operators = 0;
    size_t i = 0;

    while (i < length) {
        if (islower((unsigned char)text[i])) {
            names++;
            while (i < length && islower((unsigned char)text[i]))
                i++;
        } else if (isdigit((unsigned char)text[i])) {
            numbers++;
            while (i < length && isdigit((unsigned char)text[i]))
                i++;
        } else if (text[i] == '=' || text[i] == '+' || text[i] == '*') {
            operators++;
            i++;
        } else {
            return -1;
        }
    }
    if (names == 2 && numbers == 2 && operators == 3)
        return 1; /* target */
    return 0;
}
