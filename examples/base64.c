/*
 * A strict base64 decoder (RFC 4648): a parser with a table of character values, groups of four characters and
 * padding rules. Deep branches need several characters to be right at once, and the last ones need the
 * unused bits of the last character to be zero.
 */
#include <stddef.h>

#define NONE 0xff

static const unsigned char values[128] = {
    NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
    NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
    NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 62,   NONE, NONE, NONE, 63,
    52,   53,   54,   55,   56,   57,   58,   59,   60,   61,   NONE, NONE, NONE, NONE, NONE, NONE,
    NONE, 0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,
    15,   16,   17,   18,   19,   20,   21,   22,   23,   24,   25,   NONE, NONE, NONE, NONE, NONE,
    NONE, 26,   27,   28,   29,   30,   31,   32,   33,   34,   35,   36,   37,   38,   39,   40,
    41,   42,   43,   44,   45,   46,   47,   48,   49,   50,   51,   NONE, NONE, NONE, NONE, NONE,
};

static unsigned char value_of(char c)
{
    unsigned char code = (unsigned char)c;

    return code < sizeof values ? values[code] : NONE;
}

/*
 * Decodes the `length` characters at `text` to `out`, which has room for length / 4 * 3 bytes. Returns the number
 * of bytes, -1 if the length is wrong, -2 at a character that does not belong, -3 if unused bits are set.
 */
int base64_decode(const char *text, size_t length, unsigned char *out)
{
    int count = 0;

    if (length % 4 != 0)
        return -1;
    for (size_t i = 0; i < length; i += 4) {
        int last = i + 4 == length;
        int padding = last && text[i + 3] == '=' ? 1 + (text[i + 2] == '=') : 0;
        unsigned group = 0;

        for (int k = 0; k < 4 - padding; k++) {
            unsigned char value = value_of(text[i + (size_t)k]);

            if (value == NONE)
                return -2;
            group |= (unsigned)value << (18 - 6 * k);
        }
        if (padding > 0 && (group & (padding == 2 ? 0xffffu : 0xffu)) != 0)
            return -3;
        for (int k = 0; k < 3 - padding; k++)
            out[count++] = (unsigned char)(group >> (16 - 8 * k));
    }
    return count;
}
