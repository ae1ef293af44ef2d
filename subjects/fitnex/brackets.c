/*
 * Balanced brackets of two kinds on a small stack. The text must nest four deep and close everything again:
 * opening gains depth first and must be paid back by as many closing brackets of the right kind.
 */
/* start: ["x", 1] */
/* reaches: ["([(())])", 8] */
#include <stddef.h>

int brackets(const char *text, size_t length)
{
    char open[16];
    size_t depth = 0;
    size_t deepest = 0;

    for (size_t i = 0; i < length; i++) {
        char c = text[i];

        if (c == '(' || c == '[') {
            if (depth == sizeof open)
                return -1;
            open[depth] = c;
            depth++;
            if (depth > deepest)
                deepest = depth;
        } else if (c == ')' || c == ']') {
            if (depth == 0)
                return -1;
            depth--;
            if (open[depth] != (c == ')' ? '(' : '['))
                return -1;
        }
    }
    if (deepest == 4 && depth == 0)
        return 1; /* target */
    return 0;
}
