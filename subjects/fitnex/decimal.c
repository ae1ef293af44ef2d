/*
 * A number is read digit by digit and compared after the loop. The string must begin with a minus sign, be
 * terminated where the digits end, and mean 31415: the distance says how far off it is, but each digit
 * weighs ten times the next.
 */
/* start: [{"buffer": "", "size": 12}] */
/* reaches: [{"buffer": "-31415", "size": 12}] */
#include <ctype.h>

int decimal(const char *text)
{
    unsigned long value = 0;
    int negative = 0;

    if (*text == '-') {
        negative = 1;
        text++;
    }
    if (!isdigit((unsigned char)*text))
        return -1;
    while (isdigit((unsigned char)*text)) {
        value = value * 10 + (unsigned long)(*text - '0');
        if (value > 99999)
            return -1;
        text++;
    }
    if (*text != '\0')
        return -1;
    if (negative == 1 && value == 31415)
        return 1; /* target */
    return 0;
}
