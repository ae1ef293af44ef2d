/*
 * Characters of a text are counted by kind in one loop, and the counts are compared after it. Each
 * character takes part in one count only, so length and counts must grow together.
 */
/* start: ["x", 1] */
/* reaches: ["aeioua  ", 8] */
#include <stddef.h>

int count_letters(const char *text, size_t length)
{
    unsigned vowels = 0;
    unsigned spaces = 0;
    unsigned others = 0;

    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case 'a':
        case 'e':
        case 'i':
        case 'o':
        case 'u':
            vowels++;
            break;
        case ' ':
            spaces++;
            break;
        default:
            others++;
            break;
        }
    }
    if (spaces == 2 && others == 0 && vowels == 6)
        return 1; /* target */
    return 0;
}
