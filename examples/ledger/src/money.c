#include "ledger.h"

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

long cents_of(const char *text)
{
    long cents = 0;

    if (!is_digit(*text))
        return -1;
    while (is_digit(*text))
        cents = 10 * cents + (*text++ - '0');
    cents *= 100;
    if (*text == '.') {
        if (!is_digit(*++text))
            return -1;
        cents += 10 * (*text++ - '0');
        if (is_digit(*text))
            cents += *text++ - '0';
    }
    return *text == '\0' ? cents : -1;
}
