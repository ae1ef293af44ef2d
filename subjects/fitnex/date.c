/*
 * Validation of a date written YYYY-MM-DD: a loop checks the shape and gathers three numbers, then the
 * calendar decides. The target is the leap day, which ties the year, the month and the day together.
 */
/* start: [{"buffer": "", "size": 16}] */
/* reaches: [{"buffer": "2000-02-29", "size": 16}] */
#include <stddef.h>

int date(const char *text)
{
    unsigned numbers[3] = {0, 0, 0};
    size_t part = 0;
    unsigned year;
    int leap;

    for (size_t i = 0; i < 10; i++) {
        if (i == 4 || i == 7) {
            if (text[i] != '-')
                return -1;
            part++;
        } else if (text[i] >= '0' && text[i] <= '9') {
            numbers[part] = numbers[part] * 10 + (unsigned)(text[i] - '0');
        } else {
            return -1;
        }
    }
    year = numbers[0];
    leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (text[10] != '\0' || year < 1900 || numbers[1] > 12 || numbers[2] > 31)
        return -1;
    if (leap && numbers[1] == 2 && numbers[2] == 29)
        return 1; /* target */
    return 0;
}
