/*
 * Roman numerals: every letter goes through a switch, a larger one after a smaller one subtracts, and no
 * letter may stand four times in a row. The number 444 is reached by looking at the distance to it after
 * the loop.
 */
/* start: [{"buffer": "", "size": 16}] */
/* reaches: [{"buffer": "CDXLIV", "size": 16}] */
int roman(const char *text)
{
    unsigned value = 0;
    unsigned previous = 0;
    unsigned repeats = 0;

    for (; *text != '\0'; text++) {
        unsigned digit;

        switch (*text) {
        case 'I':
            digit = 1;
            break;
        case 'V':
            digit = 5;
            break;
        case 'X':
            digit = 10;
            break;
        case 'L':
            digit = 50;
            break;
        case 'C':
            digit = 100;
            break;
        case 'D':
            digit = 500;
            break;
        default:
            return -1;
        }
        repeats = digit == previous ? repeats + 1 : 1;
        if (repeats > 3)
            return -1;
        value += digit;
        if (previous != 0 && digit > previous)
            value -= 2 * previous;
        previous = digit;
    }
    if (value == 444)
        return 1; /* target */
    return 0;
}
