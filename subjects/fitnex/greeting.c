/*
 * A constraint system over one string, posed through string methods: its length, its first and last
 * character, a comma, and a word that it must contain before the comma. The guards share characters.
 */
/* start: [{"buffer": "..........", "size": 24}] */
/* reaches: [{"buffer": "My dear, no!", "size": 24}] */
#include <string.h>

int greeting(const char *text)
{
    const char *comma = strchr(text, ',');
    const char *dear = strstr(text, "dear");
    size_t length = strlen(text);

    if (length < 9 || length > 12)
        return 0;
    if (text[0] < 'A' || text[0] > 'Z')
        return 0;
    if (text[length - 1] != '!')
        return 0;
    if (comma == NULL || dear == NULL)
        return 0;
    if (dear < comma && comma[1] == ' ')
        return 1; /* target */
    return 0;
}
