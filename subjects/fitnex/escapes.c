/*
 * A quoted string with escape sequences, read character by character. It must be closed, have three
 * escapes, and one of them must be a hexadecimal one, which takes two digits more: some characters are good
 * only after others.
 */
/* start: [{"buffer": "\"........\"", "size": 24}] */
/* reaches: [{"buffer": "\"\\n\\t\\x00\"", "size": 24}] */
#include <ctype.h>

int escapes(const char *text)
{
    unsigned simple = 0;
    unsigned hexadecimal = 0;

    if (*text != '"')
        return -1;
    for (text++; *text != '"'; text++) {
        if (*text == '\0')
            return -1;
        if (*text != '\\')
            continue;
        text++;
        if (*text == 'n' || *text == 't' || *text == '\\') {
            simple++;
        } else if (*text == 'x') {
            if (!isxdigit((unsigned char)text[1]) || !isxdigit((unsigned char)text[2]))
                return -1;
            text += 2;
            hexadecimal++;
        } else {
            return -1;
        }
    }
    if (hexadecimal == 1 && simple == 2 && text[1] == '\0')
        return 1; /* target */
    return 0;
}
