/* ToOctal: a number in base 8, as text that the next call overwrites; no text if the number is negative. */

#include <stddef.h>

const char *to_octal(int value)
{
    static char text[12];
    char *first = text + sizeof text - 1;

    if (value < 0)
        return NULL;
    *first = '\0';
    do {
        *--first = (char)('0' + value % 8);
        value /= 8;
    } while (value > 0);
    return first;
}
