/*
 * A line of a configuration file, cut at its equals sign. The value is looked at only if the key has the
 * right length and name, so the position of one character decides which later comparisons exist at all.
 */
/* start: [{"buffer": "", "size": 20}] */
/* reaches: [{"buffer": "level=+high", "size": 20}] */
#include <string.h>

int key_value(const char *text)
{
    const char *equals = strchr(text, '=');
    const char *value;

    if (text[0] == '#')
        return 1;
    if (equals == NULL)
        return 2;
    if (equals - text != 5)
        return 3;
    if (strncmp(text, "level", 5) != 0)
        return 4;
    value = equals + 1;
    if (strcmp(value, "off") == 0)
        return 5;
    if (strchr("+-", value[0]) != NULL && strcmp(value + 1, "high") == 0)
        return 6; /* target */
    return 7;
}
