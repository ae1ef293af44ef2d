/*
 * Checks an ISSN: four digits, a hyphen, three digits and a check digit, which is X for ten. Brackets around it are allowed.
 */

/* function: check_issn */
/* start: [{"buffer": "", "size": 12}] */
enum result { FINE, NO_HYPHEN, NO_DIGIT, BAD_CHECK, OPEN_BRACKET, TRAILING };

enum result check_issn(const char *text)
{
    int bracket = 0;
    int sum = 0;
    int weight = 8;
    int check;
    if (*text == '(') {
        bracket = 1;
        text++;
    }
    while (weight > 1) {
        if (weight == 4 && *text == '-')
            text++;
        else if (weight == 4)
            return NO_HYPHEN;
        if (*text < '0' || *text > '9')
            return NO_DIGIT;
        sum += (*text - '0') * weight;
        weight--;
        text++;
    }
    if (*text == 'X')
        check = 10;
    else if (*text >= '0' && *text <= '9')
        check = *text - '0';
    else
        return NO_DIGIT;
    if ((sum + check) % 11 != 0)
        return BAD_CHECK;
    text++;
    if (bracket) {
        if (*text != ')')
            return OPEN_BRACKET;
        text++;
    }
    if (*text != 0)
        return TRAILING;
    return FINE;
}
