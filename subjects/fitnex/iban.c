/*
 * An account number with a check like that of the IBAN: two letters, at least six digits, and the digits
 * followed by the letters as numbers leave 1 when divided by 97. The loop carries a remainder that mixes
 * all characters.
 */
/* start: ["A", 1] */
/* reaches: ["AA000028", 8] */
#include <ctype.h>
#include <stddef.h>

int iban(const char *text, size_t length)
{
    unsigned remainder = 0;
    unsigned digits = 0;

    if (length < 2)
        return 1;
    if (!isupper((unsigned char)text[0]) || !isupper((unsigned char)text[1]))
        return 2;
    for (size_t i = 2; i < length; i++) {
        if (text[i] == ' ')
            continue;
        if (!isdigit((unsigned char)text[i]))
            return 3;
        digits++;
        remainder = (remainder * 10 + (unsigned)(text[i] - '0')) % 97;
    }
    for (size_t i = 0; i < 2; i++)
        remainder = (remainder * 100 + (unsigned)(text[i] - 'A') + 10) % 97;
    if (digits >= 6 && remainder == 1)
        return 0; /* target */
    return 4;
}
