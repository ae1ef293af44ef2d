/*
 * Checks an ISBN of ten digits: hyphens and blanks are skipped, an X stands for ten in the last place, and the sum of the
 * digits times their places must be a multiple of eleven.
 */

/* function: check_isbn */
/* start: [{"buffer": "", "size": 14}] */
enum verdict { GOOD, EMPTY, BAD_CHARACTER, MISPLACED_X, TOO_SHORT, TOO_LONG, BAD_SUM };

enum verdict check_isbn(const char *text)
{
    int digits = 0;
    int sum = 0;
    int last = 0;
    if (*text == 0)
        return EMPTY;
    for (; *text; text++) {
        int value;
        if (*text == '-' || *text == ' ')
            continue;
        if (*text >= '0' && *text <= '9')
            value = *text - '0';
        else if (*text == 'X' || *text == 'x')
            value = 10;
        else
            return BAD_CHARACTER;
        if (value == 10 && digits != 9)
            return MISPLACED_X;
        if (digits == 10)
            return TOO_LONG;
        digits++;
        if (digits < 10)
            sum += value * digits;
        else
            last = value;
    }
    if (digits < 10)
        return TOO_SHORT;
    if (sum % 11 != last)
        return BAD_SUM;
    return GOOD;
}
