/*
 * ctype.h: classes and conversions of a symbolic character, as functions and as glibc's macros.
 */
#include "observe.h"
#include <ctype.h>

//: letter [65] -> 1 | on c
//: letter [48] -> 0
int letter(unsigned char c) { return isalpha(c) != 0; }

//: classes [65] -> 3235
//: classes [55] -> 2225
//: classes [32] -> 644
//: classes [33] -> 416
//: classes [9] -> 524
//: classes [127] -> 8
//: classes [200] -> 0
int classes(unsigned char c)
{
    return !!isalnum(c) | !!isalpha(c) << 1 | !!isblank(c) << 2 | !!iscntrl(c) << 3 | !!isdigit(c) << 4 |
           !!isgraph(c) << 5 | !!islower(c) << 6 | !!isprint(c) << 7 | !!ispunct(c) << 8 | !!isspace(c) << 9 |
           !!isupper(c) << 10 | !!isxdigit(c) << 11;
}

//: called [102] -> 1
int called(unsigned char c)
{
    if ((isdigit)(c))
        return 2;
    if ((isxdigit)(c))
        return 1;
    return (isspace)(c) ? 3 : (ispunct)(c) ? 4 : 5;
}

//: end_of_file [-1] -> 0
int end_of_file(int c)
{
    if (c < -1 || c > 255)
        return -1;
    return isalpha(c) || isspace(c);
}

//: upper [97] -> 65 | on c
//: upper [64] -> 64
int upper(unsigned char c) { return (int)observe((unsigned)toupper(c)); }

//: lower [90] -> 122
int lower(unsigned char c) { return (int)observe((unsigned)(tolower)(c)); }

//: seven_bits [200] -> 72
int seven_bits(unsigned char c) { return isascii(c) ? 1 : toascii(c); }

//: identifier ["_ab9"] -> 1
//: identifier ["9ab"] -> 0
int identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return 0;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return 0;
    return 1;
}
