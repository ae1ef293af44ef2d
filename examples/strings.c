/*
 * A guard made of library calls: it takes the text of one setting, such as "port=8080", and accepts only known names
 * with values in range. To get past it, strings must equal constants, hold digits and convert to numbers,
 * through strcmp, strlen, strtol and isdigit.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum setting { SETTING_BAD = -1, SETTING_PORT, SETTING_LEVEL, SETTING_NAME };

/* Which setting `name` = `value` is, SETTING_BAD if the name is unknown or the value out of range. */
enum setting check_setting(const char *name, const char *value)
{
    if (strcmp(name, "port") == 0) {
        char *end;
        long port = strtol(value, &end, 10);

        if (end == value || *end != '\0')
            return SETTING_BAD;
        return port >= 1 && port <= 65535 ? SETTING_PORT : SETTING_BAD;
    }
    if (strcmp(name, "level") == 0) {
        if (strlen(value) != 1 || !isdigit((unsigned char)value[0]))
            return SETTING_BAD;
        return SETTING_LEVEL;
    }
    if (strcmp(name, "name") == 0)
        return strlen(value) > 0 ? SETTING_NAME : SETTING_BAD;
    return SETTING_BAD;
}

/* The same for one text of the form name=value, with a name of at most 7 characters. */
enum setting parse_setting(const char *text)
{
    char name[8];
    const char *equals = strchr(text, '=');

    if (equals == NULL || (size_t)(equals - text) >= sizeof name)
        return SETTING_BAD;
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    return check_setting(name, equals + 1);
}
