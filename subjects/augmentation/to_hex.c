/* ToHex: a number in base 16, as text that the next call overwrites; no text if the number is negative. */

#include <stddef.h>

static char digit_of(int value)
{
    switch (value) {
    case 10:
        return 'A';
    case 11:
        return 'B';
    case 12:
        return 'C';
    case 13:
        return 'D';
    case 14:
        return 'E';
    case 15:
        return 'F';
    default:
        return (char)('0' + value);
    }
}

const char *to_hex(int value)
{
    static char text[9];
    char *first = text + sizeof text - 1;

    if (value < 0)
        return NULL;
    *first = '\0';
    do {
        *--first = digit_of(value % 16);
        value /= 16;
    } while (value > 0);
    return first;
}
