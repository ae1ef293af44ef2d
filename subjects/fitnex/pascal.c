/*
 * A small parser for a Pascal-like language: a heading, then a block of assignments of numbers to
 * one-letter variables. `program X; begin end.` is the shortest program it accepts. Every token must be
 * right before the next one is read.
 */
/* start: [{"buffer": "", "size": 32}] */
/* reaches: [{"buffer": "program X; begin end.", "size": 32}] */
#include <ctype.h>
#include <string.h>

int pascal(const char *text)
{
    if (strncmp(text, "program ", 8) != 0)
        return 1;
    text += 8;
    if (!isalpha((unsigned char)*text))
        return 2;
    while (isalnum((unsigned char)*text))
        text++;
    if (*text != ';')
        return 3;
    text++;
    while (isspace((unsigned char)*text))
        text++;
    if (strncmp(text, "begin ", 6) != 0)
        return 4;
    text += 6;
    while (strncmp(text, "end", 3) != 0) {
        if (!islower((unsigned char)*text))
            return 5;
        text++;
        if (strncmp(text, ":=", 2) != 0)
            return 6;
        text += 2;
        while (isdigit((unsigned char)*text))
            text++;
        if (*text != ';')
            return 7;
        text++;
    }
    if (text[3] == '.' && text[4] == '\0')
        return 0; /* target */
    return 8;
}
